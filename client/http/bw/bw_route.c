/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route as birdwatcher prints routes. Alice-LG wants numbers of paths and preferences
 * as strings, communities as numbers, and breaks off at other types. Pure functions.
 *
 * Tested by test/net/test_http_bw.py. */
#include "client/http/bw/bw.h"

#include "client/http/job/jview.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* bw_value - the member @key with the text of @v, as a string; nothing if absent. */
static void
bw_value(struct json *o, const char *key, struct jview v)
{
	struct strbuf text;

	if (!v.p)
		return;
	strbuf_init(&text);
	jview_add(&text, v);
	json_text(o, key, text.s, text.len);
	strbuf_fini(&text);
}

static void
bw_path(struct json *o, struct jview path)
{
	struct jview at = path, item;

	json_list(o, "as_path");
	while (jview_next(&at, NULL, &item))
		/* a set is no number, and Alice-LG leaves the set out */
		if (*item.p != '{')
			bw_value(o, NULL, item);
		else
			json_str(o, NULL, "{}");
	json_close(o);
}

/* bw_numbers - lists of lists of numbers. */
static void
bw_numbers(struct json *o, const char *key, struct jview list)
{
	struct jview at = list, item, part;

	if (!list.p)
		return;
	json_list(o, key);
	while (jview_next(&at, NULL, &item)) {
		struct jview in = item;

		json_list(o, NULL);
		while (jview_next(&in, NULL, &part))
			json_u64(o, NULL, jview_u64(part, 0));
		json_close(o);
	}
	json_close(o);
}

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
bw_bgp(struct json *o, struct jview a, struct jview hop)
{
	struct jview origin = jview_get(a, "bgp_origin");

	json_open(o, "bgp");
	json_str(o, "origin",
	    jview_is(origin, "igp")   ? "IGP"
	    : jview_is(origin, "egp") ? "EGP"
				      : "Incomplete");
	bw_path(o, jview_get(a, "bgp_path"));
	bw_value(o, "next_hop", hop);
	bw_value(o, "local_pref", jview_get(a, "bgp_local_pref"));
	bw_value(o, "med", jview_get(a, "bgp_med"));
	bw_value(o, "otc", jview_get(a, "bgp_otc"));
	bw_numbers(o, "communities", jview_get(a, "bgp_community"));
	bw_numbers(o, "large_communities", jview_get(a, "bgp_large_community"));
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
	struct jview a = jview_get(line, "attributes"), hop = { NULL, 0 };
	struct jview hops = jview_get(a, "bgp_next_hop");
	double changed = jview_seconds(jview_get(line, "changed_unix_s"));
	struct json o;
	char age[32];
	struct tm tm;
	time_t t = changed > 0 ? (time_t)changed : time(NULL);

	(void)jview_next(&hops, NULL, &hop);
	json_init(&o, to);
	json_open(&o, NULL);
	bw_value(&o, "network", jview_get(line, "network"));
	bw_gateway(&o, hop, jview_get(line, "from"), address);
	json_str(&o, "interface", "");
	bw_value(&o, "from_protocol", jview_get(line, "protocol"));
	json_u64(&o, "metric", jview_u64(jview_get(line, "preference"), 100));
	json_bool(&o, "primary", jview_true(jview_get(line, "best")));
	strftime(age, sizeof(age), "%Y-%m-%d %H:%M:%S", gmtime_r(&t, &tm));
	json_str(&o, "age", age);
	json_list(&o, "type");
	json_str(&o, NULL, "BGP");
	json_str(&o, NULL, "univ");
	json_close(&o);
	bw_bgp(&o, a, hop);
	json_close(&o);
}
