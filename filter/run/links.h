/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which interface a gateway is behind, for filters that assign or read where packets go. */
#ifndef TERN_FILTER_LINKS_H
#define TERN_FILTER_LINKS_H

#include "lib/net/prefix.h"
#include <net/if.h>

struct link {
	struct prefix subnet;
	struct ip_addr own; /* our address in it */
	uint32_t index;
	char name[IF_NAMESIZE];
};

/* What the kernel said lately. owner: a loop, in its filter_thread. */
struct links {
	uint64_t asked_ns; /* 0: never */
	struct link *link; /* of interfaces that are up, but loopback */
	uint32_t cnt;
};

void links_init(struct links *l);
void links_fini(struct links *l);
/* links_find - the subnet in which a gateway may have address @a: not ours, and not that of
 * the subnet or its broadcast. The kernel is asked anew once a second. @now: a monotonic
 * clock. Returns: NULL: there is none. Valid until the next call. */
const struct link *links_find(struct links *l, struct ip_addr a, uint64_t now_ns);

#endif
