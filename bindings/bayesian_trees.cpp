// SPDX-License-Identifier: BSD-3-Clause
#include "bayesian_trees.hpp"

#include "hedgerow/label/dirichlet_multinomial.hpp"
#include "hedgerow/label/normal_inverse_gamma.hpp"

namespace hedgerow::bindings {
namespace {

using bayesian_tree::Expansion, bayesian_tree::Growth, bayesian_tree::Proposal, posterior_tree::TreePrior;
using label::DirichletMultinomial, label::NormalInverseGamma;

void bind_settings(nb::module_& m) {
  nb::enum_<Proposal>(m, "Proposal")
      .value("prior", Proposal::prior)
      .value("empirical", Proposal::empirical)
      .value("optimal", Proposal::optimal);
  nb::enum_<Expansion>(m, "Expansion").value("node", Expansion::node).value("layer", Expansion::layer);
  nb::enum_<particle::Resampling>(m, "Resampling")
      .value("multinomial", particle::Resampling::multinomial)
      .value("systematic", particle::Resampling::systematic);
  nb::class_<TreePrior>(m, "TreePrior").def(nb::init<double, double>(), nb::arg("base"), nb::arg("decay"));
  nb::class_<Growth>(m, "TreeGrowth")
      .def(nb::init<Proposal, Expansion, std::size_t>(), nb::arg("proposal"), nb::arg("expansion"),
           nb::arg("max_features"));
  nb::class_<particle::Schedule>(m, "Schedule")
      .def(nb::init<particle::Resampling, double>(), nb::arg("scheme"), nb::arg("least_share"));
}

void bind_class_trees(nb::module_& m) {
  using Self = Trees<DirichletMultinomial>;
  nb::class_<DirichletMultinomial>(m, "ClassLeaves")
      .def(nb::init<std::size_t, double, std::size_t>(), nb::arg("n_classes"), nb::arg("concentration"),
           nb::arg("most_rows"));
  bind_sampler<DirichletMultinomial>(m, "ClassTreeSampler");
  bind_trees<DirichletMultinomial>(m, "ClassTrees")
      .def(
          "probabilities",
          [](const Self& self, const Matrix<double>& x, std::size_t n_threads) {
            const auto points = self.points(x);
            std::vector<double> found(points.n * self.model.n_classes());
            {
              nb::gil_scoped_release release;
              bayesian_tree::ask_classes(self.sample, self.model, points, n_threads, found.data());
            }
            return to_numpy(std::move(found), {points.n, self.model.n_classes()});
          },
          array("x"), nb::arg("n_threads"));
}

void bind_real_trees(nb::module_& m) {
  using Self = Trees<NormalInverseGamma>;
  nb::class_<NormalInverseGamma>(m, "RealLeaves")
      .def(
          "__init__",
          [](NormalInverseGamma* self, double mean, double mean_weight, double df, double scale,
             std::size_t most_rows) { new (self) NormalInverseGamma({mean, mean_weight, df, scale}, most_rows); },
          nb::kw_only(), nb::arg("mean"), nb::arg("mean_weight"), nb::arg("df"), nb::arg("scale"),
          nb::arg("most_rows"));
  bind_sampler<NormalInverseGamma>(m, "RealTreeSampler");
  bind_trees<NormalInverseGamma>(m, "RealTrees")
      .def(
          "mixtures",
          [](const Self& self, const Matrix<double>& x, std::size_t n_threads) {
            auto found =
                without_gil([&] { return bayesian_tree::ask_mixtures(self.sample, self.points(x), n_threads); });
            return to_arrays(std::move(found.first), std::move(found.leaves), std::move(found.weights));
          },
          array("x"), nb::arg("n_threads"), "Where each row begins, leaves, and their weights.")
      .def(
          "students",
          [](const Self& self) {
            return to_numpy(bayesian_tree::leaf_students(self.sample, self.model), {self.sample.n_leaves(), 3});
          },
          "Degrees of freedom, location and scale of what each leaf predicts.");
}

}  // namespace

void bind_bayesian_trees(nb::module_& m) {
  bind_settings(m);
  bind_class_trees(m);
  bind_real_trees(m);
}

}  // namespace hedgerow::bindings
