// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/bart/class_probability.hpp"

#include "arrays.hpp"
#include "hedgerow/parallel/for_each_index.hpp"

namespace hedgerow::bindings {

void bind_class_probability(nb::module_& m) {
  m.def(
      "class_probabilities",
      [](const Matrix<double>& means, std::size_t n_threads) {
        constexpr std::size_t rows_at_a_time = 1024;
        const std::size_t n = means.shape(0), n_sums = means.shape(1), n_classes = std::max<std::size_t>(n_sums, 2);
        if (n_sums == 0) throw std::invalid_argument("there is no sum");
        std::vector<double> found(n * n_classes);
        {
          nb::gil_scoped_release release;
          parallel::for_each_index((n + rows_at_a_time - 1) / rows_at_a_time, n_threads,
                                   [&](std::size_t piece, std::size_t) {
                                     const std::size_t first = piece * rows_at_a_time;
                                     std::vector<double> below;
                                     for (std::size_t i = first; i < std::min(n, first + rows_at_a_time); ++i) {
                                       bart::class_probabilities({means.data() + i * n_sums, n_sums},
                                                                 {found.data() + i * n_classes, n_classes}, below);
                                     }
                                   });
        }
        return to_numpy(std::move(found), {n, n_classes});
      },
      nb::arg("means").noconvert(), nb::arg("n_threads"),
      "Of each row of means of utilities; two columns for one mean.");
}

}  // namespace hedgerow::bindings
