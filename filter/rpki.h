/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that filters query: the map of a table for roa_check() and aspa_check(), and
 * the tables that a filter queries. Loop: any thread under RCU may read the map that a
 * filter queries. */
#ifndef TERN_FILTER_RPKI_H
#define TERN_FILTER_RPKI_H

#include "lib/mt/atomic.h"

struct filter;

/* A table as filters see the table: the first member of struct conf_table, so that a
 * symbol leads to the table. Owner: the configuration. Life: as long as the
 * configuration. Freed by: the arena of the configuration. */
struct filter_table {
	const char *name;
	bool is_roa, is_aspa; /* neither: a query of the table is a run-time error */
	uint8_t fam; /* enum family */
	/* struct roa_map * or struct aspa_map *, which lives as long as the
	 * configuration. The control worker stores the pointer at the commit. NULL
	 * before: every query gives UNKNOWN. */
	struct pubptr map;
};

/* A table that a run may query. Owner: the filter. Life: the configuration's arena. */
struct filter_use {
	const struct filter_table *table;
	bool other_nets; /* about prefixes or paths other than the route's */
};

/* filter_uses - the tables that @f may query, each once. Returns: number of tables. */
uint32_t filter_uses(const struct filter *f, const struct filter_use **out);
/* filter_writes_path - true if @f may change bgp_path (and query the changed path). */
bool filter_writes_path(const struct filter *f);

#endif
