// Scenes are equal field by field, numbers to the last bit.
#pragma once

#include "pliant/scene.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pliant {

inline void expect_same(double a, double b, const std::string& where) {
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << where << ": " << a << " and " << b;
}

template <std::size_t N>
void expect_same(const std::array<double, N>& a, const std::array<double, N>& b, const std::string& where) {
  for (std::size_t i = 0; i < N; ++i) expect_same(a[i], b[i], where);
}

inline void expect_same(const Material& a, const Material& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.law, b.law);
  expect_same(a.density, b.density, "density");
  expect_same(a.E, b.E, "E");
  expect_same(a.nu, b.nu, "nu");
  expect_same(a.yield, b.yield, "yield");
  expect_same(a.friction_angle, b.friction_angle, "friction_angle");
  expect_same(a.cohesion, b.cohesion, "cohesion");
  expect_same(a.bulk_modulus, b.bulk_modulus, "bulk_modulus");
  expect_same(a.gamma, b.gamma, "gamma");
  expect_same(a.viscosity, b.viscosity, "viscosity");
  expect_same(a.hardening, b.hardening, "hardening");
  expect_same(a.critical_compression, b.critical_compression, "critical_compression");
  expect_same(a.critical_stretch, b.critical_stretch, "critical_stretch");
  expect_same(a.friction, b.friction, "friction of cloth");
  expect_same(a.bending, b.bending, "bending");
  expect_same(a.normal_stiffness, b.normal_stiffness, "normal_stiffness");
  expect_same(a.shear_stiffness, b.shear_stiffness, "shear_stiffness");
}

inline void expect_same(const Shape& a, const Shape& b) {
  EXPECT_EQ(a.kind, b.kind);
  expect_same(a.center, b.center, "center");
  expect_same(a.size, b.size, "size");
  expect_same(a.radius, b.radius, "radius");
  expect_same(a.length, b.length, "length");
  expect_same(a.rotation, b.rotation, "rotation");
  EXPECT_EQ(a.mesh_file, b.mesh_file);
  expect_same(a.mesh_scale, b.mesh_scale, "mesh_scale");
  expect_same(a.spacing, b.spacing, "spacing");
  expect_same(a.thickness, b.thickness, "thickness");
}

inline void expect_same(const Matter& a, const Matter& b) {
  SCOPED_TRACE("matter " + a.name);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.material, b.material);
  expect_same(a.shape, b.shape);
  EXPECT_EQ(a.sampling.method, b.sampling.method);
  expect_same(a.sampling.particles_per_cell, b.sampling.particles_per_cell, "particles_per_cell");
  EXPECT_EQ(a.sampling.seed, b.sampling.seed);
  expect_same(a.sampling.jitter, b.sampling.jitter, "jitter");
  EXPECT_EQ(a.sampling.surface_layer, b.sampling.surface_layer);
  expect_same(a.velocity, b.velocity, "velocity");
  expect_same(a.angular_velocity, b.angular_velocity, "angular_velocity");
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) expect_same(a.points[i], b.points[i], "points");
  expect_same(a.point_volume, b.point_volume, "point_volume");
  ASSERT_EQ(a.pins.size(), b.pins.size());
  for (std::size_t i = 0; i < a.pins.size(); ++i) {
    EXPECT_EQ(a.pins[i].name, b.pins[i].name);
    expect_same(a.pins[i].center, b.pins[i].center, "pin center");
    expect_same(a.pins[i].radius, b.pins[i].radius, "pin radius");
    expect_same(a.pins[i].until, b.pins[i].until, "pin until");
  }
}

inline void expect_same(const Boundary& a, const Boundary& b) {
  SCOPED_TRACE("boundary " + a.name);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.condition, b.condition);
  expect_same(a.friction, b.friction, "friction");
  expect_same(a.center, b.center, "center");
  expect_same(a.normal, b.normal, "normal");
  expect_same(a.size, b.size, "size");
  expect_same(a.radius, b.radius, "radius");
  expect_same(a.length, b.length, "length");
  expect_same(a.rotation, b.rotation, "rotation");
  EXPECT_EQ(a.inside_out, b.inside_out);
  expect_same(a.velocity, b.velocity, "velocity");
}

inline void expect_same(const Body& a, const Body& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.file, b.file);
  EXPECT_EQ(a.text, b.text);
  expect_same(a.position, b.position, "position");
  expect_same(a.rotation, b.rotation, "rotation");
  EXPECT_EQ(a.attach_to, b.attach_to);
}

inline void expect_same(const ContactPair& a, const ContactPair& b) {
  EXPECT_EQ(a.matter, b.matter);
  EXPECT_EQ(a.body, b.body);
  expect_same(a.friction, b.friction, "pair friction");
  expect_same(a.stiffness, b.stiffness, "pair stiffness");
  expect_same(a.dissipation, b.dissipation, "pair dissipation");
}

inline void expect_same(const Motion& a, const Motion& b) {
  SCOPED_TRACE("motion of " + a.target);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.until_force.body, b.until_force.body);
  expect_same(a.until_force.newton, b.until_force.newton, "newton");
  EXPECT_EQ(a.release, b.release);
  ASSERT_EQ(a.times.size(), b.times.size());
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t i = 0; i < a.times.size(); ++i) {
    expect_same(a.times[i], b.times[i], "time");
    ASSERT_EQ(a.values[i].size(), b.values[i].size());
    for (std::size_t j = 0; j < a.values[i].size(); ++j) expect_same(a.values[i][j], b.values[i][j], "value");
  }
}

inline void expect_same(const Expect& a, const Expect& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.of, b.of);
  EXPECT_EQ(a.quantity, b.quantity);
  expect_same(a.at, b.at, "at");
  expect_same(a.box_center, b.box_center, "box_center");
  expect_same(a.box_size, b.box_size, "box_size");
  expect_same(a.min, b.min, "min");
  expect_same(a.max, b.max, "max");
}

inline void expect_same(const StepOptions& a, const StepOptions& b) {
  expect_same(a.dt, b.dt, "dt");
  expect_same(a.cell, b.cell, "cell");
  expect_same(a.gravity, b.gravity, "gravity");
  expect_same(a.courant, b.courant, "courant");
  EXPECT_EQ(a.max_substeps, b.max_substeps);
  EXPECT_EQ(a.substeps, b.substeps);
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.transfer, b.transfer);
  EXPECT_EQ(a.balance, b.balance);
  EXPECT_EQ(a.method, b.method);
  expect_same(a.tolerance, b.tolerance, "tolerance");
  EXPECT_EQ(a.max_iterations, b.max_iterations);
  EXPECT_EQ(a.budget, b.budget);
  EXPECT_EQ(a.max_cuts, b.max_cuts);
  EXPECT_EQ(a.exact_rotation, b.exact_rotation);
  EXPECT_EQ(a.plastic_flow, b.plastic_flow);
  expect_same(a.mass_damping, b.mass_damping, "mass_damping");
  expect_same(a.stiffness_damping, b.stiffness_damping, "stiffness_damping");
}

template <class Thing>
void expect_same(const std::vector<Thing>& a, const std::vector<Thing>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

inline void expect_same(const Contact& a, const Contact& b) {
  EXPECT_EQ(a.law, b.law);
  expect_same(a.friction, b.friction, "contact friction");
  expect_same(a.stiffness, b.stiffness, "contact stiffness");
  expect_same(a.dissipation, b.dissipation, "contact dissipation");
  expect_same(a.relaxation, b.relaxation, "relaxation");
  EXPECT_EQ(a.memory, b.memory);
  expect_same(a.stiction, b.stiction, "stiction");
  expect_same(a.pairs, b.pairs);
}

inline void expect_same(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.precision, b.precision);
  expect_same(a.step, b.step);
  expect_same(a.materials, b.materials);
  expect_same(a.matter, b.matter);
  expect_same(a.boundaries, b.boundaries);
  expect_same(a.bodies, b.bodies);
  expect_same(a.contact, b.contact);
  expect_same(a.motion, b.motion);
  expect_same(a.record.rate, b.record.rate, "record rate");
  EXPECT_EQ(a.record.deformation, b.record.deformation);
  expect_same(a.expect, b.expect);
  expect_same(a.duration, b.duration, "duration");
  EXPECT_EQ(a.max_particles, b.max_particles);
  EXPECT_EQ(a.max_memory, b.max_memory);
}

}  // namespace pliant
