// SPDX-License-Identifier: BSD-3-Clause
// A test is a function with a name. CHECK notes a failure and goes on; an exception that leaves a test fails it.
// main runs all tests, or those whose names contain its first argument, and says how many passed and failed.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

namespace hedgerow::tests {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test> registered;
inline int n_broken = 0;  ///< checks that did not hold in the test that runs now

struct Registration {
  Registration(const char* name, void (*run)()) { registered.push_back({name, run}); }
};

inline void check(bool holds, const char* file, int line, const char* what) {
  if (holds) return;
  ++n_broken;
  std::printf("%s:%d: %s\n", file, line, what);
}

inline void check_near(double left, double right, double tolerance, const char* file, int line, const char* what) {
  if (left == right || std::abs(left - right) <= tolerance) return;
  ++n_broken;
  std::printf("%s:%d: %s: %.17g is not within %.3g of %.17g\n", file, line, what, left, tolerance, right);
}

template <class Exception, class Function>
bool throws(Function&& f) {
  try {
    f();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

inline int run_tests(const char* wanted) {
  int n_passed = 0, n_failed = 0;
  for (const Test& test : registered) {
    if (std::strstr(test.name, wanted) == nullptr) continue;
    n_broken = 0;
    try {
      test.run();
    } catch (const std::exception& error) {
      check(false, test.name, 0, error.what());
    }
    if (n_broken != 0) std::printf("FAILED %s\n", test.name);
    ++(n_broken == 0 ? n_passed : n_failed);
  }
  std::printf("%d passed, %d failed\n", n_passed, n_failed);
  return n_failed == 0 && n_passed > 0 ? 0 : 1;
}

}  // namespace hedgerow::tests

#define TEST(name)                                                                \
  static void name();                                                             \
  static const hedgerow::tests::Registration registration_of_##name(#name, name); \
  static void name()
#define CHECK(condition) hedgerow::tests::check((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(left, right, tolerance) \
  hedgerow::tests::check_near((left), (right), (tolerance), __FILE__, __LINE__, #left)
#define CHECK_THROWS(exception, ...) CHECK(hedgerow::tests::throws<exception>([&] { __VA_ARGS__; }))
