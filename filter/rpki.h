/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that filters ask: what roa_check() and aspa_check() know of a table of the
 * configuration, and which tables a filter asks. */
#ifndef TERN_FILTER_RPKI_H
#define TERN_FILTER_RPKI_H

#include "lib/mt/atomic.h"

struct filter;

/* A table as filters see it: the first member of struct conf_table, so that a symbol
 * leads here. lives: as its configuration. */
struct filter_table {
	const char *name;
	bool is_roa, is_aspa; /* neither: it can't be asked */
	uint8_t fam; /* enum family */
	/* struct roa_map * or struct aspa_map *, which lives as long as the
	 * configuration; written by the control worker when that is committed. NULL
	 * before: every question is answered UNKNOWN. */
	struct pubptr map;
};

/* A table that some run may ask. */
struct filter_use {
	const struct filter_table *table;
	bool other_nets; /* about prefixes or paths that aren't the route's */
};

/* filter_uses - the tables that @f may ask, each once. Returns: how many. */
uint32_t filter_uses(const struct filter *f, const struct filter_use **out);
/* filter_writes_path - may @f change bgp_path (and then ask about that)? */
bool filter_writes_path(const struct filter *f);

#endif
