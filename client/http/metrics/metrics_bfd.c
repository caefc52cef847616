/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of BFD sessions, with the names and labels of bird_exporter. ternhttp asks a
 * daemon for the sessions if the daemon has a protocol BFD. Loop: the only thread of
 * ternhttp.
 *
 * Tested by test/net/test_http_metrics.py. */
#include "client/http/metrics/metrics_priv.h"

#include "lib/json/jview.h"
#include "lib/base/strbuf.h"

#include <time.h>

static const struct {
	const char *name, *help;
} bfd_head[BFD_METRICS] = { { "bird_bfd_session_up", "1: the session is up" },
	{ "bird_bfd_session_uptime_seconds", "seconds since the session came up" },
	{ "bird_bfd_session_interval_seconds", "interval of packets" },
	{ "bird_bfd_session_timeout_seconds",
	    "time without packets that ends the session" } };

void
bfd_metric_init(struct bfd_metrics *b)
{
	for (int i = 0; i < BFD_METRICS; i++)
		strbuf_init(&b->text[i]);
}

void
bfd_metric_fini(struct bfd_metrics *b)
{
	for (int i = 0; i < BFD_METRICS; i++)
		strbuf_fini(&b->text[i]);
}

void
bfd_metric_line(struct bfd_metrics *b, const char *daemon, struct jview v)
{
	bool up = jview_is(jview_get(v, "state"), "Up");
	double since = jview_seconds(jview_get(v, "since_unix_s")),
	       now = (double)time(NULL);
	double value[BFD_METRICS] = { up, up && now > since ? now - since : 0,
		jview_seconds(jview_get(v, "interval_s")),
		jview_seconds(jview_get(v, "timeout_s")) };

	for (int i = 0; i < BFD_METRICS; i++) {
		struct strbuf *o = &b->text[i];

		strbuf_addf(o, "%s{", bfd_head[i].name);
		if (daemon)
			label_text(o, "daemon", daemon);
		/* of a multihop session bird_exporter has the interface `---` */
		if (jview_get(v, "interface").p)
			label_add(o, "interface", jview_get(v, "interface"));
		else
			label_text(o, "interface", "---");
		label_add(o, "ip", jview_get(v, "address"));
		label_add(o, "name", jview_get(v, "protocol"));
		strbuf_addf(o, "} %.3f\n", value[i]);
	}
}

void
bfd_metric_write(const struct bfd_metrics *b, struct strbuf *o)
{
	for (int i = 0; i < BFD_METRICS; i++)
		if (b->text[i].len)
			strbuf_addf(o, "# HELP %s %s\n# TYPE %s gauge\n%s",
			    bfd_head[i].name, bfd_head[i].help, bfd_head[i].name,
			    b->text[i].s);
}
