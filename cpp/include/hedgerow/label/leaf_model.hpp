// SPDX-License-Identifier: BSD-3-Clause
// What a Bayesian tree asks of the labels in a leaf: to be summed up, and how likely they are with the leaf's own
// parameters integrated out. Leaves are independent given the tree, so nothing else is needed to weigh a tree.
#pragma once

#include <concepts>
#include <span>
#include <vector>

namespace hedgerow::label {

template <class M>
concept LeafModel =
    std::copyable<M> && std::copyable<typename M::Summary> &&
    requires(const M model, typename M::Summary& summary, const typename M::Summary& summed, typename M::Scan scan,
             double number, std::vector<double>& written, std::span<const double> numbers) {
      { model.empty() } -> std::same_as<typename M::Summary>;
      model.add(summary, number, number);  // a label, with its weight
      { model.log_marginal(summed) } -> std::same_as<double>;
      // the same for labels that come one by one, with a look after each
      { model.scan() } -> std::same_as<typename M::Scan>;
      scan.add(number, number);
      { scan.log_marginal() } -> std::same_as<double>;
      // to numbers and back: from a file that nobody vouches for
      model.write(summed, written);
      { model.read(numbers, summary) } -> std::same_as<bool>;
    };

}  // namespace hedgerow::label
