/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments that the kernel drops silently because of the signature (RFC 2385, RFC 5925).
 * Only the kernel's counters show the drops. The counters cover the whole network
 * namespace and do not name the peer. Loop: any thread; no state. */
#ifndef TERN_SYSDEP_SOCK_SOCK_DROPS_H
#define TERN_SYSDEP_SOCK_SOCK_DROPS_H

#include "lib/base/check.h"

/* Segments since the system's start. Owner: the caller. Life: on the stack. */
struct sock_drops {
	uint64_t wrong; /* signed with another password or key */
	uint64_t none; /* not signed, though a signature was required */
};

/* sock_drops_get - read the counters from a file of /proc, some 0.1 ms. Blocks: never.
 * Any thread. Returns: false, with zeros: the system has no counters. */
bool sock_drops_get(struct sock_drops *d);

#endif
