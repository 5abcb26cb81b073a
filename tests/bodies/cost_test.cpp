#include "bodies/cost.h"

#include "models.h"
#include "newton.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <random>

namespace pliant::test {

using namespace bodies;

namespace {

// MuJoCo's own solver, as exact as it gets
void forward_exactly(Bodies& bodies) {
  mjOption& option = bodies.shared_model()->opt;
  const mjOption before = option;
  option.solver = mjSOL_NEWTON;
  option.tolerance = 0;
  option.ls_tolerance = 1e-6;
  option.iterations = 100;
  option.ls_iterations = 200;
  bodies.forward();
  option = before;
}

// something happens: a push at the start
void disturb(Bodies& bodies) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < bodies.dofs(); ++i) bodies.data()->qvel[i] = 0.5 * uniform(random);
}

// runs a model and looks at it from time to time
template <class Look>
void look_along(const TestModel& model, int times, Look look) {
  SCOPED_TRACE(model.name);
  Bodies bodies = make_bodies(model.text);
  disturb(bodies);
  for (int i = 0; i < times; ++i) {
    for (int k = 0; k < 20; ++k) bodies.step();
    forward_exactly(bodies);
    look(bodies);
  }
}

TEST(cost, newton_finds_the_acceleration_of_mujoco) {
  for (const TestModel& model : ten_models()) {
    int rows = 0;
    double worst = 0;
    look_along(model, 20, [&](Bodies& bodies) {
      StepCost cost(bodies);
      rows = std::max(rows, cost.rows());
      const Eigen::VectorXd ours = minimise(cost);
      const Eigen::Map<const Eigen::VectorXd> theirs(bodies.data()->qacc, bodies.dofs());
      worst = std::max(worst, (ours - theirs).norm() / theirs.norm());
    });
    EXPECT_GE(rows, model.rows) << model.name;
    // measured: 1e-15 to 7e-11 (the ball chain, whose mass matrix has light directions)
    EXPECT_LT(worst, 1e-9) << model.name;
  }
}

// the identity of the minimum, to the tolerance of MuJoCo's solver
TEST(cost, forces_at_the_acceleration_balance) {
  for (const TestModel& model : ten_models()) {
    look_along(model, 10, [&](Bodies& bodies) {
      StepCost cost(bodies);
      const int n = bodies.dofs();
      const Eigen::Map<const Eigen::VectorXd> a(bodies.data()->qacc, n), smooth(bodies.data()->qacc_smooth, n);
      cost.evaluate(as_vector(a));
      const Eigen::VectorXd inertia = as_square(mass_matrix(bodies), n) * (a - smooth);
      Eigen::VectorXd forces = Eigen::VectorXd::Zero(n);
      for (int i = 0; i < cost.rows(); ++i) {
        for (int j = 0; j < n; ++j)
          forces[j] += cost.constraint_jacobian()[std::size_t(i * n + j)] * cost.constraint_force()[std::size_t(i)];
      }
      EXPECT_LT((inertia - forces).norm(), 1e-9 * (1 + forces.norm())) << model.name;
      for (int i = 0; i < cost.rows(); ++i) {
        EXPECT_NEAR(cost.constraint_force()[std::size_t(i)], bodies.data()->efc_force[i], 1e-9 * (1 + forces.norm()));
      }
    });
  }
}

// central differences of the value, over a step of 1e-5 of the acceleration: error of order 1e-10 plus that of kinks
TEST(cost, gradient_is_the_derivative_of_the_value) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const TestModel& model : ten_models()) {
    look_along(model, 5, [&](Bodies& bodies) {
      StepCost cost(bodies);
      const int n = bodies.dofs();
      Eigen::VectorXd p(n), a = as_eigen(cost.smooth_acceleration());
      for (int i = 0; i < n; ++i) p[i] = normal(random);
      const double h = 1e-5 * (1 + a.norm());
      a += 0.3 * a.norm() * p / p.norm();
      p /= p.norm();
      cost.evaluate(as_vector(a + h * p));
      const double above = cost.value();
      cost.evaluate(as_vector(a - h * p));
      const double below = cost.value();
      cost.evaluate(as_vector(a));
      const double slope = as_eigen(cost.gradient()).dot(p);
      EXPECT_NEAR((above - below) / (2 * h), slope, 1e-6 * (1 + as_eigen(cost.gradient()).norm())) << model.name;
    });
  }
}

TEST(cost, hessian_is_the_derivative_of_the_gradient) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (const TestModel& model : ten_models()) {
    int smooth = 0, looks = 0;
    look_along(model, 10, [&](Bodies& bodies) {
      StepCost cost(bodies);
      const int n = bodies.dofs();
      Eigen::VectorXd p(n), a(Eigen::Map<const Eigen::VectorXd>(bodies.data()->qacc, n));
      for (int i = 0; i < n; ++i) p[i] = normal(random);
      a += 1e-3 * a.norm() * p / p.norm();
      for (int i = 0; i < n; ++i) p[i] = normal(random);
      p /= p.norm();
      const double h = 1e-7 * (1 + a.norm());
      cost.evaluate(as_vector(a + h * p));
      const Eigen::VectorXd above = as_eigen(cost.gradient());
      cost.evaluate(as_vector(a - h * p));
      const Eigen::VectorXd below = as_eigen(cost.gradient());
      cost.evaluate(as_vector(a));
      const Dense H = as_square(cost.hessian(), n);
      EXPECT_LT((H - H.transpose()).norm(), 1e-12 * H.norm()) << model.name;
      ++looks;
      smooth += ((above - below) / (2 * h) - H * p).norm() < 1e-5 * (H * p).norm();
    });
    // a kink between the two points is rare
    EXPECT_GE(smooth, looks - 1) << model.name;
  }
}

// the elliptic cone of src/bodies/README.md, at the rows r of a contact with masses D
double cone_cost(const mjContact& contact, const double* r, const double* D) {
  const double mu = contact.mu, N = mu * r[0];
  double T = 0, quadratic = 0;
  for (int j = 1; j < contact.dim; ++j) T += std::pow(contact.friction[j - 1] * r[j], 2);
  T = std::sqrt(T);
  for (int j = 0; j < contact.dim; ++j) quadratic += D[j] * r[j] * r[j] / 2;
  if (N >= mu * T) return 0;
  if (mu * N + T <= 0) return quadratic;
  return D[0] / (mu * mu * (1 + mu * mu)) * std::pow(N - mu * T, 2) / 2;
}

// all of s by the table of src/bodies/README.md
double table_cost(const mjData* d, const Eigen::VectorXd& r) {
  double s = 0;
  for (int i = 0; i < d->nefc; ++i) {
    const double D = d->efc_D[i], x = r[i], eta = d->efc_frictionloss[i];
    const double square = D * x * x / 2;
    switch (d->efc_type[i]) {
      case mjCNSTR_EQUALITY: s += square; break;
      case mjCNSTR_FRICTION_DOF:
      case mjCNSTR_FRICTION_TENDON:
        s += std::abs(x) <= eta / D ? square : eta * std::abs(x) - eta * eta / (2 * D);
        break;
      case mjCNSTR_CONTACT_ELLIPTIC:
        s += cone_cost(d->contact[d->efc_id[i]], &r[i], d->efc_D + i);
        i += d->contact[d->efc_id[i]].dim - 1;
        break;
      default: s += x < 0 ? square : 0;
    }
  }
  return s;
}

TEST(cost, value_is_that_of_the_table_in_the_readme) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  for (const TestModel& model : ten_models()) {
    look_along(model, 10, [&](Bodies& bodies) {
      StepCost cost(bodies);
      const mjData* d = bodies.data();
      const int n = bodies.dofs();
      Eigen::VectorXd a(Eigen::Map<const Eigen::VectorXd>(d->qacc, n));
      const double size = (1 + a.norm()) / n;
      for (int i = 0; i < n; ++i) a[i] += size * normal(random);
      cost.evaluate(as_vector(a));
      const Eigen::VectorXd offset = a - as_eigen(cost.smooth_acceleration());
      const Eigen::Map<const Dense> J(cost.constraint_jacobian().data(), cost.rows(), n);
      const Eigen::VectorXd r = J * a - Eigen::Map<const Eigen::VectorXd>(d->efc_aref, cost.rows());
      const double expected = offset.dot(as_square(mass_matrix(bodies), n) * offset) / 2 + table_cost(d, r);
      EXPECT_NEAR(cost.value(), expected, 1e-12 * (1 + expected)) << model.name;
    });
  }
}

TEST(cost, leaves_the_bodies_alone) {
  Bodies bodies = make_bodies(box_pile(true));
  for (int i = 0; i < 50; ++i) bodies.step();
  bodies.forward();
  const mjData* d = bodies.data();
  const std::vector<double> forces(d->efc_force, d->efc_force + d->nefc);
  ASSERT_FALSE(forces.empty());
  StepCost cost(bodies);
  cost.evaluate(std::vector<double>(std::size_t(bodies.dofs()), 3.0));
  EXPECT_NE(cost.constraint_force(), forces);
  EXPECT_EQ(std::vector<double>(d->efc_force, d->efc_force + d->nefc), forces);
}

TEST(cost, of_free_bodies_has_no_rows) {
  Bodies bodies = make_bodies("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  StepCost cost(bodies);
  EXPECT_EQ(cost.rows(), 0);
  cost.evaluate(cost.smooth_acceleration());
  EXPECT_EQ(cost.value(), 0);
  EXPECT_THROW(cost.evaluate({1.0}), Error);
}

}  // namespace
}  // namespace pliant::test
