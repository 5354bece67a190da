// SPDX-License-Identifier: BSD-3-Clause
// Where the boxes B^x_j of a tree's nodes are kept: slots of 2 D floats, lower corner first. A node's box is the
// smallest that holds its rows. A node of few rows has no slot: its box is made from the rows when it is asked for. Nor
// has a leaf whose rows all lie on one point.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hedgerow/mondrian/structure/box_kernels.hpp"
#include "hedgerow/tree/column.hpp"
#include "hedgerow/tree/node.hpp"

namespace hedgerow::mondrian {

/// A box seen from outside: D lower and D upper bounds, lying in a slot or, both the same, in a row.
struct Box {
  const float* lower;
  const float* upper;
};

/// A few rows.
struct FewRows {
  static constexpr std::size_t most = 8;  // which eight of ten inner nodes have: decision 68
  std::array<std::uint32_t, most> rows;
  std::size_t n = 0;
};

/// Room for a box that is not kept.
class BoxRoom {
 public:
  /// The smallest box around rows, at least one, of a row-major table. It is here until the next is asked for.
  Box around(const FewRows& few, const float* table, std::size_t width) {
    if (corners_.size() < 2 * width) corners_.resize(2 * width);
    bound_rows(table, few.rows.data(), few.n, width, corners_.data(), corners_.data() + width);
    return {corners_.data(), corners_.data() + width};
  }

 private:
  std::vector<float> corners_;
};

/// For those of two siblings.
struct BoxRooms {
  BoxRoom left, right;
};

class Boxes {
 public:
  explicit Boxes(std::size_t width = 0) : width_(width) {}

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::uint32_t n_slots() const { return n_slots_; }
  [[nodiscard]] Box operator[](std::uint32_t slot) const {
    const float* lower = corners_.data() + 2 * width_ * slot;
    return {lower, lower + width_};
  }

  struct Corners {
    float *lower, *upper;
  };
  [[nodiscard]] Corners edit(std::uint32_t slot) {
    float* const lower = corners_.data() + 2 * width_ * slot;
    if (noting_.wants(slot)) {
      noted_.insert(noted_.end(), lower, lower + 2 * width_);
      notes_.push_back(slot);
      noting_.done(slot);
    }
    return {lower, lower + width_};
  }

  std::uint32_t new_slot() {
    if (!freed.empty()) return freed.pop_back();
    corners_.resize(corners_.size() + 2 * width_);
    return n_slots_++;
  }
  void release(std::uint32_t slot) {
    if (slot != tree::none) freed.push_back(slot);
  }
  void clear() {
    for (std::uint32_t slot = 0; slot < noting_.size(); ++slot) static_cast<void>(edit(slot));
    corners_.clear();
    freed.clear();
    n_slots_ = 0;
  }
  [[nodiscard]] std::size_t n_bytes() const {
    return corners_.capacity() * sizeof(float) + freed.values().capacity() * sizeof(std::uint32_t);
  }

  // Changes that can be taken back.

  void record(bool are_many) {
    keep();
    noting_.begin(n_slots_, are_many);
    freed.record(are_many);
  }
  void keep() noexcept {
    noting_.end();
    freed.keep();
    if (noted_.empty()) return;
    notes_.clear();
    noted_.clear();
    if (noted_.capacity() <= most_noted) return;
    std::vector<std::uint32_t>().swap(notes_);
    std::vector<float>().swap(noted_);
  }
  void undo() noexcept {
    n_slots_ = static_cast<std::uint32_t>(noting_.size());
    corners_.resize(2 * width_ * n_slots_);  // in memory that it had then
    for (std::size_t k = notes_.size(); k-- > 0;) {
      std::copy_n(noted_.data() + 2 * width_ * k, 2 * width_, corners_.data() + 2 * width_ * notes_[k]);
    }
    freed.undo();
    keep();
  }

  tree::Column<std::uint32_t> freed;  ///< slots that wait to be reused, last first

 private:
  static constexpr std::size_t most_noted = 1 << 14;  // whose memory is kept for the next change

  std::size_t width_;
  std::uint32_t n_slots_ = 0;
  std::vector<float> corners_;
  tree::Noting noting_;
  std::vector<std::uint32_t> notes_;  ///< slots that changed, in order,
  std::vector<float> noted_;          ///< and what they were
};

}  // namespace hedgerow::mondrian
