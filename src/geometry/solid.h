// A shape as a solid in its own frame: unrotated, about the origin. Fillers see nothing else of a shape.
#pragma once

#include "geometry/namespace.h"
#include "geometry/tree.h"

#include <memory>

namespace pliant::geometry {

class Solid {
 public:
  // loads and checks the file of a mesh; throws Error(bad_input) for a shape that the dimension does not have
  Solid(const Shape& shape, int dimension);

  Shape::Kind kind() const { return shape_.kind; }
  const Shape& shape() const { return shape_; }
  int dimension() const { return dimension_; }
  const MeshTree& tree() const { return *tree_; }  // of a mesh

  double volume() const;         // m^3, in 2-D m^2
  double second_moment() const;  // m^5, in 2-D m^4: the sum of x^2 over the volume; 0 if not known (mesh)
  double surface_area() const;   // m^2, in 2-D m
  Point lower() const;           // m, bounding box
  Point upper() const;

  // is p inside and at least this far from the surface?
  bool deeper(const Point& p, double distance) const;
  // Is p outside and at least this far from the surface? False in doubt.
  bool farther(const Point& p, double distance) const;

  // from the own frame to the scene
  Vec3 place(const Point& p) const;

 private:
  double depth(const Point& p) const;
  Point half_size() const;

  Shape shape_;
  int dimension_;
  std::shared_ptr<const MeshTree> tree_;
};

// The part of a solid that is at least `depth` below its surface.
struct Region {
  const Solid& solid;
  double depth;  // m

  bool contains(const Point& p) const { return solid.deeper(p, depth); }
};

}  // namespace pliant::geometry
