// SPDX-License-Identifier: BSD-3-Clause
// The order in which forests with keyed cuts see rows.
#include <numeric>

#include "hedgerow/mondrian/structure/rows.hpp"
#include "rows.hpp"

namespace hedgerow::bindings {

void bind_row_sets(nb::module_& m) {
  m.def(
      "order_as_set",
      [](const Features& x, const Labels& y, const Labels& weights) {
        const data::Batch batch = batch_of(x.shape(1), x, y, weights);
        return to_numpy(without_gil([&] {
          mondrian::Rows rows(x.shape(1));
          rows.given.assign(batch.features, batch.features + batch.n * x.shape(1));
          rows.labels.assign(batch.labels, batch.labels + batch.n);
          if (batch.weights != nullptr) rows.weights.assign(batch.weights, batch.weights + batch.n);
          std::vector<std::uint32_t> order(batch.n);
          std::iota(order.begin(), order.end(), 0U);
          sort_as_set(rows, order, [](std::uint32_t a, std::uint32_t b) { return a < b; });
          return order;
        }));
      },
      array("x"), array("y"), array("weights"), "Numbers of rows, in an order that follows from what they are.");
}

}  // namespace hedgerow::bindings
