#include "solve/quasi_newton.h"
