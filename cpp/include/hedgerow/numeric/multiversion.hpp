// SPDX-License-Identifier: BSD-3-Clause
// A function so marked is compiled once for every x86-64-v2 machine and once for AVX2; the machine picks at load time.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(HEDGEROW_NO_MULTIVERSION)
#define HEDGEROW_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#else
#define HEDGEROW_MULTIVERSION
#endif
