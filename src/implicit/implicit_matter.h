// Matter in one implicit step, as a cost of the strong problem: over the velocities v of its nodes
//
//   E(v) = 1/2 sum_i m_i |v_i - v~_i|^2 + sum_p V_p psi((1 + dt grad v_p) F_p)     (S1, Eq. 16)
//
// with v~ = v^n + dt g, the gradient as the transfer defines it, and what actuation, viscosity and Rayleigh damping
// add. Plastic flow is lagged (S1, Sec. VI): psi is elastic, about the R0 of the start of the step, and the return
// mapping comes when particles take the velocities; or it is implicit: psi is that of the stress after the return
// mapping, with the yield strain of sand taken from the pressure of a solve before. Equations: README.md.
#pragma once

#include "implicit/matter_operator.h"
#include "implicit/namespace.h"
#include "implicit/part_law.h"
#include "pliant/scene.h"
#include "solve/strong_problem.h"

namespace pliant::implicit {

// forces -(mass m + stiffness K) v, K at the start of the step
struct RayleighDamping {
  double mass = 0;       // 1/s, not negative
  double stiffness = 0;  // s, not negative
};

// what a step starts from. Nothing may move before `write`.
template <class S>
struct MatterStep {
  const Layout<3, S>& layout;
  // After a scatter without stress (SweepStep::dt = 0) and `update`: masses, and velocities v~ with gravity.
  Grid<3, S>& grid;
  const Buffer<Point<3, S>>& points;
  const Buffer<ParticleVelocity<3, S>>& velocities;
  std::span<const Material> materials;            // by group
  std::span<const Matrix<double, 3>> actuations;  // by group, Pa, symmetric; empty: none
  Kernel kernel;
  Transfer transfer;
  double dt, h;
  RayleighDamping damping = {};
  bool exact_rotation =
      false;  // strains are of the stretch of the step alone, and angular momentum is kept (README.md)
  PlasticFlow plastic_flow = PlasticFlow::lagged;
  std::span<const BoundaryNode> inside = {};       // nodes inside boundaries: those that stick keep their velocities
  std::span<const double> shear_viscosities = {};  // by group, Pa s, with exact rotation only; empty: none
  std::span<const char> masses_fitted = {};        // by group: the nodes' masses turn as the matter does; empty: none do
};

class ImplicitMatter final : public MatterCost {
 public:
  ImplicitMatter() = default;
  ImplicitMatter(const ImplicitMatter&) = delete;
  ImplicitMatter& operator=(const ImplicitMatter&) = delete;

  // throws Error(bad_input) for what has no implicit step: kernels other than quadratic, particles out of their cells
  template <class S>
  void begin(const MatterStep<S>& step, Workers& workers);

  std::size_t nodes() const override { return bundles_.nodes(); }
  const Bundles& bundles() const { return bundles_; }
  std::span<const double> mass() const override { return bundles_.mass(); }
  std::span<const NodeVector<double>> inertial_velocity() const { return bundles_.velocity(); }  // v~
  bool quadratic() const override { return quadratic_; }  // E is, and one linear solve does

  bool turned() const { return turned_; }  // some matter has exact rotation
  // With exact rotation: E is from now on that of steps which turn as v does. The largest change of a strain.
  double update_lagged_rotation(const NodeVector<double>* v, Workers& workers);

  bool follow(const NodeVector<double>* v, Workers& workers) override {
    update_lagged_rotation(v, workers);
    return turned_;
  }

  double lag() const override { return turn_; }

  bool yields_by_pressure() const { return pressed_; }  // some matter flows, and is sand
  // With it: E is from now on that of the yield strains at the pressures of v. Their change over
  // their size, both summed over volumes.
  double update_lagged_yield(const NodeVector<double>* v, Workers& workers);

  // E; gradient may be nullptr
  double evaluate(const NodeVector<double>* v, NodeVector<double>* gradient, Workers& workers) override;
  double energy(const NodeVector<double>* v, Workers& workers) { return evaluate(v, nullptr, workers); }
  double rounding() const override { return energy_noise_; }  // of energies that are differences of large terms

  // E's second derivative at v, as an operator
  template <class T>
  void linearise(const NodeVector<double>* v, Curvature curvature, MatterOperator<T>& out, Workers& workers);
  void linearise(const NodeVector<double>* v, Block3<double>* blocks, Workers& workers) override;
  void use_exact_hessian(const NodeVector<double>* v, Workers& workers) override {
    linearise(v, Curvature::exact, operator_, workers);
  }
  void linearise_in_double(const NodeVector<double>* v, Curvature curvature, Workers& workers) override {
    linearise(v, curvature, operator_in_double_, workers);
  }
  double apply(const NodeVector<float>* x, NodeVector<float>* y, Workers& workers) override {
    return operator_.apply(x, y, workers);
  }
  double apply(const NodeVector<double>* x, NodeVector<double>* y, Workers& workers) override {
    return operator_in_double_.apply(x, y, workers);
  }

  // N s: what holds the fixed nodes (see Bundles) against the stresses of velocities v, by fixed node
  void hold_fixed(const NodeVector<double>* v, std::span<NodeVector<double>> impulses, Workers& workers);

  // velocities of the nodes that take part; the others keep v~
  template <class S>
  void write(std::span<const NodeVector<double>> v, Grid<3, S>& grid) const;

  std::size_t bytes() const;

 private:
  struct BundleState {
    double F[9][bundle_size], rotation[9][bundle_size], volume[bundle_size], plastic[bundle_size];
    double yield[bundle_size];
    double turn[9][bundle_size], spin[9][bundle_size], excess[bundle_size];
  };

  template <class P>
  PartState<P> load_state(std::size_t bundle, int part) const;
  template <class S>
  void load_bundles(const MatterStep<S>& step, Workers& workers);
  template <class S>
  void load_spin(const MatterStep<S>& step, std::size_t bundle);
  template <class S>
  void load_turn(const S* C, std::size_t bundle, int lane);
  double mean_turn() const;
  void load_yield(std::size_t bundle);
  template <class S>
  void choose_laws(const MatterStep<S>& step);
  void keep_damping(Workers& workers);
  void evaluate_block(std::size_t b, const NodeVector<double>* v);
  PartImpulse damping_impulse(std::size_t bundle, int part, const PartState<Part>& state, const PartMatrix& l) const;
  double sum_nodes(const NodeVector<double>* v, NodeVector<double>* gradient, Workers& workers);
  template <class T>
  void linearise_block(std::size_t b, const NodeVector<double>* v, bool positive, MatterOperator<T>& out);

  Bundles bundles_;
  Buffer<BundlePlace> places_;
  Buffer<BundleState> states_;
  std::vector<PartStep> steps_;      // by group
  std::vector<Differential> kinds_;  // by group
  std::vector<double> drags_;        // by group, kg/m^3: PartState::drag over the volume
  RayleighDamping damping_;
  double dt_ = 0;
  double energy_noise_ = 0;  // J, rounding of the elastic energy of matter at rest
  double inv_h_ = 0;
  double turn_ = 0;  // radians, of the matter that is turned, in a step: root of the mean square by volume
  bool quadratic_ = false, mls_ = true, turned_ = false, pressed_ = false;
  Buffer<double> damping_rows_;  // of bundles with dense differentials, at the start of the step

  Buffer<Node<double>> touched_, fixed_touched_;  // what blocks add to the gradient, by touch
  Buffer<double> block_energy_, block_change_;
  Buffer<ThreeSums> pieces_;

  MatterOperator<float> operator_;
  MatterOperator<double> operator_in_double_;  // empty until it is asked for
};

}  // namespace pliant::implicit
