// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C in the middle of a call: what the core does at `may_stop` asks Python for signals that came.
#include <nanobind/nanobind.h>

#include "hedgerow/parallel/may_stop.hpp"

namespace hedgerow::bindings {

namespace nb = nanobind;

namespace {

unsigned long main_thread = 0;  // the only one in which Python handles signals; others must not wait for the GIL

void throw_if_signals_say_so() {
  if (PyThread_get_thread_ident() != main_thread) return;
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void bind_interrupts(nb::module_& m) {
  m.def(
      "heed_interrupts",
      [](unsigned long of_thread) {
        main_thread = of_thread;
        parallel::throw_if_interrupted = throw_if_signals_say_so;
      },
      nb::arg("main_thread"), "Calls of the main thread end early where its signal handlers raise.");
}

}  // namespace hedgerow::bindings
