/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of custom attributes (`attribute int x;`). A name keeps its id for the life of
 * the daemon, so attribute sets of one configuration keep their meaning under the next.
 *
 * Only the thread that parses configurations reads and writes the registry; each
 * configuration has a copy of the registry (struct config). */
#ifndef TERN_FILTER_RUN_CUSTOM_H
#define TERN_FILTER_RUN_CUSTOM_H

#include "lib/base/check.h"

/* Where packets of a route go, if not to its BGP next hop (filter/run/hop.h). */
#define CUSTOM_HOPS 0

#define CUSTOM_MAX 1000 /* different names in one run of the daemon */

/* Attributes of the language that few routes have are stored like custom attributes,
 * under reserved ids. */
enum custom_reserved {
	CUSTOM_FROM = 0xff00, /* T_IP: written over the source's address */
	CUSTOM_WEIGHT, /* T_INT */
	CUSTOM_ONLINK, /* T_BOOL */
	CUSTOM_GW_MPLS, /* T_INT */
	CUSTOM_SCOPE, /* T_ENUM_SCOPE */
	CUSTOM_LOCAL_METRIC, /* T_INT */
	CUSTOM_MPLS_LABEL, /* T_INT */
	CUSTOM_MPLS_POLICY, /* T_ENUM_MPLS_POLICY */
	CUSTOM_MPLS_CLASS, /* T_INT */
	CUSTOM_RECURSIVE, /* T_BOOL: the route uses the hops of another route */
	CUSTOM_PROVIDERS, /* AS numbers: of a route in a table of type aspa */
	/* of routes in the kernel's tables: T_INT, but for the third, T_IP */
	CUSTOM_KRT_SOURCE = 0xff40,
	CUSTOM_KRT_METRIC,
	CUSTOM_KRT_PREFSRC,
	CUSTOM_KRT_REALM,
	CUSTOM_KRT_SCOPE,
	/* T_INT: with the number of one of the kernel's metrics (KRT_METRICS) */
	CUSTOM_KRT_METRICS = 0xff60,
};

/* The kernel's metrics of a route with the kernel's numbers (RTAX_*): the name in filters
 * after krt_, and in `show route all` after `Kernel.`. Lockable metrics have
 * krt_lock_..., a bit of the word KRT_LOCK; the bits of KRT_FEATURES have
 * krt_feature_.... */
#define KRT_LOCK     1
#define KRT_FEATURES 12
#define KRT_CONGCTL  16 /* a text: the name of an algorithm */
#define KRT_METRICS(X)                                                                   \
	X(mtu, 2)                                                                        \
	X(window, 3)                                                                     \
	X(rtt, 4)                                                                        \
	X(rttvar, 5)                                                                     \
	X(ssthresh, 6)                                                                   \
	X(cwnd, 7)                                                                       \
	X(advmss, 8)                                                                     \
	X(reordering, 9)                                                                 \
	X(hoplimit, 10)                                                                  \
	X(initcwnd, 11)                                                                  \
	X(rto_min, 13)                                                                   \
	X(initrwnd, 14)                                                                  \
	X(quickack, 15)                                                                  \
	X(fastopen_no_cookie, 17)

/* A registered attribute. Owner: the registry. Life: until custom_registry_fini. */
struct custom_attr {
	uint16_t id; /* from 1 */
	uint8_t type; /* enum ftype */
	const char *name;
};

/* Owner: the configuration worker. Life: the life of the daemon. Freed by:
 * custom_registry_fini. */
struct custom_registry {
	struct custom_attr *attr; /* attr[i] has id i + 1 */
	unsigned cnt;
	/* private */
	uint32_t cap;
};

void custom_registry_init(struct custom_registry *r);
void custom_registry_fini(struct custom_registry *r);
/* custom_registry_id - the id of (@name, @type); a new pair gets a new id. A name with
 * another type gets another id. Returns: the id, or -ENOSPC. */
MUST_CHECK int custom_registry_id(
    struct custom_registry *r, const char *name, uint8_t type);

#endif
