// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

int main(int n_arguments, char** arguments) { return hedgerow::tests::run_tests(n_arguments > 1 ? arguments[1] : ""); }
