// Polar decomposition, singular values and symmetric eigenvalues of 2x2 and 3x3 matrices, logarithm and exponential,
// on numbers and packs alike. In a pack, the result of a lane does not depend on its neighbours, to the last bit.
#pragma once

#include "core/eigen_symmetric.h"  // eigen_symmetric(A): A = Q diag(values) Q^T
#include "core/elementary.h"       // log(x), exp(x)
#include "core/namespace.h"
#include "core/polar.h"  // polar(F): F = R S;  rotation_of(F): only R
#include "core/svd.h"    // svd(F): F = U diag(sigma) V^T
