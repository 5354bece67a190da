// SPDX-License-Identifier: BSD-3-Clause
// What forests whose predictions are mixtures of Gaussians show to Python. One unit a recipe instantiates it.
#pragma once

#include "hedgerow/label/gaussian_hierarchy.hpp"
#include "hedgerow/mondrian/evidence.hpp"
#include "hedgerow/mondrian/forecast.hpp"
#include "hedgerow/mondrian/left_out.hpp"
#include "mondrian_forest.hpp"

namespace hedgerow::bindings {

inline auto to_arrays(Mixtures&& found) {
  return std::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.weights)),
                         to_numpy(std::move(found.means)), to_numpy(std::move(found.variances)));
}

inline auto to_arrays(MixtureMoments&& found) {
  return std::make_tuple(to_numpy(std::move(found.mean)), to_numpy(std::move(found.within)),
                         to_numpy(std::move(found.between)), to_numpy(std::move(found.added)));
}

template <class M>
auto to_arrays(const Forest<M>& forest, const LeftOut& found) {
  return std::make_tuple(to_numpy(in_order_of_rows(forest, found.mean)),
                         to_numpy(in_order_of_rows(forest, found.within)),
                         to_numpy(in_order_of_rows(forest, found.between)));
}

/// What is asked of forests whose predictions are mixtures of Gaussians.
template <class M>
nb::class_<Forest<M>> bind_regression(nb::module_& m, const char* name) {
  using Self = Forest<M>;
  return bind_forest<M, RealSpread>(m, name)
      .def_prop_ro("label_moments",
                   [](const Self& self) {
                     const auto& seen = self.labels_seen;
                     return std::make_tuple(seen.weight, seen.mean, seen.squares);
                   })
      .def(
          "watch_gaps",
          [](Self& self, const Vector<std::uint32_t>& columns, const Labels& begins, const Labels& lengths,
             const Labels& slopes) {
            std::vector<Gaps::Column> watched;
            for (std::size_t k = 0; k < columns.shape(0); ++k) {
              if (columns.data()[k] >= self.rows.width()) throw std::invalid_argument("there is no such column");
              watched.push_back({columns.data()[k], begins.data()[k], lengths.data()[k], slopes.data()[k]});
            }
            self.gaps = Gaps(std::move(watched), self.rows);
          },
          nb::arg("columns").noconvert(), nb::arg("begins").noconvert(), nb::arg("lengths").noconvert(),
          nb::arg("slopes").noconvert(),
          "Ranges of some columns, and the variance that distances from rows in them add.")
      .def(
          "moments",
          [](const Self& self, const Features& x, const QueryRule& rule, std::size_t n_threads) {
            require_width(self, x.shape(1));
            const label::Query query = rule.at(self.labels_seen);
            MixtureMoments found(0);
            {
              nb::gil_scoped_release release;
              found = predict_moments(self, {x.data(), x.shape(0)}, query, n_threads);
            }
            return to_arrays(std::move(found));
          },
          nb::arg("x").noconvert(), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "mean_one",
          [](const Self& self, const Labels& x, const QueryRule& rule) {
            require_row(self, x);
            return predict_moments(self, {x.data(), 1}, rule.at(self.labels_seen), 1).mean[0];
          },
          nb::arg("x").noconvert(), nb::arg("rule"))
      .def(
          "mixtures",
          [](const Self& self, const Features& x, const QueryRule& rule, std::size_t n_threads) {
            require_width(self, x.shape(1));
            Mixtures found;
            {
              nb::gil_scoped_release release;
              found = predict_mixtures(self, {x.data(), x.shape(0)}, rule.at(self.labels_seen), n_threads);
            }
            return to_arrays(std::move(found));
          },
          nb::arg("x").noconvert(), nb::arg("rule"), nb::arg("n_threads"))
      .def(
          "predict_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, const QueryRule& rule,
             std::size_t n_threads) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            Mixtures found;
            {
              nb::gil_scoped_release release;
              found = predict_then_learn(self, batch, rule, n_threads);
            }
            return to_arrays(std::move(found));
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("rule"),
          nb::arg("n_threads"))
      .def(
          "moments_then_learn",
          [](Self& self, const Features& x, const Labels& y, const Labels& weights, const QueryRule& rule,
             std::size_t n_threads) {
            require_width(self, x.shape(1));
            const Batch batch = batch_of(x, y, weights);
            MixtureMoments found(0);
            {
              nb::gil_scoped_release release;
              found = predict_moments_then_learn(self, batch, rule, n_threads);
            }
            return to_arrays(std::move(found));
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::arg("rule"),
          nb::arg("n_threads"))
      .def(
          "query",
          [](const Self& self, const QueryRule& rule) {
            const label::Query query = rule.at(self.labels_seen);
            return std::make_tuple(query.centre, query.variance, query.noise);
          },
          nb::arg("rule"));
}

/// What only a hierarchy can be asked: it is a full model of the labels.
template <class Clock>
void bind_hierarchy(nb::module_& m, const char* name, const char* problem_name) {
  using Model = label::GaussianHierarchyBy<Clock>;
  using Self = Forest<Model>;
  using Problem = SmoothingProblem<Model>;
  nb::class_<Problem>(m, problem_name)
      .def("mean_square", &Problem::mean_square, nb::arg("drift_rate"), nb::arg("signal_to_noise"), nb::arg("centre"),
           nb::call_guard<nb::gil_scoped_release>());
  bind_regression<Model>(m, name)
      .def_prop_ro("model",
                   [](const Self& self) { return std::make_tuple(self.model.drift_rate, self.model.signal_to_noise); })
      .def(
          "set_model",
          [](Self& self, double drift_rate, double signal_to_noise, std::size_t n_threads) {
            self.set_model(Model::make(drift_rate, signal_to_noise, self.growth.lifetime), n_threads);
          },
          nb::arg("drift_rate"), nb::arg("signal_to_noise"), nb::arg("n_threads"),
          nb::call_guard<nb::gil_scoped_release>())
      .def(
          "log_evidence",
          [](const Self& self, const QueryRule& rule) {
            std::vector<double> found;
            for (const auto& tree : self.trees) {
              found.push_back(log_evidence(tree, self.rows, self.growth, self.model, rule.at(self.labels_seen)));
            }
            return to_numpy(std::move(found));
          },
          nb::arg("rule"))
      .def(
          "smoothing_problem",
          [](const Self& self, std::size_t n_trees, const Vector<std::uint32_t>& groups) {
            return new Problem(self, n_trees, by_row_number(self, groups));
          },
          nb::arg("n_trees"), nb::arg("groups").noconvert(), nb::keep_alive<0, 1>())
      .def(
          "leave_one_out_by_tree",
          [](const Self& self, const QueryRule& rule, const Vector<std::uint32_t>& places,
             const Vector<std::uint32_t>& groups, std::size_t n_threads) {
            const std::vector<RowId> in_order = self.rows_in_order();
            const auto by_number = by_row_number(self, groups);
            std::vector<RowId> wanted;
            for (std::size_t i = 0; i < places.shape(0); ++i) wanted.push_back(in_order.at(places.data()[i]));
            LeftOutByTree found;
            {
              nb::gil_scoped_release release;
              found = leave_one_out_by_tree(self, rule.at(self.labels_seen).centre, by_number, wanted, n_threads);
            }
            return std::make_tuple(to_numpy(std::move(found.means), {wanted.size(), self.trees.size()}),
                                   to_numpy(std::move(found.variances), {wanted.size(), self.trees.size()}));
          },
          nb::arg("rule"), nb::arg("places").noconvert(), nb::arg("groups").noconvert(), nb::arg("n_threads"))
      .def(
          "leave_one_out",
          [](const Self& self, const QueryRule& rule, std::size_t n_trees, const Vector<std::uint32_t>& groups,
             std::size_t n_threads) {
            const auto by_number = by_row_number(self, groups);
            LeftOut found;
            {
              nb::gil_scoped_release release;
              found = leave_one_out(self, rule.at(self.labels_seen).centre, by_number,
                                    std::min(n_trees, self.trees.size()), n_threads);
            }
            return to_arrays(self, found);
          },
          nb::arg("rule"), nb::arg("n_trees"), nb::arg("groups").noconvert(), nb::arg("n_threads"))
      .def(
          "leave_blocks_out",
          [](const Self& self, const QueryRule& rule, std::size_t n_trees, const Vector<std::uint32_t>& blocks,
             std::uint32_t n_blocks, std::size_t n_threads) {
            if (blocks.shape(0) != self.rows.size()) throw std::invalid_argument("every row needs a block, or none");
            const auto by_number = by_row_number(self, blocks);
            LeftOut found;
            {
              nb::gil_scoped_release release;
              found = leave_blocks_out(self, rule.at(self.labels_seen).centre, by_number, n_blocks,
                                       std::min(n_trees, self.trees.size()), n_threads);
            }
            return to_arrays(self, found);
          },
          nb::arg("rule"), nb::arg("n_trees"), nb::arg("blocks").noconvert(), nb::arg("n_blocks"),
          nb::arg("n_threads"));
}

}  // namespace hedgerow::bindings
