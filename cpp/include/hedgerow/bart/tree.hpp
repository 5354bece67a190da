// SPDX-License-Identifier: BSD-3-Clause
// The trees of a sum: posterior trees on binned rows, whose leaves know the sum of their labels and have a value.
#pragma once

#include "hedgerow/posterior_tree/leaves/sums.hpp"

namespace hedgerow::bart {

using posterior_tree::Bin, posterior_tree::BinnedRows, posterior_tree::Points, posterior_tree::RowId;
using posterior_tree::Evidence, posterior_tree::Fixed, posterior_tree::LeafSum, posterior_tree::Units;
using posterior_tree::NodeId;

using Target = posterior_tree::SumTarget;
using Tree = Target::Tree;
using Node = Target::Node;
using Rule = Target::Rule;

}  // namespace hedgerow::bart
