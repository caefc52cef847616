/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route as birdwatcher prints routes. Alice-LG wants numbers of paths and preferences
 * as strings, communities as numbers, and breaks off at other types. Pure functions.
 *
 * Tested by test/net/test_http_bw.py. */
#include "client/http/bw/bw.h"

#include "client/http/job/jcopy.h"
#include "lib/json/jview.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>

/* bw_ext - "(rt, 64500, 7)" as a list of three strings. */
static void
bw_ext(struct json *o, struct jview list)
{
	struct jview at = list, item;
	struct strbuf text;

	if (!list.p)
		return;
	strbuf_init(&text);
	json_list(o, "ext_communities");
	while (jview_next(&at, NULL, &item)) {
		const char *p;

		strbuf_reset(&text);
		jview_add(&text, item);
		json_list(o, NULL);
		for (p = text.s; *p;) {
			size_t len = strcspn(p += strspn(p, "(, "), ",)");

			if (len)
				json_text(o, NULL, p, len);
			p += len;
			p += *p == ')' || *p == ',';
		}
		json_close(o);
	}
	json_close(o);
	strbuf_fini(&text);
}

static void
bw_bgp(struct json *o, struct jview line, struct jview hop)
{
	struct jview a = jview_get(line, "attributes");

	json_open(o, "bgp");
	jcopy_origin(o, "origin", jview_get(a, "bgp_origin"));
	jcopy_path(o, "as_path", jview_get(a, "bgp_path"));
	jcopy_text(o, "next_hop", hop, "");
	jcopy_text(o, "local_pref", jview_get(a, "bgp_local_pref"), "0");
	jcopy_text(o, "med", jview_get(a, "bgp_med"), NULL);
	jcopy_text(o, "otc", jview_get(a, "bgp_otc"), NULL);
	jcopy_numbers(o, "communities", jview_get(a, "bgp_community"));
	jcopy_large(o, "large_communities", line);
	bw_ext(o, jview_get(a, "bgp_ext_community"));
	json_close(o);
}

/* bw_gateway - the gateway; and the address of the session, if the two differ. */
static void
bw_gateway(struct json *o, struct jview hop, struct jview from, const char *address)
{
	char gateway[64] = "", session[64];

	if (!jview_copy(session, sizeof(session), from))
		snprintf(session, sizeof(session), "%s", address);
	if (!jview_copy(gateway, sizeof(gateway), hop))
		snprintf(gateway, sizeof(gateway), "%s", session);
	json_str(o, "gateway", gateway);
	json_str(o, "learnt_from", strcmp(gateway, session) ? session : "");
}

void
bw_route(struct strbuf *to, struct jview line, const char *address)
{
	struct jview hop = { NULL, 0 }, out = { NULL, 0 };
	struct jview hops = jview_get(jview_get(line, "attributes"), "bgp_next_hop");
	struct jview outs = jview_get(line, "next_hops");
	struct jview changed = jview_get(line, "changed_unix_s");
	struct json o;

	(void)jview_next(&hops, NULL, &hop);
	(void)jview_next(&outs, NULL, &out);
	json_init(&o, to);
	json_open(&o, NULL);
	jcopy_text(&o, "network", jview_get(line, "network"), "");
	bw_gateway(&o, hop, jview_get(line, "from"), address);
	jcopy_text(&o, "interface", jview_get(out, "interface"), "");
	jcopy_text(&o, "from_protocol", jview_get(line, "protocol"), "");
	jcopy_u64(&o, "metric", jview_get(line, "preference"), 100);
	json_bool(&o, "primary", jview_true(jview_get(line, "best")));
	jcopy_when(&o, "age", BW_TIME, changed);
	json_list(&o, "type");
	json_str(&o, NULL, "BGP");
	json_str(&o, NULL, "univ");
	json_close(&o);
	bw_bgp(&o, line, hop);
	json_close(&o);
}
