// SPDX-License-Identifier: BSD-3-Clause
#include "online_forest.hpp"

namespace hedgerow::bindings {

void bind_online_forests(nb::module_& m) {
  using online::Growth;
  using online::SplitTest;
  nb::enum_<SplitTest>(m, "SplitTest").value("gain", SplitTest::gain).value("hoeffding", SplitTest::hoeffding);
  nb::enum_<drift::Kind>(m, "DetectorKind")
      .value("none", drift::Kind::none)
      .value("adwin", drift::Kind::adwin)
      .value("page_hinkley", drift::Kind::page_hinkley);
  nb::class_<Growth>(m, "OnlineGrowth")
      .def(nb::init<>())
      .def_rw("width", &Growth::width)
      .def_rw("grace_period", &Growth::grace_period)
      .def_rw("n_candidates", &Growth::n_candidates)
      .def_rw("max_nodes", &Growth::max_nodes)
      .def_rw("min_samples_leaf", &Growth::min_samples_leaf)
      .def_rw("leaf_capacity", &Growth::leaf_capacity)
      .def_rw("sketch_size", &Growth::sketch_size)
      .def_rw("split_confidence", &Growth::split_confidence)
      .def_rw("tie_threshold", &Growth::tie_threshold)
      .def_rw("bagging_rate", &Growth::bagging_rate)
      .def_rw("split_test", &Growth::split_test)
      .def_rw("detector", &Growth::detector)
      .def_rw("linear", &Growth::linear)
      .def_rw("weighs_spread", &Growth::weighs_spread);
  bind_online<online::NoMore>(m, "OnlineForest");
}

}  // namespace hedgerow::bindings
