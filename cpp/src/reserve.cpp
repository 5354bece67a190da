// SPDX-License-Identifier: BSD-3-Clause
#include "hedgerow/memory/reserve.hpp"

#include <atomic>
#include <mutex>
#include <new>

namespace hedgerow::memory {

/// The head of a reserve; what is taken lies behind it. A block from which something was taken is listed, and stays
/// until all of that is given back.
struct alignas(std::max_align_t) Block {
  explicit Block(std::size_t n_bytes) : size(n_bytes) {}

  std::size_t size;  ///< of what lies behind
  std::atomic<std::size_t> n_taken = 0;
  std::size_t n_held = 0;  ///< allocations not given back; under the lock, like all that follows
  bool is_listed = false;
  bool is_closed = false;  ///< the reserve is gone
  Block* next = nullptr;

  [[nodiscard]] std::byte* begin() { return reinterpret_cast<std::byte*>(this + 1); }
  [[nodiscard]] bool holds(const std::byte* memory) { return memory >= begin() && memory < begin() + size; }
};

namespace {

constexpr std::size_t largest_spare = std::size_t{1} << 26;

std::mutex lock;
Block* listed = nullptr;
std::atomic<std::size_t> n_listed = 0;
std::atomic<Block*> spare = nullptr;  ///< the last one, kept for the next: its pages were never touched
thread_local Block* current = nullptr;

Block* new_block(std::size_t n_bytes) {
  if (Block* const kept = spare.exchange(nullptr, std::memory_order_acquire)) {
    if (kept->size >= n_bytes) return kept;
    ::operator delete(kept);
  }
  if (n_bytes > static_cast<std::size_t>(-1) / 2) throw std::bad_alloc();
  return new (::operator new(sizeof(Block) + n_bytes)) Block(n_bytes);
}

/// Under the lock.
void unlist(Block* block) {
  Block** link = &listed;
  while (*link != block) link = &(*link)->next;
  *link = block->next;
  n_listed.fetch_sub(1, std::memory_order_relaxed);
  ::operator delete(block);
}

void close(Block* block) {
  if (block->n_taken.load(std::memory_order_relaxed) == 0 && block->size <= largest_spare) {
    return ::operator delete(spare.exchange(block, std::memory_order_acq_rel));
  }
  const std::scoped_lock guard(lock);
  block->is_closed = true;
  if (!block->is_listed) return ::operator delete(block);
  if (block->n_held == 0) unlist(block);
}

void* take(Block& block, std::size_t n_bytes) {
  if (n_bytes > block.size) throw std::bad_alloc();
  const std::size_t begin = block.n_taken.fetch_add(rounded(n_bytes), std::memory_order_relaxed);
  if (begin > block.size || rounded(n_bytes) > block.size - begin) throw std::bad_alloc();
  const std::scoped_lock guard(lock);
  ++block.n_held;
  if (!block.is_listed) {
    block.is_listed = true;
    block.next = listed;
    listed = &block;
    n_listed.fetch_add(1, std::memory_order_relaxed);
  }
  return block.begin() + begin;
}

}  // namespace

void* allocate(std::size_t n_bytes) {
  if (current == nullptr) return ::operator new(n_bytes);
  try {
    return ::operator new(n_bytes);
  } catch (const std::bad_alloc&) {
    return take(*current, n_bytes);
  }
}

// Whoever gives memory back has seen that it was taken, and thereby that its block was listed.
void deallocate(void* memory) noexcept {
  if (n_listed.load(std::memory_order_relaxed) == 0) return ::operator delete(memory);
  {
    const std::scoped_lock guard(lock);
    for (Block* block = listed; block != nullptr; block = block->next) {
      if (!block->holds(static_cast<const std::byte*>(memory))) continue;
      if (--block->n_held == 0 && block->is_closed) unlist(block);
      return;
    }
  }
  ::operator delete(memory);
}

Reserve::Reserve(std::size_t n_bytes) : block_(current), is_own_(current == nullptr) {
  if (is_own_) block_ = current = new_block(n_bytes);
}

Reserve::~Reserve() {
  if (!is_own_) return;
  current = nullptr;
  close(block_);
}

Reserve::Lent::Lent(const Reserve& reserve) : before_(current) { current = reserve.block_; }
Reserve::Lent::~Lent() { current = before_; }

}  // namespace hedgerow::memory
