/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A BGP session as Bird's Eye prints sessions. IXP Manager shows an error page if a
 * member is absent, so each member with a default is always there. Pure functions.
 *
 * Tested by test/net/test_http_be.py. */
#include "client/http/be/be.h"

#include "client/http/job/jcopy.h"
#include "lib/json/jview.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* be_sum - the sum of @key in the object @object (and @inner in that object) of all
 * channels; 0 if no channel has the value, as of a session that is down. */
static uint64_t
be_sum(struct jview v, const char *object, const char *inner, const char *key)
{
	struct jview at = jview_get(v, "channels"), c;
	uint64_t sum = 0;

	while (jview_next(&at, NULL, &c)) {
		struct jview o = jview_get(c, object);

		sum += jview_u64(jview_get(inner ? jview_get(o, inner) : o, key), 0);
	}
	return sum;
}

/* The counts of changes that Bird's Eye prints. */
static const struct {
	const char *way;
	const char *fate[5];
} be_changes[] = {
	{ "import_updates",
	    { "received", "rejected", "filtered", "ignored", "accepted" } },
	{ "import_withdraws", { "received", "rejected", "ignored", "accepted" } },
	{ "export_updates", { "received", "rejected", "filtered", "accepted" } },
	{ "export_withdraws", { "received", "accepted" } },
};

static void
be_counts(struct json *o, struct jview v)
{
	static const char *const counts[] = { "imported", "exported", "preferred" };

	json_open(o, "routes");
	for (size_t i = 0; i < LEN(counts); i++)
		json_u64(o, counts[i], be_sum(v, "routes", NULL, counts[i]));
	json_close(o);
	json_open(o, "route_changes");
	for (size_t i = 0; i < LEN(be_changes); i++) {
		const char *way = be_changes[i].way;

		json_open(o, way);
		for (size_t k = 0; k < 5 && be_changes[i].fate[k]; k++)
			json_u64(o, be_changes[i].fate[k],
			    be_sum(v, "changes", way, be_changes[i].fate[k]));
		json_close(o);
	}
	json_close(o);
}

/* be_limit - the import limit of the first channel that has such a limit. */
static void
be_limit(struct json *o, struct jview v)
{
	struct jview at = jview_get(v, "channels"), c;

	while (jview_next(&at, NULL, &c)) {
		struct jview limit = jview_get(jview_get(c, "limits"), "import");

		if (!limit.p)
			continue;
		jcopy_u64(o, "import_limit", jview_get(limit, "max"), 0);
		jcopy_text(o, "limit_action", jview_get(limit, "action"), "");
		jcopy_u64(o, "route_limit_at",
		    jview_get(jview_get(c, "routes"), "imported"), 0);
		return;
	}
}

/* be_words - the list @key: @names of members that are true, or that are there, in @v. */
static void
be_words(struct json *o, const char *key, const char *first, struct jview v,
    const char *const names[][2], size_t cnt)
{
	json_list(o, key);
	json_str(o, NULL, first);
	for (size_t i = 0; i < cnt; i++) {
		struct jview m = jview_get(v, names[i][0]);

		if (jview_true(m) || (m.p && (*m.p == '{' || *m.p == '[')))
			json_str(o, NULL, names[i][1]);
	}
	json_close(o);
}

static void
be_session(struct json *o, struct jview bgp)
{
	static const char *const caps[][2] = { { "route_refresh", "refresh" },
		{ "enhanced_refresh", "enhanced-refresh" },
		{ "graceful_restart", "restart-aware" }, { "as4", "AS4" },
		{ "extended_message", "ext-messages" }, { "add_path_rx", "add-path-rx" },
		{ "add_path_tx", "add-path-tx" } };
	static const char *const kinds[][2] = { { "multihop", "multihop" },
		{ "rr_client", "route-reflector" }, { "rs_client", "route-server" },
		{ "as4", "AS4" } };
	struct jview address = jview_get(bgp, "neighbor_address");
	bool internal = jview_is(jview_get(bgp, "session"), "internal");

	if (!address.p)
		address = jview_get(bgp, "neighbor_range");
	jcopy_text(o, "bgp_state", jview_get(bgp, "state"), "Idle");
	jcopy_text(o, "neighbor_address", address, "");
	jcopy_u64(o, "neighbor_as", jview_get(bgp, "neighbor_as"), 0);
	jcopy_text(o, "neighbor_id", jview_get(bgp, "neighbor_id"), "");
	be_words(o, "neighbor_capabilities", NULL,
	    jview_get(jview_get(bgp, "capabilities"), "neighbor"), caps, LEN(caps));
	be_words(
	    o, "bgp_session", internal ? "internal" : "external", bgp, kinds, LEN(kinds));
	jcopy_text(o, "source_address", jview_get(bgp, "local_address"), "");
	jcopy_u64(o, "hold_timer", jview_get(bgp, "hold_s"), 0);
	jcopy_u64(o, "hold_timer_now", jview_get(bgp, "hold_left_s"), 0);
	jcopy_u64(o, "keepalive", jview_get(bgp, "keepalive_s"), 0);
	jcopy_u64(o, "keepalive_now", jview_get(bgp, "keepalive_left_s"), 0);
}

void
be_protocol(struct strbuf *to, struct jview v)
{
	struct jview at = jview_get(v, "channels"), channel = { NULL, 0 };
	struct json o;

	/* as Bird's Eye, the last channel */
	while (jview_next(&at, NULL, &channel))
		;
	json_init(&o, to);
	json_open(&o, NULL);
	jcopy_text(&o, "protocol", jview_get(v, "name"), "");
	json_str(&o, "bird_protocol", "BGP");
	jcopy_text(&o, "table", jview_get(channel, "table"), "");
	jcopy_text(&o, "state", jview_get(v, "state"), "down");
	jcopy_when(&o, "state_changed", BE_TIME, jview_get(v, "since_unix_s"));
	jcopy_text(&o, "connection", jview_get(v, "info"), "");
	jcopy_text(&o, "description", jview_get(v, "description"), "");
	jcopy_u64(&o, "preference", jview_get(channel, "preference"), 100);
	jcopy_text(&o, "input_filter", jview_get(channel, "import_filter"), "");
	jcopy_text(&o, "output_filter", jview_get(channel, "export_filter"), "");
	be_limit(&o, v);
	be_counts(&o, v);
	be_session(&o, jview_get(v, "bgp"));
	json_close(&o);
}
