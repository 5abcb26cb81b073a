// From derivatives by the numbers of a law to those by what users say of a material.
#pragma once

#include "gradient/bars.h"
#include "gradient/namespace.h"
#include "material/laws.h"
#include "pliant/material.h"

namespace pliant::gradient {

// What a piece's particles sum up to.
struct PieceSums {
  LawBar<double> law = LawBar<double>::zero();
  double density = 0;         // by mass, times volume
  double loss_viscosity = 0;  // by that of material/law_info.h
};

// Derivatives by the parameters of the material, each in the member of its name.
Material material_bar(const Material& material, double loss_viscosity, const PieceSums& sums);

// by E and nu from those by mu and lambda
struct ElasticBar {
  double E, nu;
};
ElasticBar elastic_bar(double E, double nu, double mu_bar, double lambda_bar);

}  // namespace pliant::gradient
