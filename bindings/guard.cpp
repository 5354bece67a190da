// SPDX-License-Identifier: BSD-3-Clause
// Two context managers a model: `with reading:` goes together with others, `with changing:` goes alone. Both wait with
// the GIL released, and Ctrl-C ends the waiting.
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "hedgerow/parallel/turns.hpp"

namespace hedgerow::bindings {

namespace nb = nanobind;

namespace {

using parallel::ThreadId;
using parallel::Turns;

constexpr long long microseconds_between_looks = 50'000;  // at signals that came while another thread was awake

std::uint64_t n_forks = 0;

std::atomic<long> n_threads_inside = 0;  // any guard
thread_local long n_held = 0;            // by this thread, of all guards
std::atomic<ThreadId> closer = 0;        // the thread that ends the process, as soon as it does

/// The GIL protects it, and a mutex that is none where there is a GIL.
struct Shared {
  nb::ft_mutex mutex;
  Turns turns;
  std::uint64_t n_forks_seen = n_forks;
  bool is_broken = false;
};

struct Sleeper : parallel::Waiter {
  PyThread_type_lock alarm;
};

void wake(parallel::Waiter& waiter) { PyThread_release_lock(static_cast<Sleeper&>(waiter).alarm); }

struct Reading {
  static constexpr bool changes = false;
  std::shared_ptr<Shared> shared;
};
struct Changing {
  static constexpr bool changes = true;
  std::shared_ptr<Shared> shared;
};

void look_for_fork(Shared& shared, ThreadId thread) {
  if (shared.n_forks_seen == n_forks) return;
  shared.n_forks_seen = n_forks;
  shared.is_broken |= shared.turns.keep_only(thread);
}

/// Whether the waiting ended well; otherwise a Python exception is set.
bool wait_for_turn(Shared& shared, Sleeper& sleeper) {
  while (true) {
    PyThreadState* const state = PyEval_SaveThread();
    const PyLockStatus status = PyThread_acquire_lock_timed(sleeper.alarm, microseconds_between_looks, 1);
    PyEval_RestoreThread(state);
    if (status == PY_LOCK_ACQUIRED) return true;
    if (PyErr_CheckSignals() != 0) break;
  }
  const nb::ft_lock_guard lock(shared.mutex);
  shared.turns.give_up(sleeper, wake);
  return false;
}

/// While Python ends, threads that try to return to it are ended by force, which C++ does not survive.
[[noreturn]] void sleep_until_the_process_ends() {
  nb::set_leak_warnings(false);  // what this thread holds stays
  PyEval_SaveThread();
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

bool enter(Shared& shared, bool changes) {
  const ThreadId thread = PyThread_get_thread_ident();
  if (closer != 0 && closer != thread && n_held == 0) sleep_until_the_process_ends();
  Sleeper sleeper{{thread, changes}, nullptr};
  {
    const nb::ft_lock_guard lock(shared.mutex);
    look_for_fork(shared, thread);
    if (shared.is_broken) {
      PyErr_SetString(PyExc_RuntimeError,
                      "this process was forked while another thread was changing the model, which is unfinished here: "
                      "load it from a file, or fork while nothing is learned");
      return false;
    }
    const Turns::Answer answer = shared.turns.ask(thread, changes);
    if (answer == Turns::Answer::enter) return true;
    if (answer == Turns::Answer::never) {
      PyErr_SetString(PyExc_RuntimeError,
                      "a function that this model calls while it predicts tries to change the model: it would wait for "
                      "itself; change it when the prediction is there, or change a copy");
      return false;
    }
    sleeper.alarm = PyThread_allocate_lock();
    if (sleeper.alarm == nullptr) throw std::bad_alloc();
    PyThread_acquire_lock(sleeper.alarm, 1);
    shared.turns.ask(thread, changes, &sleeper);
  }
  const bool is_in = wait_for_turn(shared, sleeper);
  PyThread_free_lock(sleeper.alarm);
  return is_in;
}

template <class Manager>
PyObject* enter(PyObject* self, PyObject*) {
  try {
    if (!enter(*nb::inst_ptr<Manager>(self)->shared, Manager::changes)) return nullptr;
    if (n_held++ == 0) ++n_threads_inside;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  Py_RETURN_NONE;
}

template <class Manager>
PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) {
  Shared& shared = *nb::inst_ptr<Manager>(self)->shared;
  const ThreadId thread = PyThread_get_thread_ident();
  const nb::ft_lock_guard lock(shared.mutex);
  look_for_fork(shared, thread);
  shared.turns.leave(thread, wake);
  if (--n_held == 0) --n_threads_inside;
  Py_RETURN_NONE;
}

/// Lets no other thread enter any guard, and waits for those that are inside.
void close_guards(double seconds) {
  closer = PyThread_get_thread_ident();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (n_threads_inside > 0 && std::chrono::steady_clock::now() < end) {
    {
      const nb::gil_scoped_release release;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

/// Written against Python's own interface: a call through it takes a third of the time, and a row takes microseconds.
template <class Manager>
void bind_manager(nb::module_& m, const char* name) {
  static PyMethodDef methods[] = {
      {"__enter__", enter<Manager>, METH_NOARGS, nullptr},
      {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(leave<Manager>)), METH_FASTCALL, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
  nb::class_<Manager>(m, name, nb::type_slots(slots));
}

}  // namespace

void bind_guard(nb::module_& m) {
  bind_manager<Reading>(m, "Reading");
  bind_manager<Changing>(m, "Changing");
  m.def(
      "new_guard",
      [] {
        auto shared = std::make_shared<Shared>();
        return nb::make_tuple(Reading{shared}, Changing{shared});
      },
      "Two context managers: readers enter together, one that changes something enters alone.");
  m.def(
      "note_fork",
      [] {
        ++n_forks;
        n_threads_inside = n_held > 0 ? 1 : 0;
      },
      "To be called in a child process: its other threads did not come along.");
  m.def("close_guards", &close_guards, nb::arg("seconds"),
        "To be called when the process ends: daemon threads stay outside, those inside are waited for.");
}

}  // namespace hedgerow::bindings
