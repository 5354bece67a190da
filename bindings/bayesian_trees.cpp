// SPDX-License-Identifier: BSD-3-Clause
#include "bayesian_trees.hpp"

#include <nanobind/stl/tuple.h>

#include "hedgerow/label/dirichlet_multinomial.hpp"
#include "hedgerow/label/normal_inverse_gamma.hpp"

namespace hedgerow::bindings {
namespace {

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
            const Points points = self.points(x);
            std::vector<double> found(points.n * self.model.n_classes());
            {
              nb::gil_scoped_release release;
              ask_classes(self.sample, self.model, points, n_threads, found.data());
            }
            return to_numpy(std::move(found), {points.n, self.model.n_classes()});
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"));
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
            const Points points = self.points(x);
            std::vector<std::int64_t> first{0};
            std::vector<std::uint32_t> leaves;
            std::vector<double> weights;
            {
              nb::gil_scoped_release release;
              for (const WeightedLeaves& found : ask_leaves(self.sample, points, n_threads)) {
                for (const auto& [leaf, weight] : found) {
                  leaves.push_back(leaf);
                  weights.push_back(weight);
                }
                first.push_back(static_cast<std::int64_t>(leaves.size()));
              }
            }
            return std::make_tuple(to_numpy(std::move(first)), to_numpy(std::move(leaves)),
                                   to_numpy(std::move(weights)));
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"), "Where each row begins, leaves, and their weights.")
      .def(
          "students",
          [](const Self& self) {
            std::vector<double> found;
            label::LabelMoments summary;
            for (std::size_t l = 0; l < self.sample.n_leaves(); ++l) {
              NormalInverseGamma::read(self.sample.leaf(l), summary);
              const label::Student student = self.model.predictive(summary);
              found.insert(found.end(), {student.df, student.location, student.scale});
            }
            return to_numpy(std::move(found), {self.sample.n_leaves(), 3});
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
