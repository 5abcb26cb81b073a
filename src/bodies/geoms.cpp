#include "bodies/geoms.h"

#include "core/error.h"
#include "geometry/distance_field.h"
#include "geometry/mesh.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <map>

namespace pliant::bodies {
namespace {

std::string name_of(const mjModel* model, mjtObj kind, int id) {
  const char* name = mj_id2name(model, kind, id);
  return name && *name ? name : "number " + std::to_string(id);
}

TriangleSoup soup_of(const mjModel* model, int mesh) {
  TriangleSoup soup;
  const float* vertices = model->mesh_vert + 3 * model->mesh_vertadr[mesh];
  for (int v = 0; v < model->mesh_vertnum[mesh]; ++v)
    soup.vertices.push_back({{vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]}});
  const int* faces = model->mesh_face + 3 * model->mesh_faceadr[mesh];
  for (int f = 0; f < model->mesh_facenum[mesh]; ++f)
    soup.triangles.push_back(
        {std::uint32_t(faces[3 * f]), std::uint32_t(faces[3 * f + 1]), std::uint32_t(faces[3 * f + 2])});
  return soup;
}

// false: the model has no hull of this mesh. The graph is: numvert, numface, numvert edge addresses, numvert ids,
// numvert + 3 numface edges, and three vertex ids per face.
bool take_hull(const mjModel* model, int mesh, TriangleSoup& soup) {
  if (model->mesh_graphadr[mesh] < 0) return false;
  const int* graph = model->mesh_graph + model->mesh_graphadr[mesh];
  const int vertices = graph[0], faces = graph[1];
  const int* face = graph + 2 + 3 * vertices + 3 * faces;
  soup.triangles.clear();
  for (int f = 0; f < faces; ++f, face += 3)
    soup.triangles.push_back({std::uint32_t(face[0]), std::uint32_t(face[1]), std::uint32_t(face[2])});
  return true;
}

class Fields {
 public:
  Fields(const mjModel* model, const GeomOptions& options, Workers& workers, std::vector<std::string>& warnings)
      : model_(model), options_(options), workers_(workers), warnings_(warnings) {}

  // one field for all geoms of the same mesh
  std::shared_ptr<const DistanceField> of(int mesh) {
    auto& field = fields_[mesh];
    if (!field) field = make(mesh);
    return field;
  }

 private:
  std::shared_ptr<const DistanceField> make(int id) {
    const std::string name = "mesh '" + name_of(model_, mjOBJ_MESH, id) + "'";
    TriangleSoup soup = soup_of(model_, id);
    Mesh mesh;
    try {
      mesh = checked_mesh(soup, name);
    } catch (const Error& error) {
      if (!take_hull(model_, id, soup)) throw;
      warnings_.push_back(std::string(error.what()) + "; matter touches its convex hull instead");
      mesh = checked_mesh(soup, name);
    }
    DistanceFieldOptions field;
    field.tolerance = tolerance_for(mesh);
    if (options_.cache_folder.empty())
      return std::make_shared<DistanceField>(DistanceField::build(mesh, name, field, workers_));
    CachedField cached = cached_distance_field(mesh, name, field, options_.cache_folder, workers_);
    if (!cached.note.empty()) warnings_.push_back(cached.note);
    return cached.field;
  }

  // the asked one, within what a field allows for the mesh's size
  double tolerance_for(const Mesh& mesh) const {
    double size = 0;
    for (int d = 0; d < 3; ++d) size = std::max(size, mesh.upper[d] - mesh.lower[d]);
    return std::clamp(options_.tolerance, 2e-5 * size, 5e-2 * size);
  }

  const mjModel* model_;
  const GeomOptions& options_;
  Workers& workers_;
  std::vector<std::string>& warnings_;
  std::map<int, std::shared_ptr<const DistanceField>> fields_;
};

// false: matter cannot touch this kind
bool kind_of(int type, RigidShape::Kind& kind) {
  switch (type) {
    case mjGEOM_PLANE: kind = RigidShape::Kind::plane; return true;
    case mjGEOM_SPHERE: kind = RigidShape::Kind::sphere; return true;
    case mjGEOM_CAPSULE: kind = RigidShape::Kind::capsule; return true;
    case mjGEOM_ELLIPSOID: kind = RigidShape::Kind::ellipsoid; return true;
    case mjGEOM_CYLINDER: kind = RigidShape::Kind::cylinder; return true;
    case mjGEOM_BOX: kind = RigidShape::Kind::box; return true;
    case mjGEOM_MESH: kind = RigidShape::Kind::mesh; return true;
    default: return false;
  }
}

// the body that it is fixed to, itself if it can move: the world is 0
int welded_to(const mjModel* model, int body) {
  const int root = model->body_weldid[body];
  if (root > 0) return root;
  for (int b = body; b > 0; b = model->body_parentid[b])
    if (model->body_mocapid[b] >= 0) return b;
  return 0;
}

}  // namespace

Geoms touchable_geoms(const mjModel* model, const GeomOptions& options, Workers& workers) {
  Geoms geoms;
  geoms.in_model = std::size_t(model->ngeom);
  Fields fields(model, options, workers, geoms.warnings);
  for (int g = 0; g < model->ngeom; ++g) {
    if (model->geom_contype[g] == 0 && model->geom_conaffinity[g] == 0) continue;
    Geom geom;
    geom.id = g;
    geom.body = model->geom_bodyid[g];
    geom.name = name_of(model, mjOBJ_GEOM, g);
    geom.body_name = name_of(model, mjOBJ_BODY, geom.body);
    geom.rigid = welded_to(model, geom.body);
    geom.friction = model->geom_friction[3 * g];
    geom.priority = model->geom_priority[g];
    for (int b = model->body_parentid[geom.body]; b > 0; b = model->body_parentid[b])
      geom.carriers.push_back(name_of(model, mjOBJ_BODY, b));
    if (!kind_of(model->geom_type[g], geom.shape.kind)) {
      geoms.warnings.push_back("geom '" + geom.name + "' of body '" + geom.body_name +
                               "' is of a kind that matter does not feel (a height field or the like)");
      continue;
    }
    if (geom.shape.kind == RigidShape::Kind::mesh) {
      geom.shape.field = fields.of(model->geom_dataid[g]);
      const Bounds& b = geom.shape.field->bounds();
      for (int d = 0; d < 3; ++d) geom.shape.size[d] = std::max(std::fabs(b.lower[d]), std::fabs(b.upper[d]));
    } else if (geom.shape.kind != RigidShape::Kind::plane) {
      for (int d = 0; d < 3; ++d) geom.shape.size[d] = model->geom_size[3 * g + d];
    }
    geoms.list.push_back(std::move(geom));
  }
  return geoms;
}

double timestep_of(const mjModel* model) { return model->opt.timestep; }

}  // namespace pliant::bodies
