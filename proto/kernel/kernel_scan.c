/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scans of the kernel's routes: start times, and handling of scanned routes and of
 * notifications (kernel.c).
 *
 * I1  While a scan runs, s->due checks the socket from time to time: no event reports a
 *     socket that foreign code closed.
 * I2  A closed socket is opened again before the next scan begins.
 *
 * Loop: the instance's. Tested by test/net/test_kernel.py. */
#include "lib/net/prefix.h"
#include "lib/wire/rtnl_route.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/kernel_priv.h"
#include "proto/kernel/krt_learn.h"
#include "proto/kernel/krt_read.h"
#include "proto/kernel/krt_sink.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <errno.h>
#include <linux/rtnetlink.h>

#define PAUSE_NS NS_PER_S /* least interval between scans on request */
#define GUARD_NS (2 * NS_PER_S) /* interval of socket checks during a scan */

/* ---- scans ---- */

/* kernel_scan_by - not later than @at. */
void
kernel_scan_by(struct kernel_proto *s, uint64_t at)
{
	if (s->scan.seq) {
		s->scan_again = true;
		return;
	}
	if (!timer_active(&s->due) || timer_at_ns(&s->due) > at)
		timer_set(&s->due, at);
}

/* scan_soon - something is to be looked at, but scans shan't take all the time. */
static void
scan_soon(struct kernel_proto *s)
{
	uint64_t pause = s->scan_took_ns * 4;

	kernel_scan_by(s, s->scanned_ns + (pause > PAUSE_NS ? pause : PAUSE_NS));
}

void
kernel_scan_me(struct krt_sink *k)
{
	struct kernel_proto *s = kernel_of(k->p);

	if (!proto_life_is_up(&s->p))
		return;
	if (k->knows_all && !s->scan_knows)
		kernel_scan_by(s, 0);
	else
		scan_soon(s);
}

void
kernel_scan_later(struct kernel_proto *s)
{
	uint64_t scan_ns = kernel_conf_of(s)->scan_s * NS_PER_S;

	if (s->scan_again)
		scan_soon(s);
	else if (scan_ns)
		kernel_scan_by(s, s->scanned_ns + scan_ns);
	s->scan_again = false;
}

static int kernel_scan_open(struct kernel_proto *s);

/* kernel_scan_sockets - open the sockets of a scan, if foreign code closed them. Returns:
 * 0 or negative errno. */
static int
kernel_scan_sockets(struct kernel_proto *s)
{
	if (kernel_conf_of(s)->learn && !krt_read_is_open(&s->news)) {
		krt_read_close(&s->news);
		kernel_news_open(s);
	}
	if (krt_read_is_open(&s->scan))
		return 0;
	krt_read_close(&s->scan);
	return kernel_scan_open(s);
}

void
kernel_scan_fires(struct timer *t)
{
	struct kernel_proto *s = kernel_of_timer(t);
	uint8_t learn = kernel_conf_of(s)->learn;
	int err;

	if (!proto_life_is_up(&s->p))
		return;
	if (s->scan.seq && krt_read_is_open(&s->scan)) {
		timer_set(t, loop_now_ns(t->worker) + GUARD_NS);
		return;
	}
	s->scanned_ns = loop_now_ns(t->worker);
	err = kernel_scan_sockets(s);
	if (!err)
		err = krt_read_ask(&s->scan, channel_family(s->ch),
		    kernel_conf_of(s)->table, learn ? 0 : RTPROT_BIRD);
	if (err) {
		proto_log(&s->p, LOG_C_ERR, "Can't read the kernel's routes: %s",
		    strerror(-err));
		scan_soon(s);
		return;
	}
	krt_sink_look(&s->sink);
	s->scan_knows = s->sink.knows_all;
	krt_sink_scan(&s->sink);
	if (learn && !s->stale)
		channel_stale(s->ch);
	s->stale = learn;
	timer_set(t, s->scanned_ns + GUARD_NS);
}

static bool
kernel_scan_ready(struct krt_read *r)
{
	const struct kernel_proto *s = kernel_of(
	    container_of(r->watch.worker, struct proto, worker));

	return !kernel_conf_of(s)->learn || channel_import_ready(s->ch);
}

static void
scan_take_route(
    struct kernel_proto *s, const struct rtnl_route *got, bool gone, bool scanned)
{
	const struct kernel_conf *cf = kernel_conf_of(s);

	if (got->table != cf->table || got->other || !proto_life_is_up(&s->p) ||
	    got->dst.fam != (uint8_t)channel_family(s->ch))
		return;
	if (got->protocol == RTPROT_BIRD && scanned && s->scan_knows)
		krt_sink_see(&s->sink, got);
	else if (!krt_learns(got, cf->learn))
		return;
	else if (gone)
		krt_learn_gone(s->ch, got);
	else if (scanned)
		krt_learn_seen(s->ch, &s->arena, got);
	else
		krt_learn(s->ch, &s->arena, got);
}

static void
kernel_scan_scanned(struct krt_read *r, const struct rtnl_route *got, bool gone)
{
	scan_take_route(container_of(r, struct kernel_proto, scan), got, gone, true);
}

/* scan_done - a scan is complete. A torn scan may have missed routes, so no learned route
 * is withdrawn. */
static void
scan_done(struct krt_read *r, int err, bool torn)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, scan);

	s->scan_took_ns = loop_now_ns(&s->p.worker) - s->scanned_ns;
	timer_cancel(&s->due);
	if (!proto_life_is_up(&s->p))
		return;
	if (err)
		proto_log(&s->p, LOG_C_ERR, "Can't read the kernel's routes: %s",
		    strerror(-err));
	s->scan_again |= err || torn;
	krt_sink_seen(&s->sink);
	if (!err && !torn && s->stale) {
		channel_sweep(s->ch);
		s->stale = false;
	}
	if (!err && s->scan_knows) {
		s->repairing = true;
		timer_set(&s->more, 0);
	}
	kernel_scan_later(s);
}

static void
scan_lost(struct krt_read *r, int err)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, scan);

	(void)err;
	r->seq = 0;
	if (proto_life_is_up(&s->p))
		scan_soon(s);
}

static const struct krt_read_ops scan_ops = { .ready = kernel_scan_ready,
	.route = kernel_scan_scanned,
	.done = scan_done,
	.lost = scan_lost };

static int
kernel_scan_open(struct kernel_proto *s)
{
	return krt_read_open(
	    &s->scan, &s->p.worker, 0, kernel_conf_of(s)->rx_buffer, &scan_ops);
}

/* ---- notifications ---- */

static void
kernel_scan_heard(struct krt_read *r, const struct rtnl_route *got, bool gone)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, news);

	/* a later part of the scan may be older than the notification */
	if (gone && s->scan.seq)
		s->scan_again = true;
	scan_take_route(s, got, gone, false);
}

static void
scan_news_lost(struct krt_read *r, int err)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, news);

	if (err != -ENOBUFS)
		proto_log(&s->p, LOG_C_ERR,
		    "The kernel's messages about routes end: %s; the daemon asks for the "
		    "messages again",
		    strerror(-err));
	if (proto_life_is_up(&s->p))
		scan_soon(s);
}

static const struct krt_read_ops news_ops = {
	.ready = kernel_scan_ready, .route = kernel_scan_heard, .lost = scan_news_lost
};

void
kernel_news_open(struct kernel_proto *s)
{
	uint32_t group = channel_family(s->ch) == FAM_IP4 ? RTMGRP_IPV4_ROUTE
							  : RTMGRP_IPV6_ROUTE;
	int err = krt_read_open(
	    &s->news, &s->p.worker, group, kernel_conf_of(s)->rx_buffer, &news_ops);

	if (err)
		proto_log(&s->p, LOG_C_ERR, "Can't follow the kernel's routes: %s",
		    strerror(-err));
}
