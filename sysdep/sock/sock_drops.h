/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel drops without a word to anybody because of its signature (RFC 2385,
 * RFC 5925): only its counters tell. They are those of the whole network namespace; whose
 * segments it were isn't known. */
#ifndef TERN_SYSDEP_SOCK_DROPS_H
#define TERN_SYSDEP_SOCK_DROPS_H

#include "lib/base/check.h"

/* Segments since the system's start. */
struct sock_drops {
	uint64_t wrong; /* made with another password or key */
	uint64_t none; /* not signed, where a signature was due */
};

/* sock_drops_get - Blocks: never; reads a file of /proc, some 0.1 ms. Any thread.
 * Returns: false, with zeros: the system doesn't tell. */
bool sock_drops_get(struct sock_drops *d);

#endif
