// SPDX-License-Identifier: BSD-3-Clause
// Whose turn it is: threads that read go together, one that changes something goes alone, and nobody is overtaken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace hedgerow::parallel {

using ThreadId = unsigned long;

/// Somebody who waits. Who makes one says how it is woken.
struct Waiter {
  ThreadId thread;
  bool changes;  // or only reads
  bool is_in = false;
};

/// The book of who is inside. It blocks nobody and is not synchronised: callers hold a lock, and wait by their own
/// means.
///
/// A thread that is inside may enter again: what it calls may do what it does. Only from reading to changing there is
/// no way, since two threads that tried would wait for each other.
class Turns {
 public:
  enum class Answer { enter, wait, never };

  /// Asks to enter; a thread that must wait is in the queue afterwards, if it brings a `waiter`.
  Answer ask(ThreadId thread, bool changes, Waiter* waiter = nullptr) {
    if (n_changes_ != 0 && writer_ == thread) {
      ++n_changes_;
      return Answer::enter;
    }
    if (Reader* const known = find(thread)) {
      if (changes) return Answer::never;
      ++known->depth;
      return Answer::enter;
    }
    if (queue_.empty() && n_changes_ == 0 && (!changes || readers_.empty())) {
      admit(thread, changes);
      return Answer::enter;
    }
    if (waiter != nullptr) queue_.push_back(waiter);
    return Answer::wait;
  }

  /// Undoes one `enter` of the thread. `wake` is called with each waiter that is in now.
  template <class Wake>
  void leave(ThreadId thread, Wake&& wake) {
    if (n_changes_ != 0 && writer_ == thread) {
      --n_changes_;
    } else if (Reader* const known = find(thread); known != nullptr && --known->depth == 0) {
      *known = readers_.back();
      readers_.pop_back();
    }
    if (!queue_.empty()) let_in(wake);
  }

  /// Takes a waiter who gives up out of the queue, or out of what it entered meanwhile.
  template <class Wake>
  void give_up(Waiter& waiter, Wake&& wake) {
    if (waiter.is_in) {
      leave(waiter.thread, wake);
    } else {
      queue_.erase(std::find(queue_.begin(), queue_.end(), &waiter));
      let_in(wake);
    }
  }

  /// Forgets all threads but one: the others did not come along into a forked process. Returns whether one of them was
  /// changing something.
  bool keep_only(ThreadId thread) {
    queue_.clear();
    std::erase_if(readers_, [&](const Reader& reader) { return reader.thread != thread; });
    return n_changes_ != 0 && std::exchange(writer_, thread) != thread && std::exchange(n_changes_, 0) != 0;
  }

 private:
  struct Reader {
    ThreadId thread;
    std::size_t depth;
  };

  Reader* find(ThreadId thread) {
    const auto found =
        std::find_if(readers_.begin(), readers_.end(), [&](auto& reader) { return reader.thread == thread; });
    return found == readers_.end() ? nullptr : &*found;
  }

  void admit(ThreadId thread, bool changes) {
    if (changes) {
      writer_ = thread;
      n_changes_ = 1;
    } else {
      readers_.push_back({thread, 1});
    }
  }

  template <class Wake>
  void let_in(Wake&& wake) {
    while (!queue_.empty() && n_changes_ == 0 && (!queue_.front()->changes || readers_.empty())) {
      Waiter& next = *queue_.front();
      admit(next.thread, next.changes);
      queue_.pop_front();
      next.is_in = true;
      wake(next);
    }
  }

  std::vector<Reader> readers_;
  ThreadId writer_ = 0;
  std::size_t n_changes_ = 0;  // calls of the writer that have not returned
  std::deque<Waiter*> queue_;
};

}  // namespace hedgerow::parallel
