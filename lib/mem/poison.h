/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that mark the free octets of tern's own allocators for AddressSanitizer, so
 * that AddressSanitizer reports an access to such an octet. Without AddressSanitizer the
 * functions do nothing. Loop: any thread; no state. */
#ifndef TERN_LIB_MEM_POISON_H
#define TERN_LIB_MEM_POISON_H

#include "lib/base/base.h"

#if defined(__SANITIZE_ADDRESS__)
#define TERN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_ASAN 1
#endif
#endif

#ifdef TERN_ASAN
#include <sanitizer/asan_interface.h>
/* Octets left unusable behind each object, so that overruns are seen. */
#define POISON_GAP 8
#else
#define POISON_GAP 0
#endif

static inline void
poison_set(const void *p, size_t len)
{
#ifdef TERN_ASAN
	__asan_poison_memory_region(p, len);
#else
	(void)p, (void)len;
#endif
}

static inline void
poison_clear(const void *p, size_t len)
{
#ifdef TERN_ASAN
	__asan_unpoison_memory_region(p, len);
#else
	(void)p, (void)len;
#endif
}

#endif
