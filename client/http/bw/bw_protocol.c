/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the daemon and of protocols as birdwatcher prints both. Pure functions.
 *
 * Tested by test/net/test_http_bw.py. */
#include "client/http/bw/bw.h"

#include "client/http/job/jcopy.h"
#include "lib/json/jview.h"
#include "lib/json/json.h"
#include "lib/base/strbuf.h"

/* The counts of routes. */
static const char *const bw_counts[] = { "imported", "filtered", "exported",
	"preferred" };
enum { BW_COUNTS = sizeof(bw_counts) / sizeof(bw_counts[0]) };

void
bw_status(struct strbuf *to, struct jview v)
{
	struct json o;

	json_init(&o, to);
	json_open(&o, NULL);
	jcopy_text(&o, "version", jview_get(v, "bird_version"), "unknown");
	jcopy_text(&o, "router_id", jview_get(v, "router_id"), "0.0.0.0");
	json_str(&o, "message", "Daemon is up and running");
	jcopy_when(&o, "current_server", BW_TIME, jview_get(v, "now_unix_s"));
	jcopy_when(&o, "last_reboot", BW_TIME, jview_get(v, "started_unix_s"));
	jcopy_when(&o, "last_reconfig", BW_TIME, jview_get(v, "configured_unix_s"));
	json_close(&o);
}

static void
bw_routes(struct json *o, const char *key, const uint64_t *count)
{
	json_open(o, key);
	for (int i = 0; i < BW_COUNTS; i++)
		json_u64(o, bw_counts[i], count[i]);
	json_close(o);
}

/* bw_sum - add the counts @routes to @count. */
static void
bw_sum(uint64_t *count, struct jview routes)
{
	for (int i = 0; i < BW_COUNTS; i++)
		count[i] += jview_u64(jview_get(routes, bw_counts[i]), 0);
}

/* bw_channels - the counts of each channel, and the sum. Alice-LG 6.2 reads the counts of
 * a family as `routes_count`, birdwatcher writes `routes`. */
static void
bw_channels(struct json *o, struct jview v)
{
	struct jview at = jview_get(v, "channels"), c;
	uint64_t sum[BW_COUNTS] = { 0 };
	char name[32];

	bw_sum(sum, jview_get(v, "routes"));
	bw_sum(sum, jview_get(jview_get(v, "pipe"), "routes"));
	json_open(o, "channels");
	while (jview_next(&at, NULL, &c)) {
		uint64_t count[BW_COUNTS] = { 0 };

		if (!jview_copy(name, sizeof(name), jview_get(c, "name")))
			continue;
		bw_sum(count, jview_get(c, "routes"));
		bw_sum(sum, jview_get(c, "routes"));
		json_open(o, name);
		bw_routes(o, "routes", count);
		bw_routes(o, "routes_count", count);
		json_close(o);
	}
	json_close(o);
	bw_routes(o, "routes", sum);
}

/* bw_table - as birdwatcher, the table of the last channel. */
static struct jview
bw_table(struct jview v)
{
	struct jview at = jview_get(v, "channels"), c, table = jview_get(v, "table");

	if (!table.p)
		table = jview_get(jview_get(v, "pipe"), "table");
	while (jview_next(&at, NULL, &c))
		table = jview_get(c, "table");
	return table;
}

/* bw_open - begin the member of the protocol @v; the member's key is the name of @v. */
static void
bw_open(struct json *o, struct strbuf *to, struct jview v)
{
	strbuf_add(to, jview_get(v, "name").p, jview_get(v, "name").len);
	strbuf_addc(to, ':');
	json_init(o, to);
	json_open(o, NULL);
}

void
bw_protocol(struct strbuf *to, struct jview v)
{
	struct jview bgp = jview_get(v, "bgp"), pipe = jview_get(v, "pipe");
	bool up = jview_is(jview_get(v, "state"), "up");
	struct json o;

	bw_open(&o, to, v);
	jcopy_text(&o, "bird_protocol", jview_get(v, "protocol"), "");
	jcopy_text(&o, "protocol", jview_get(v, "name"), "");
	jcopy_text(&o, "table", bw_table(v), "");
	jcopy_text(&o, "peer_table", jview_get(pipe, "peer_table"), NULL);
	json_str(&o, "state", up ? "UP" : "DOWN");
	jcopy_when(&o, "state_changed", BW_TIME, jview_get(v, "since_unix_s"));
	jcopy_text(&o, "description", jview_get(v, "description"), "");
	jcopy_text(&o, "neighbor_address", jview_get(bgp, "neighbor_address"), "");
	jcopy_u64(&o, "neighbor_as", jview_get(bgp, "neighbor_as"), 0);
	jcopy_text(&o, "last_error", jview_get(bgp, "last_error"), "");
	jcopy_text(&o, "bgp_state", jview_get(bgp, "state"), "");
	jcopy_text(&o, "neighbor_id", jview_get(bgp, "neighbor_id"), NULL);
	bw_channels(&o, v);
	json_close(&o);
}

void
bw_short(struct strbuf *to, struct jview v)
{
	struct json o;

	bw_open(&o, to, v);
	jcopy_text(&o, "proto", jview_get(v, "protocol"), "");
	jcopy_text(&o, "table", jview_get(v, "table"), "---");
	jcopy_text(&o, "state", jview_get(v, "state"), "");
	jcopy_when(&o, "since", BW_TIME, jview_get(v, "since_unix_s"));
	jcopy_text(&o, "info", jview_get(v, "info"), "");
	json_close(&o);
}
