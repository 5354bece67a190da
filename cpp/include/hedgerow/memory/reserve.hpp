// SPDX-License-Identifier: BSD-3-Clause
// Memory set aside for a change that must come to its end. What may be needed is allocated before anything changes: if
// there is none, nothing has. Vectors of this room then allocate as all others do, and take from the reserve what the
// system does not give. A reserve is filled from front to back and never given to anyone else, so that a change
// succeeds if all that it allocates adds up to no more; other threads cannot take it away, nor can it be in pieces too
// small.
#pragma once

#include <cstddef>
#include <vector>

namespace hedgerow::memory {

/// From the system or, in a thread with a reserve, from there.
void* allocate(std::size_t n_bytes);
void deallocate(void* memory) noexcept;

template <class T>
struct Allocator {
  using value_type = T;
  static_assert(alignof(T) <= alignof(std::max_align_t));

  Allocator() = default;
  template <class U>
  Allocator(const Allocator<U>&) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(memory::allocate(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t) noexcept { memory::deallocate(memory); }
  bool operator==(const Allocator&) const = default;
};

template <class T>
using Vector = std::vector<T, Allocator<T>>;

struct Block;

/// While it lives, the thread that made it may take from it, and so may those to which it is lent. One that is made
/// while another lives in the same thread is a part of that one, which must be large enough for both.
class Reserve {
 public:
  /// std::bad_alloc if there is not so much memory. Its pages are not touched.
  explicit Reserve(std::size_t n_bytes);
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;
  ~Reserve();

  /// For a thread that helps.
  class Lent {
   public:
    explicit Lent(const Reserve& reserve);
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent();

   private:
    Block* before_;
  };

 private:
  Block* block_;
  bool is_own_;
};

/// What one allocation takes of a reserve.
constexpr std::size_t rounded(std::size_t n_bytes) {
  constexpr std::size_t unit = alignof(std::max_align_t);
  return (n_bytes + unit - 1) / unit * unit + (n_bytes == 0 ? unit : 0);
}

/// A bound for all that a vector allocates until it holds n elements, whatever it holds now. Each time it is full it
/// grows to at least 1.5 times its size, and never to more than twice what it must hold: the last allocation is at most
/// 2n, those before it at most 2n (2/3 + 4/9 + ...) = 4n. Each is rounded, and there are at most 64 of them.
constexpr std::size_t to_hold(std::size_t n, std::size_t n_bytes) {
  return 6 * n * n_bytes + 64 * alignof(std::max_align_t);
}

/// The same for n_more elements, which may fit into the memory that the vector has.
template <class T>
std::size_t to_add(const Vector<T>& vector, std::size_t n_more) {
  return vector.size() + n_more <= vector.capacity() ? 0 : to_hold(vector.size() + n_more, sizeof(T));
}

/// Room for n_more elements, so that to add them needs no memory.
template <class V>
void make_room(V& vector, std::size_t n_more) {
  const std::size_t n = vector.size() + n_more;
  if (n > vector.capacity()) vector.reserve(n > 2 * vector.capacity() ? n : 2 * vector.capacity());
}

}  // namespace hedgerow::memory
