// SPDX-License-Identifier: BSD-3-Clause
// Distances along a path are those from the boxes of its nodes, kept or not, after any history.
#include "hedgerow/mondrian/structure/path_distances.hpp"

#include "check.hpp"
#include "mondrian/sample_forest.hpp"

namespace hedgerow::mondrian {
namespace {

using namespace tests;

template <class M>
std::size_t n_boxes_among_few(const MondrianTree<M>& tree, NodeId id) {
  if (tree.node(id).is_leaf()) return 0;
  std::size_t n = 0;
  for (const bool side : {false, true}) {
    const NodeId child = tree.node(id).child(side);
    n += static_cast<std::size_t>(tree.node(id).box == none && !tree.node(child).is_leaf() &&
                                  tree.node(child).box != none) +
         n_boxes_among_few(tree, child);
  }
  return n;
}

template <class M>
void compare_with_boxes(const Forest<M>& forest, const Sample& points) {
  PathDistances distances;
  BoxRoom room;
  std::vector<float> x(points.width);
  for (const auto& tree : forest.trees) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      forest.scaling.scale_row(points.features.data() + i * points.width, x.data());
      distances.start();
      for (NodeId id = tree.root;; id = tree.node(id).child(tree.node(id).sends_right(x.data()))) {
        const Box box = tree.box(id, forest.rows, room);
        const double expected = outside_distance(box.lower, box.upper, x.data(), points.width);
        CHECK(distances.next(tree, id, forest.rows, x.data()) == expected);
        if (tree.node(id).is_leaf()) break;
      }
    }
  }
}

TEST(distances_along_paths_are_those_from_boxes) {
  for (const Kind kind : all_kinds) {
    for (const std::size_t width : {std::size_t{2}, std::size_t{11}}) {
      const Sample sample = draw_sample(400, width, kind), points = draw_sample(50, width, Kind::plain, 2);
      std::size_t n_mixed = 0;
      for (const std::size_t window : {9, 40, 400}) {
        auto forest = empty_forest<RunningMoments>(width, 2, {2.0, infinity}, window);
        for (std::size_t begin = 0; begin < sample.size(); begin += 50) {
          forest.learn(sample.batch(begin, 50), 1);
          compare_with_boxes(forest, points);
          for (const auto& tree : forest.trees) n_mixed += n_boxes_among_few(tree, tree.root);
        }
      }
      if (kind == Kind::plain)
        CHECK(n_mixed > 0);  // a node that has lost rows keeps its box, one above it may have none
    }
  }
}

}  // namespace
}  // namespace hedgerow::mondrian
