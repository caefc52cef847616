/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines of the `debug` option of a table.
 *
 * Loop: the table's. Tested by test/net/test_log_targets.py. */
#include "lib/attr/route.h"
#include "lib/base/plural.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/rib/table_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"

void
table_set_debug(struct table *t, uint32_t debug)
{
	store_relaxed32(&t->debug, debug);
}

void
table_trace_best(const struct table *t, const struct net *n, const struct path *p)
{
	const struct route_source *src = p ? path_facts(t, p) : NULL;
	struct nlri k = net_nlri(t, n);
	char net[NLRI_STR_MAX];

	nlri_str(net, t->kind, k.word, k.head);
	if (p)
		log_msg(LOG_C_TRACE, "%s: %s: the best route is from %s", t->name, net,
		    src ? src->proto : "a session that has gone");
	else
		log_msg(LOG_C_TRACE, "%s: %s: no route", t->name, net);
}

void
table_trace_dropped(const struct table *t, uint64_t cnt)
{
	log_msg(LOG_C_TRACE,
	    "%s: journal full: %llu segment%s dropped; slow readers read the table",
	    t->name, (unsigned long long)cnt, plural(cnt, "", "s"));
}

void
table_trace_state(const struct table *t, const char *what)
{
	log_msg(LOG_C_TRACE, "%s: table %s", t->name, what);
}
