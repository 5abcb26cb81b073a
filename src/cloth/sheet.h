// A sheet of cloth at rest: its triangles, its hinges, and who is pinned. Constant after loading.
//
// Its particles are the vertices, then the centroids of the triangles, numbered from 0 in that order.
#pragma once

#include "cloth/namespace.h"
#include "core/small.h"
#include "pliant/scene.h"
#include "scene/sheet_mesh.h"

#include <cstdint>
#include <vector>

namespace pliant::cloth {

using Vec = Vector<double, 3>;

// a triangle: from its edges x1 - x0 and x2 - x0 to the first two columns of F, (f1 f2) = (edges) * inverse
template <class S>
struct Element {
  std::uint32_t corner[3];
  S inverse[4];  // of the edges at rest, in the triangle's frame, row-major
  S volume;      // m^3, at rest, whole
};

// two triangles that share the edge from corner 0 to corner 1; corners 2 and 3 are opposite
template <class S>
struct Hinge {
  std::uint32_t corner[4];
  S stiffness;   // N m per rad
  S rest_angle;  // rad
};

struct PinnedVertex {
  std::uint32_t vertex, pin;  // pin: its number among all pins of the scene
  Vec start;                  // m
};

template <class S>
struct Sheet {
  std::size_t vertices = 0;
  std::vector<Element<S>> elements;
  std::vector<Hinge<S>> hinges;
  std::vector<Matrix<S, 3>> frames;  // F of each triangle at rest: its axes, the third is the normal
  // forces that act on vertex v: shares[share_starts[v]] to shares[share_starts[v + 1]]; force 3 e + k acts on corner k
  // of triangle e, those of the hinges come after, 4 each
  std::vector<std::uint32_t> share_starts, shares;
  std::vector<PinnedVertex> pinned;
  double shortest_height = 0;  // m, of a triangle
  double bending = 0;          // N m
};

// `first_pin`: number of the matter's first pin among all of the scene. Throws Error(bad_input) for a pin that holds
// nothing, or what another holds.
template <class S>
Sheet<S> make_sheet(const SheetMesh& mesh, const Matter& matter, const Material& material, std::uint32_t first_pin);

// substeps per second that bending needs
template <class S>
double bending_rate(const Sheet<S>& sheet, const Matter& matter, const Material& material);

// m/s: inner steps are stable below cell / this
double inner_wave_speed(const Material& material);

}  // namespace pliant::cloth
