/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One route of a walk: the route passes the query, counts, and is printed. Loop: the
 * session's. Tested by test/unit/test_cli.c. */
#include "nest/cli/cli_session.h"
#include "nest/cli/show/route/cmd_netsort.h"
#include "nest/channel/export/over_routes.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/conf/config.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/log/log_class.h"

void
route_net_done(struct route_job *j)
{
	j->net.path = j->net.looked = 0;
	j->net.summed = j->net.named = j->net.had_first = false;
}

void
route_show(struct cli_session *s, struct route_job *j, const struct route_scene *sc,
    struct route_shown *r)
{
	if (!route_pick(j, s, sc, r))
		return;
	j->sum.shown++;
	if (!j->q.count) {
		route_put_heading(s, j);
		route_print(s, j, sc, r);
		j->net.named = true;
	}
	attr_hold_put(s->tern->store, &r->held, NULL);
}
