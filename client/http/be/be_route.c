/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route as Bird's Eye prints routes. Pure functions.
 *
 * Tested by test/net/test_http_be.py. */
#include "client/http/be/be.h"

#include "client/http/job/jcopy.h"
#include "lib/json/jview.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"

#include <stdio.h>

static void
be_aggregator(struct json *o, struct jview v)
{
	char address[64];

	if (jview_copy(address, sizeof(address), jview_get(v, "address")))
		json_fmt(o, "aggregator", "%s AS%llu", address,
		    (unsigned long long)jview_u64(jview_get(v, "as"), 0));
}

static void
be_bgp(struct json *o, struct jview line, struct jview hop)
{
	struct jview a = jview_get(line, "attributes"), med = jview_get(a, "bgp_med");

	json_open(o, "bgp");
	jcopy_origin(o, "origin", jview_get(a, "bgp_origin"));
	jcopy_path(o, "as_path", jview_get(a, "bgp_path"));
	jcopy_text(o, "next_hop", hop, "");
	jcopy_text(o, "local_pref", jview_get(a, "bgp_local_pref"), "");
	if (med.p)
		jcopy_u64(o, "med", med, 0);
	if (jview_true(jview_get(a, "bgp_atomic_aggr")))
		json_str(o, "atomic_aggr", "");
	be_aggregator(o, jview_get(a, "bgp_aggregator"));
	jcopy_numbers(o, "communities", jview_get(a, "bgp_community"));
	jcopy_large(o, "large_communities", line);
	json_close(o);
}

/* be_way - the gateway, the interface, and who sent the route. */
static void
be_way(struct json *o, struct jview line, struct jview hop, const char *address)
{
	struct jview outs = jview_get(line, "next_hops"), out = { NULL, 0 };
	struct jview to = jview_get(line, "destination"), from = jview_get(line, "from");
	struct jview gateway = hop;

	(void)jview_next(&outs, NULL, &out);
	/* a black hole has the word in place of an address */
	if (jview_is(to, "blackhole") || (!gateway.p && !out.p))
		gateway = to;
	else if (!gateway.p)
		gateway = jview_get(out, "gateway");
	if (gateway.p)
		jcopy_text(o, "gateway", gateway, "");
	else
		json_str(o, "gateway", address);
	jcopy_text(o, "interface", jview_get(out, "interface"), "none");
	jcopy_text(o, "from_protocol", jview_get(line, "protocol"), "");
	jcopy_text(o, "learnt_from", from, address);
}

void
be_route(struct strbuf *to, struct jview line, const char *address)
{
	struct jview a = jview_get(line, "attributes"), hop = { NULL, 0 };
	struct jview hops = jview_get(a, "bgp_next_hop");
	bool bgp = !a.p || jview_get(a, "bgp_path").p;
	struct json o;

	(void)jview_next(&hops, NULL, &hop);
	json_init(&o, to);
	json_open(&o, NULL);
	jcopy_text(&o, "network", jview_get(line, "network"), "");
	be_way(&o, line, hop, address);
	json_bool(&o, "primary", jview_true(jview_get(line, "best")));
	jcopy_u64(&o, "metric", jview_get(line, "preference"), 100);
	jcopy_when(&o, "age", BE_TIME, jview_get(line, "changed_unix_s"));
	json_list(&o, "type");
	jcopy_text(&o, NULL, jview_get(line, "source"), "BGP");
	jcopy_text(&o, NULL, jview_get(line, "destination"), NULL);
	json_str(&o, NULL, "univ");
	json_close(&o);
	if (bgp)
		be_bgp(&o, line, hop);
	json_close(&o);
}
