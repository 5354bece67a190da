// SPDX-License-Identifier: BSD-3-Clause
// Where the boxes B^x_j of a tree's nodes are kept: slots of 2 D floats, lower corner first. A node's box is the
// smallest that holds its rows. A node whose rows all lie on one point has no slot: the row is its box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hedgerow/mondrian/structure/box_kernels.hpp"
#include "hedgerow/tree/node.hpp"

namespace hedgerow::mondrian {

/// A box seen from outside: D lower and D upper bounds, lying in a slot or, both the same, in a row.
struct Box {
  const float* lower;
  const float* upper;
};

class Boxes {
 public:
  explicit Boxes(std::size_t width = 0) : width_(width) {}

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::uint32_t n_slots() const { return n_slots_; }
  [[nodiscard]] Box operator[](std::uint32_t slot) const {
    const float* lower = corners.data() + 2 * width_ * slot;
    return {lower, lower + width_};
  }
  [[nodiscard]] float* lower(std::uint32_t slot) { return corners.data() + 2 * width_ * slot; }
  [[nodiscard]] float* upper(std::uint32_t slot) { return lower(slot) + width_; }

  std::uint32_t new_slot() {
    if (freed.empty()) {
      corners.resize(corners.size() + 2 * width_);
      return n_slots_++;
    }
    const std::uint32_t slot = freed.back();
    freed.pop_back();
    return slot;
  }
  void release(std::uint32_t slot) {
    if (slot != tree::none) freed.push_back(slot);
  }
  void clear() {
    corners.clear();
    freed.clear();
    n_slots_ = 0;
  }

  std::vector<float> corners;
  std::vector<std::uint32_t> freed;  ///< slots that wait to be reused, last first

 private:
  std::size_t width_;
  std::uint32_t n_slots_ = 0;
};

}  // namespace hedgerow::mondrian
