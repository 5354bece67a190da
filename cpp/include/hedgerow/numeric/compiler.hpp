// SPDX-License-Identifier: BSD-3-Clause
// What compilers offer beyond the standard, and what takes its place where they do not.
#pragma once

#include <cstddef>  // with glibc it says so

#if defined(__GNUC__) || defined(__clang__)
#define HEDGEROW_INLINE inline __attribute__((always_inline))
#define HEDGEROW_INLINE_LAMBDA __attribute__((always_inline))
#else
#define HEDGEROW_INLINE inline
#define HEDGEROW_INLINE_LAMBDA
#endif

// A function so marked is compiled once for every x86-64-v2 machine and once for AVX2; the machine picks at load time,
// for which GCC needs the help of glibc. The widest loops, over numbers of double precision, for AVX-512 too.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(HEDGEROW_NO_MULTIVERSION)
#define HEDGEROW_MULTIVERSION __attribute__((target_clones("avx2", "default")))
#define HEDGEROW_WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HEDGEROW_MULTIVERSION
#define HEDGEROW_WIDEST
#endif

namespace hedgerow::numeric {

/// Memory that is read soon.
HEDGEROW_INLINE void prefetch([[maybe_unused]] const void* memory) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(memory);
#endif
}

}  // namespace hedgerow::numeric
