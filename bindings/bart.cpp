// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "hedgerow/bart/archive.hpp"

namespace hedgerow::bindings {
namespace {

using namespace bart;

Points points_of(const Matrix<double>& x) { return {x.data(), x.shape(0), x.shape(1)}; }

std::vector<double> copy_of(const Vector<double>& array) { return {array.data(), array.data() + array.shape(0)}; }

template <class A>
void take_arrays(A& archive, const nb::dict& arrays, const std::string& prefix) {
  archive.for_each_array([&](const char* key, auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    const std::string name = prefix + key;
    Vector<T> array;
    if (!arrays.contains(name.c_str()) || !nb::try_cast(arrays[name.c_str()], array, false)) {
      throw std::invalid_argument("not valid draws of sums of trees: the array " + name + " is missing or mistyped");
    }
    values.assign(array.data(), array.data() + array.shape(0));
  });
}

template <class A>
void give_arrays(A&& archive, nb::dict& arrays, const std::string& prefix) {
  archive.for_each_array(
      [&](const char* key, auto& values) { arrays[(prefix + key).c_str()] = to_numpy(std::move(values)); });
}

std::string chain_prefix(std::size_t chain) { return "chain" + std::to_string(chain) + "."; }
std::string noise_prefix(std::size_t chain) { return chain_prefix(chain) + "noise."; }

/// What the trees of each draw of all chains add up to: draws, chain after chain, by sums by rows.
template <class TreesOf>
auto predict_all(const Sampler& sampler, std::size_t n_sums, std::size_t n_trees, const Matrix<double>& x,
                 std::size_t n_threads, TreesOf&& trees_of) {
  const BinnedRows& data = sampler.problem().data;
  if (x.shape(1) != data.n_features) throw std::invalid_argument("wrong number of columns");
  const std::size_t n_draws = sampler.draws()[0].size(), n = x.shape(0);
  std::vector<double> found(sampler.draws().size() * n_draws * n_sums * n);
  {
    nb::gil_scoped_release release;
    for (std::size_t c = 0; c < sampler.draws().size(); ++c) {
      bart::predict(trees_of(sampler.draws()[c]), data, n_sums, n_trees, points_of(x), n_threads,
                    found.data() + c * n_draws * n_sums * n);
    }
  }
  return to_numpy(std::move(found), {sampler.draws().size() * n_draws, n_sums, n});
}

/// How often the trees of each draw split each column: draws, chain after chain, by columns.
template <class TreesOf>
auto count_splits(const Sampler& sampler, std::size_t trees_a_draw, TreesOf&& trees_of) {
  const std::size_t width = sampler.problem().data.n_features, n_draws = sampler.draws()[0].size();
  std::vector<std::uint32_t> found(sampler.draws().size() * n_draws * width, 0);
  for (std::size_t c = 0; c < sampler.draws().size(); ++c) {
    const TreesOfDraws& draws = trees_of(sampler.draws()[c]);
    for (std::size_t i = 0; i < n_draws; ++i) {
      const auto last = draws.n_rules_before(i + 1, trees_a_draw);
      for (auto rule = draws.n_rules_before(i, trees_a_draw); rule < last; ++rule) {
        ++found[(c * n_draws + i) * width + (draws.code.rules[rule] >> 8)];
      }
    }
  }
  return to_numpy(std::move(found), {sampler.draws().size() * n_draws, width});
}

const TreesOfDraws& of_means(const Draws& draws) { return draws; }
const TreesOfDraws& of_noise(const Draws& draws) { return draws.noise; }

std::size_t n_noise_trees(const Sampler& sampler) { return sampler.response().varying.n_trees; }

/// Asked for only where it varies.
std::size_t require_noise_trees(const Sampler& sampler) {
  if (n_noise_trees(sampler) == 0) throw std::invalid_argument("the noise is constant");
  return n_noise_trees(sampler);
}

/// All that is not learned, and travels with a model's parameters.
struct SumSettings {
  posterior_tree::TreePrior prior;
  double leaf_deviation;
  std::size_t n_trees;
  std::vector<std::pair<Move, std::uint32_t>> moves;
  std::uint32_t n_rounds;
  std::size_t n_particles;
  double noise_df, noise_scale;
  VaryingNoise varying;
};

std::unique_ptr<Sampler> new_sampler(BinnedRows data, std::vector<double> labels, std::vector<double> weights,
                                     ResponseKind kind, std::vector<double> offsets, const SumSettings& settings,
                                     std::size_t n_chains, std::uint64_t seed, Start start) {
  const std::size_t n = data.n_rows;
  if (labels.size() != n || (!weights.empty() && weights.size() != n)) {
    throw std::invalid_argument("features, labels and weights differ in length");
  }
  const double spread = settings.leaf_deviation * std::sqrt(static_cast<double>(settings.n_trees));
  const bool varies = settings.varying.n_trees > 0;
  const Units units = posterior_tree::units_for(weights, varies, n, 256.0 * std::max(1.0, spread));
  Problem problem{std::move(data),
                  std::move(weights),
                  settings.prior,
                  settings.leaf_deviation * settings.leaf_deviation,
                  units,
                  settings.n_trees,
                  Plan{settings.moves, settings.n_rounds},
                  settings.n_particles,
                  varies};
  Response response{
      kind, std::move(labels), std::move(offsets), settings.noise_df, settings.noise_scale, settings.varying};
  return std::make_unique<Sampler>(std::move(problem), std::move(response), n_chains, seed, start);
}

void bind_settings(nb::module_& m) {
  nb::enum_<Move>(m, "TreeMove")
      .value("grow_prune", Move::grow_prune)
      .value("even_grow_prune", Move::even_grow_prune)
      .value("cgm", Move::cgm)
      .value("perturb", Move::perturb)
      .value("change", Move::change)
      .value("swap", Move::swap)
      .value("heat_bath", Move::heat_bath)
      .value("exchange", Move::exchange)
      .value("graft", Move::graft)
      .value("graft_alike", Move::graft_alike)
      .value("subtree_particles", Move::subtree_particles)
      .value("particles", Move::particles);
  nb::enum_<ResponseKind>(m, "ResponseKind")
      .value("normal", ResponseKind::normal)
      .value("probit", ResponseKind::probit)
      .value("classes", ResponseKind::classes);
  nb::enum_<Start>(m, "ChainStart").value("leaves", Start::leaves).value("prior", Start::prior);
  nb::class_<VaryingNoise>(m, "VaryingNoise")
      .def(
          "__init__",
          [](VaryingNoise* self, std::size_t n_trees, double leaf_shape, double leaf_scale, double floor) {
            new (self) VaryingNoise{n_trees, {leaf_shape, leaf_scale}, floor * floor};
          },
          nb::kw_only(), nb::arg("n_trees"), nb::arg("leaf_shape"), nb::arg("leaf_scale"), nb::arg("floor"));
  nb::class_<SumSettings>(m, "SumSettings")
      .def(
          "__init__",
          [](SumSettings* self, posterior_tree::TreePrior prior, double leaf_deviation, std::size_t n_trees,
             std::vector<std::pair<Move, std::uint32_t>> moves, std::uint32_t n_rounds, std::size_t n_particles,
             double noise_df, double noise_scale, const VaryingNoise* varying) {
            new (self) SumSettings{prior,
                                   leaf_deviation,
                                   n_trees,
                                   std::move(moves),
                                   n_rounds,
                                   n_particles,
                                   noise_df,
                                   noise_scale,
                                   varying != nullptr ? *varying : VaryingNoise{}};
          },
          nb::kw_only(), nb::arg("prior"), nb::arg("leaf_deviation"), nb::arg("n_trees"), nb::arg("moves"),
          nb::arg("n_rounds"), nb::arg("n_particles"), nb::arg("noise_df"), nb::arg("noise_scale"),
          nb::arg("varying").none() = nb::none());
}

}  // namespace

void bind_bart(nb::module_& m) {
  bind_settings(m);
  nb::class_<Sampler>(m, "SumOfTreesSampler")
      .def_static(
          "begin",
          [](const Matrix<double>& x, const Vector<double>& y, const Vector<double>& weights, ResponseKind kind,
             std::vector<double> offsets, const SumSettings& settings, std::size_t n_chains, std::uint64_t seed,
             Start start, std::size_t n_threads) {
            nb::gil_scoped_release release;
            return new_sampler(BinnedRows(points_of(x), n_threads), copy_of(y), copy_of(weights), kind,
                               std::move(offsets), settings, n_chains, seed, start);
          },
          nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::kw_only(),
          nb::arg("kind"), nb::arg("offsets"), nb::arg("settings"), nb::arg("n_chains"), nb::arg("seed"),
          nb::arg("start"), nb::arg("n_threads"))
      .def_static(
          "restore",
          [](const nb::dict& arrays, const Vector<double>& y, const Vector<double>& weights, ResponseKind kind,
             std::vector<double> offsets, const SumSettings& settings, std::size_t n_chains, std::uint64_t seed) {
            RowsArchive rows;
            take_arrays(rows, arrays, "");
            auto sampler = new_sampler(restored(rows), copy_of(y), copy_of(weights), kind, std::move(offsets), settings,
                                       n_chains, seed, Start::leaves);
            for (std::size_t c = 0; c < n_chains; ++c) {
              ChainArchive archive;
              take_arrays(archive, arrays, chain_prefix(c));
              Draws& draws = sampler->draws()[c] =
                  restored_draws(archive, sampler->problem(), sampler->response().n_sums());
              TreesArchive noise;
              if (const std::size_t n_trees = n_noise_trees(*sampler); n_trees > 0) {
                take_arrays(noise, arrays, noise_prefix(c));
                draws.noise = restored_noise(noise, sampler->problem(), draws.size(), n_trees);
              }
              bart::restore(archive, noise, sampler->problem(), sampler->response(), *sampler->chains()[c]);
              require(sampler->draws()[c].size() == sampler->draws()[0].size() &&
                          sampler->chains()[c]->n_rounds() == sampler->chains()[0]->n_rounds(),
                      "chains differ in length");
            }
            return sampler;
          },
          nb::arg("arrays"), nb::arg("y").noconvert(), nb::arg("weights").noconvert(), nb::kw_only(), nb::arg("kind"),
          nb::arg("offsets"), nb::arg("settings"), nb::arg("n_chains"), nb::arg("seed"))
      .def("run", &Sampler::run, nb::arg("n_sweeps"), nb::arg("keep_every"), nb::arg("n_threads"),
           nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("width", [](const Sampler& self) { return self.problem().data.n_features; })
      .def_prop_ro(
          "n_draws", [](const Sampler& self) { return self.draws()[0].size(); }, "Of each chain.")
      .def_prop_ro(
          "n_sweeps",
          [](const Sampler& self) { return (self.chains()[0]->n_rounds() - 1) / self.problem().plan.n_rounds; },
          "Of each chain, so far.")
      .def_prop_ro("n_bytes",
                   [](const Sampler& self) {
                     std::size_t total = 0;
                     for (const Draws& draws : self.draws()) total += draws.n_bytes();
                     return total;
                   })
      .def(
          "notes",
          [](const Sampler& self) {
            std::vector<double> found;
            for (const Draws& draws : self.draws()) {
              for (const Notes& notes : draws.notes) {
                found.insert(found.end(), {notes.noise, notes.log_likelihood, notes.n_leaves, notes.n_roots_changed});
              }
            }
            return to_numpy(std::move(found), {self.draws().size(), self.draws()[0].size(), 4});
          },
          "Noise, log-likelihood, mean number of leaves and share of changed roots: chains by draws by four.")
      .def(
          "predict",
          [](const Sampler& self, const Matrix<double>& x, std::size_t n_threads) {
            return predict_all(self, self.response().n_sums(), self.problem().n_trees, x, n_threads, of_means);
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"),
          "Draws, chain after chain, by sums by rows; offsets left out.")
      .def(
          "predict_noise",
          [](const Sampler& self, const Matrix<double>& x, std::size_t n_threads) {
            return predict_all(self, 1, require_noise_trees(self), x, n_threads, of_noise);
          },
          nb::arg("x").noconvert(), nb::arg("n_threads"),
          "Logarithms of the noise's variance, where it varies: draws, chain after chain, by one by rows.")
      .def(
          "split_counts",
          [](const Sampler& self) {
            return count_splits(self, self.response().n_sums() * self.problem().n_trees, of_means);
          },
          "How often the trees of each draw split each column.")
      .def(
          "noise_split_counts",
          [](const Sampler& self) { return count_splits(self, require_noise_trees(self), of_noise); },
          "The same of the trees of the noise, where it varies.")
      .def(
          "cuts", [](const Sampler& self) { return self.problem().data.cuts; }, "Of each column.")
      .def("archive", [](const Sampler& self) {
        nb::dict arrays;
        give_arrays(archived(self.problem().data), arrays, "");
        for (std::size_t c = 0; c < self.draws().size(); ++c) {
          const bool with_utilities = self.response().kind != ResponseKind::normal;
          give_arrays(archived(self.draws()[c], *self.chains()[c], with_utilities), arrays, chain_prefix(c));
          if (n_noise_trees(self) > 0) {
            give_arrays(archived_noise(self.draws()[c], *self.chains()[c]), arrays, noise_prefix(c));
          }
        }
        return arrays;
      });
}

}  // namespace hedgerow::bindings
