/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pattern of prefixes: p, p+, p-, p{lo,hi}.
 *
 * Pattern (P, lo, hi) holds the prefix N if lo <= N.len <= hi and N and P agree in their
 * first min(N.len, P.len) bits. Owner: the holder. Life: by value.
 *
 * Pure functions; any thread. */
#ifndef TERN_FILTER_SET_PFX_PATTERN_H
#define TERN_FILTER_SET_PFX_PATTERN_H

#include "lib/net/ip.h"

/* A pattern. Owner: the holder; by value: nothing to free. */
struct pfx_pattern {
	struct ip_addr addr; /* masked to len bits of its family */
	uint8_t len, lo, hi;
	uint8_t fam; /* enum family */
};

#endif
