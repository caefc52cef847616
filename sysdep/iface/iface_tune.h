/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of a configuration for the list of interfaces (protocol device). Loop: any
 * thread. */
#ifndef TERN_SYSDEP_IFACE_IFACE_TUNE_H
#define TERN_SYSDEP_IFACE_IFACE_TUNE_H

#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include "sysdep/iface/iface_pattern.h"

enum iface_kind_of_addr { IFACE_IP4, IFACE_IP6, IFACE_LINK_LOCAL, IFACE_ADDR_KINDS };

/* Preferred addresses on some interfaces; the first fitting entry counts. Owner: the
 * struct iface_tune. Life: the arena of the tune. */
struct iface_prefer {
	const struct iface_prefer *next;
	const struct iface_pattern *pattern;
	struct ip_addr addr[IFACE_ADDR_KINDS]; /* IP_NONE: not configured */
};

/* Immutable, including all objects behind the pointers. Owner: the source after
 * iface_source_tune, before that the creator. Freed by: iface_tune_free. */
struct iface_tune {
	uint32_t scan_time_s; /* 0: no periodic scan */
	const struct iface_prefer *prefer;
	struct arena arena; /* private */
};

/* iface_tune_new - a copy. */
OWNED struct iface_tune *iface_tune_new(
    uint32_t scan_time_s, const struct iface_prefer *prefer);
void iface_tune_free(TAKE struct iface_tune *t);

/* iface_kind_of - the kind of the address. Pure. */
static inline enum iface_kind_of_addr
iface_kind_of(struct ip_addr a)
{
	return ip_is_v4(a)           ? IFACE_IP4
	       : ip_is_link_local(a) ? IFACE_LINK_LOCAL
				     : IFACE_IP6;
}

#endif
