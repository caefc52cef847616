/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sink of an image: the channel gives the best route of each net, and the sink puts
 * the route into the builder. A timer publishes the changes (image_file.c).
 *
 * Loop: the instance's. Tested by test/net/test_image.py. */
#include "proto/image/image_priv.h"

#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "sysdep/os/clock.h"

#define SINK_ROOM (256 * 1024) /* units of `queued` between two flushes */
#define NET_UNITS 64

/* A step through the nets of a call. Owner: the caller. Life: one call, on the stack. */
struct sink_step {
	const struct seg_run *run;
	uint32_t run_cnt;
	const uint8_t *nlri;
	enum nlri_kind kind;
};

static struct image_proto *
image_of_sink(const struct sink *k)
{
	return container_of((struct sink *)(uintptr_t)k, struct image_proto, sink);
}

static struct sink_step
image_sink_step(const struct sink *k, struct segment *s, const struct sink_nets *n)
{
	return (struct sink_step){ .run = n ? n->run : segment_runs(s),
		.run_cnt = n ? n->run_cnt : s->run_cnt,
		.nlri = n ? n->nlri : segment_nlri(s),
		.kind = (enum nlri_kind)channel_family(k->ch) };
}

static struct prefix
image_sink_next(struct sink_step *at)
{
	struct nlri n;

	at->nlri += NLRI_BY_KIND(at->kind, nlri_get, &n, at->nlri);
	return nlri_prefix(at->kind, n.word, n.head);
}

static size_t
image_sink_room(struct sink *k)
{
	return image_of_sink(k)->fib ? SINK_ROOM : 0;
}

static enum sink_took
image_sink_announce(struct sink *k, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	struct image_proto *im = image_of_sink(k);
	struct sink_step at = image_sink_step(k, s, n);
	struct image_route *r = image_route_get(
	    im, a->set, s->facts ? &s->facts->src : NULL);

	for (uint32_t i = 0; i < at.run_cnt; i++)
		for (uint32_t j = 0; j < at.run[i].cnt; j++) {
			struct prefix p = image_sink_next(&at);

			image_net_put(im, at.run[i].id + j, &p, r);
			k->queued += NET_UNITS;
		}
	image_route_drop(im, r);
	return SINK_TAKEN;
}

static uint32_t
image_sink_withdraw(struct sink *k, struct segment *s, const struct sink_nets *n)
{
	struct image_proto *im = image_of_sink(k);
	struct sink_step at = image_sink_step(k, s, n);
	uint32_t was = k->held;

	for (uint32_t i = 0; i < at.run_cnt && k->held; i++)
		for (uint32_t j = 0; j < at.run[i].cnt; j++) {
			struct prefix p = image_sink_next(&at);

			image_net_drop(im, at.run[i].id + j, &p);
			k->queued += NET_UNITS;
		}
	return was - k->held;
}

static void
image_sink_parts_done(struct sink *k)
{
	(void)k;
}

static void
image_sink_flush(struct sink *k)
{
	struct image_proto *s = image_of_sink(k);

	if (k->queued) {
		counter64_set(&channel_stats(k->ch)->last_tx_ns, clock_now_ns());
		image_file_changed(s);
	}
	k->queued = 0;
}

static void
image_sink_synced(struct sink *k)
{
	image_file_synced(image_of_sink(k));
}

static uint32_t
image_sink_holds(const struct sink *k, uint32_t id, uint32_t cnt)
{
	return bitmap_count_range(&image_of_sink(k)->routes.there, id, cnt);
}

static void
image_sink_down(struct sink *k)
{
	image_routes_clear(image_of_sink(k));
	k->held = 0;
	k->queued = 0;
}

static struct sink_rules *
image_sink_rules(const struct sink *k)
{
	struct sink_rules *r = mem_zalloc(MEM_PROTO, sizeof(*r));

	(void)k;
	r->by_source = true; /* the peer AS and the link */
	return r;
}

static void
image_sink_settle(
    const struct sink_rules *r, const struct export_question *q, struct export_answer *a)
{
	(void)r;
	(void)q;
	(void)a;
}

static const struct sink_policy_ops image_sink_policy = {
	.rules = image_sink_rules,
	.settle = image_sink_settle,
};

const struct sink_ops image_sink_ops = {
	.room = image_sink_room,
	.announce = image_sink_announce,
	.withdraw = image_sink_withdraw,
	.parts_done = image_sink_parts_done,
	.flush = image_sink_flush,
	.synced = image_sink_synced,
	.holds = image_sink_holds,
	.down = image_sink_down,
	.policy = &image_sink_policy,
};
