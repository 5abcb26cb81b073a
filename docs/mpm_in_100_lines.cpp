// The material point method on one screen: a square of jelly falls on a floor, in 2-D, with nothing but arrays.
//
//   g++ -O2 docs/mpm_in_100_lines.cpp -o mpm && ./mpm
//
// Matter is carried by particles (position x, velocity v, velocity field C around it, deformation gradient F). A grid
// that is forgotten after every step lets them push each other. The library does the same, in any number of blocks and
// threads.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

// the scene, in metres, seconds and kilograms
constexpr int cells = 64;                                      // grid of cells x cells nodes, node (i, j) at (i h, j h)
constexpr double h = 1.0 / cells, dt = 5e-4;                   // spacing of the grid, time step
constexpr double E = 2e4, nu = 0.3, density = 1000, g = 9.81;  // Young's modulus, Poisson's ratio
constexpr double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
constexpr double floor_height = 3.5 * h, friction = 0.3;
constexpr double volume = h * h / 4, mass = density * volume;  // of each particle, four to a cell

struct Particle {
  double x[2], v[2], C[2][2], F[2][2];
};
struct Node {
  double mass, v[2];  // v holds momentum until the grid step divides it by the mass
};
std::vector<Particle> particles;
Node grid[cells][cells];

// Visits the 3 x 3 nodes around a particle with their weights (quadratic B-splines) and distances from the particle.
template <class Visit>
void for_each_node(const Particle& p, const Visit& visit) {
  int base[2];
  double f[2], w[2][3];  // f: position of the particle from the first node, in cells
  for (int a = 0; a < 2; ++a) {
    base[a] = int(p.x[a] / h - 0.5), f[a] = p.x[a] / h - base[a];
    w[a][0] = 0.5 * (1.5 - f[a]) * (1.5 - f[a]), w[a][2] = 0.5 * (f[a] - 0.5) * (f[a] - 0.5);
    w[a][1] = 1 - w[a][0] - w[a][2];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double d[2] = {(i - f[0]) * h, (j - f[1]) * h};
      visit(grid[base[0] + i][base[1] + j], w[0][i] * w[1][j], d);
    }
}

// Mass and momentum go to the grid, and with them the push of the stress: neo-Hookean, tau = mu (F F^T - 1) + lambda
// log J.
void particles_to_grid() {
  for (auto& row : grid) std::fill(row, row + cells, Node{});
  for (const Particle& p : particles) {
    const double pull = lambda * std::log(p.F[0][0] * p.F[1][1] - p.F[0][1] * p.F[1][0]) - mu;
    double A[2][2];  // momentum per distance from the particle
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        const double tau = mu * (p.F[a][0] * p.F[b][0] + p.F[a][1] * p.F[b][1]) + (a == b ? pull : 0);
        A[a][b] = mass * p.C[a][b] - dt * volume * 4 / (h * h) * tau;
      }
    for_each_node(p, [&](Node& node, double w, const double* d) {
      node.mass += w * mass;
      for (int a = 0; a < 2; ++a) node.v[a] += w * (mass * p.v[a] + A[a][0] * d[0] + A[a][1] * d[1]);
    });
  }
}

// Momentum becomes velocity, gravity acts, and nodes below the floor may leave it but not sink, with Coulomb friction.
void move_grid() {
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      Node& node = grid[i][j];
      if (node.mass == 0) continue;
      for (double& v : node.v) v /= node.mass;
      node.v[1] -= dt * g;
      if (j * h > floor_height || node.v[1] > 0) continue;
      const double kept = std::max(std::abs(node.v[0]) + friction * node.v[1], 0.0);
      node.v[0] = std::copysign(kept, node.v[0]), node.v[1] = 0;
    }
}

// Particles take the velocity of the grid and its gradient, deform and move with it.
void grid_to_particles() {
  for (Particle& p : particles) {
    double v[2] = {}, C[2][2] = {};
    for_each_node(p, [&](const Node& node, double w, const double* d) {
      for (int a = 0; a < 2; ++a) {
        v[a] += w * node.v[a];
        for (int b = 0; b < 2; ++b) C[a][b] += 4 / (h * h) * w * node.v[a] * d[b];
      }
    });
    const Particle old = p;
    for (int a = 0; a < 2; ++a) {
      p.v[a] = v[a], p.x[a] += dt * v[a];
      for (int b = 0; b < 2; ++b)
        p.C[a][b] = C[a][b], p.F[a][b] += dt * (C[a][0] * old.F[0][b] + C[a][1] * old.F[1][b]);
    }
  }
}

void step() {
  particles_to_grid();
  move_grid();
  grid_to_particles();
}

// a tilted square that slides to the right as it falls
void start() {
  for (double a = -0.12; a < 0.12; a += h / 2)
    for (double b = -0.12; b < 0.12; b += h / 2)
      particles.push_back({{0.4 + 0.8 * a - 0.6 * b, 0.5 + 0.6 * a + 0.8 * b}, {0.5, 0}, {}, {{1, 0}, {0, 1}}});
}

void draw() {
  char picture[cells / 2][cells + 1];
  for (auto& row : picture) std::snprintf(row, sizeof row, "%*s", cells, "");
  for (const Particle& p : particles) picture[cells / 2 - 1 - int(p.x[1] / (2 * h))][int(p.x[0] / h)] = '#';
  for (const auto& row : picture) std::printf("%s\n", row);
}

int main() {
  start();
  for (int n = 0; n <= 1200; ++n, step())
    if (n % 300 == 0) draw();
  return 0;
}
