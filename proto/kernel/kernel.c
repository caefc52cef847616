/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol kernel: one channel, whose routes go to a table of the kernel
 * (krt_sink.h), and into which those of others come (krt_learn.h).
 *
 * A scan reads the kernel's table: at the start, when all routes have been exported once,
 * at each scan time, when interfaces have changed (the kernel drops routes of those that
 * go down, and says nothing), and when something was refused. What a scan finds of ours
 * is compared; what it finds of others comes in, and what has come in and isn't there any
 * more goes. While the kernel's routes of others are followed, what changes comes in at
 * once.
 *
 *      down      no socket is open
 *      up        the channel is up
 *      removing  the channel is up, and takes nothing; our routes leave the kernel part
 *                by part (or with `persist`, our memory); then it is what `next` says
 *
 * Loop: the instance's. Tested by test/net/test_kernel.py. */
#include "proto/kernel/kernel.h"

#include "lib/attr/route.h"
#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp_nlri.h"
#include "lib/wire/rtnl_route.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/channel/proto_run.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "nest/tern.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/krt_learn.h"
#include "proto/kernel/krt_read.h"
#include "proto/kernel/krt_sink.h"
#include "sysdep/clock.h"
#include "sysdep/log_class.h"
#include "sysdep/loop.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>

#define PAUSE_NS  NS_PER_S /* between scans that weren't due */
#define IFACES_NS (500 * NS_PER_MS) /* from a change of interfaces to a scan */

enum krt_state { KRT_DOWN, KRT_UP, KRT_REMOVING };
enum krt_next { NEXT_DOWN, NEXT_UP, NEXT_GONE };

struct kernel_proto {
	struct proto p; /* first */
	struct channel *ch; /* NULL: it has none, and does nothing */
	struct krt_sink sink;
	struct krt_read scan, news;
	struct timer due; /* the next scan */
	struct timer more; /* a part of a removal or a repair */
	struct arena arena;
	uint64_t scanned_ns, scan_took_ns;
	uint8_t state; /* enum krt_state */
	uint8_t next; /* enum krt_next */
	bool scan_knows; /* the present scan began after all routes were exported */
	bool scan_again; /* when the present one is through */
	bool stale; /* learned routes wait for the present scan */
	bool repairing;
	char message[256];
};

static struct kernel_proto *
kernel_of(const struct proto *p)
{
	return (struct kernel_proto *)(uintptr_t)p;
}

static struct kernel_proto *
of_timer(struct timer *t)
{
	return kernel_of(container_of(t->worker, struct proto, worker));
}

static const struct kernel_conf *
conf_of(const struct kernel_proto *s)
{
	return s->p.cf->opt;
}

/* ---- scans ---- */

/* scan_by - not later than @at. */
static void
scan_by(struct kernel_proto *s, uint64_t at)
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

	scan_by(s, s->scanned_ns + (pause > PAUSE_NS ? pause : PAUSE_NS));
}

static void
scan_me(struct krt_sink *k)
{
	struct kernel_proto *s = kernel_of(k->p);

	if (s->state != KRT_UP)
		return;
	if (k->all_told && !s->scan_knows)
		scan_by(s, 0);
	else
		scan_soon(s);
}

static void
scan_later(struct kernel_proto *s)
{
	uint64_t scan_ns = conf_of(s)->scan_s * NS_PER_S;

	if (s->scan_again)
		scan_soon(s);
	else if (scan_ns)
		scan_by(s, s->scanned_ns + scan_ns);
	s->scan_again = false;
}

static int open_scan(struct kernel_proto *s);

static void
scan_fires(struct timer *t)
{
	struct kernel_proto *s = of_timer(t);
	uint8_t learn = conf_of(s)->learn;
	int err;

	if (s->state != KRT_UP || s->scan.seq)
		return;
	s->scanned_ns = loop_now_ns(t->worker);
	err = s->scan.buf ? 0 : open_scan(s);
	if (!err)
		err = krt_read_ask(&s->scan, channel_family(s->ch), conf_of(s)->table,
		    learn ? 0 : RTPROT_BIRD);
	if (err) {
		proto_log(&s->p, LOG_C_ERR, "Can't read the kernel's routes: %s",
		    strerror(-err));
		scan_soon(s);
		return;
	}
	krt_sink_look(&s->sink);
	s->scan_knows = s->sink.all_told;
	krt_sink_scan(&s->sink);
	if (learn && !s->stale)
		channel_stale(s->ch);
	s->stale = learn;
}

static bool
ready(struct krt_read *r)
{
	const struct kernel_proto *s = kernel_of(
	    container_of(r->watch.worker, struct proto, worker));

	return !conf_of(s)->learn || channel_import_ready(s->ch);
}

static void
take_route(struct kernel_proto *s, const struct rtnl_route *got, bool gone, bool scanned)
{
	const struct kernel_conf *cf = conf_of(s);

	if (got->table != cf->table || got->other || s->state != KRT_UP ||
	    got->dst.fam != (uint8_t)channel_family(s->ch))
		return;
	if (got->protocol == RTPROT_BIRD && scanned && s->scan_knows)
		krt_sink_see(&s->sink, got);
	else if (krt_learns(got, cf->learn))
		krt_learn(s->ch, &s->arena, got, gone);
}

static void
scanned(struct krt_read *r, const struct rtnl_route *got, bool gone)
{
	take_route(container_of(r, struct kernel_proto, scan), got, gone, true);
}

/* scan_done - what was torn may have missed routes: nothing goes for that. */
static void
scan_done(struct krt_read *r, int err, bool torn)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, scan);

	s->scan_took_ns = loop_now_ns(&s->p.worker) - s->scanned_ns;
	if (s->state != KRT_UP)
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
	scan_later(s);
}

static void
scan_lost(struct krt_read *r, int err)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, scan);

	(void)err;
	r->seq = 0;
	if (s->state == KRT_UP)
		scan_soon(s);
}

static const struct krt_read_ops scan_ops = {
	.ready = ready, .route = scanned, .done = scan_done, .lost = scan_lost
};

static int
open_scan(struct kernel_proto *s)
{
	return krt_read_open(&s->scan, &s->p.worker, 0, conf_of(s)->rx_buffer, &scan_ops);
}

/* ---- what changes ---- */

static void
heard(struct krt_read *r, const struct rtnl_route *got, bool gone)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, news);

	/* a part of the scan that comes later may be older than this */
	if (gone && s->scan.seq)
		s->scan_again = true;
	take_route(s, got, gone, false);
}

static void
heard_all(struct krt_read *r, int err, bool torn)
{
	(void)r;
	(void)err;
	(void)torn;
}

static void
news_lost(struct krt_read *r, int err)
{
	struct kernel_proto *s = container_of(r, struct kernel_proto, news);

	if (err != -ENOBUFS)
		proto_log(&s->p, LOG_C_ERR,
		    "The kernel's messages about routes end: %s; others' routes are "
		    "seen at scan times",
		    strerror(-err));
	if (s->state == KRT_UP)
		scan_soon(s);
}

static const struct krt_read_ops news_ops = {
	.ready = ready, .route = heard, .done = heard_all, .lost = news_lost
};

/* ---- up and down ---- */

static void
open_news(struct kernel_proto *s)
{
	uint32_t group = channel_family(s->ch) == FAM_IP4 ? RTMGRP_IPV4_ROUTE
							  : RTMGRP_IPV6_ROUTE;
	int err = krt_read_open(
	    &s->news, &s->p.worker, group, conf_of(s)->rx_buffer, &news_ops);

	if (err)
		proto_log(&s->p, LOG_C_ERR, "Can't follow the kernel's routes: %s",
		    strerror(-err));
}

static void
set_up(struct kernel_proto *s)
{
	struct route_source src = { .proto = s->p.name };
	int err = 0;

	s->state = KRT_UP;
	if (s->ch) {
		err = krt_sink_open(&s->sink);
		if (err)
			proto_log(&s->p, LOG_C_ERR,
			    "Can't change the kernel's routes: %s", strerror(-err));
		s->scan_knows = s->scan_again = s->stale = s->repairing = false;
		if (conf_of(s)->learn) {
			open_news(s);
			timer_set(&s->due, 0);
		}
		channel_recovers(s->ch, conf_of(s)->graceful);
		channel_up(s->ch, &src);
	}
	proto_publish(&s->p, PS_UP, false, "", NULL);
}

/* is_down - our routes have left. */
static void
is_down(struct kernel_proto *s)
{
	s->state = KRT_DOWN;
	if (s->ch) {
		channel_down(s->ch);
		krt_sink_close(&s->sink);
		krt_read_close(&s->scan);
		krt_read_close(&s->news);
	}
	proto_publish(
	    &s->p, PS_DOWN, s->next == NEXT_DOWN, "", s->message[0] ? s->message : NULL);
	if (s->next == NEXT_UP)
		set_up(s);
	else if (s->next == NEXT_GONE)
		proto_detach(&s->p);
	proto_settled(&s->p);
}

/* go - out of the state that it is in, towards @next. */
static void
go(struct kernel_proto *s, enum krt_next next, const char *message)
{
	snprintf(s->message, sizeof(s->message), "%s", message ? message : "");
	s->next = (uint8_t)next;
	if (s->state == KRT_REMOVING)
		return;
	if (s->state == KRT_DOWN) {
		is_down(s);
		return;
	}
	s->state = KRT_REMOVING;
	s->sink.stopped = true;
	s->sink.at = 0;
	s->repairing = false;
	timer_cancel(&s->due);
	timer_set(&s->more, 0);
}

/* leaves_routes - do they outlast the instance? Also when the daemon ends to come back
 * soon: who forwards by them is to go on. */
static bool
leaves_routes(const struct kernel_proto *s)
{
	return conf_of(s)->persist || load_relaxed32(&s->p.tern->recovery.leaves);
}

static void
more(struct timer *t)
{
	struct kernel_proto *s = of_timer(t);
	bool left = false;

	if (s->state == KRT_REMOVING) {
		left = s->ch && krt_sink_remove(&s->sink, leaves_routes(s));
		if (!left)
			is_down(s);
	} else if (s->state == KRT_UP && s->repairing) {
		left = krt_sink_repair(&s->sink);
		s->repairing = left;
	}
	if (left)
		timer_set(&s->more, 0);
}

static bool
busy(const struct proto *p)
{
	return ((const struct kernel_proto *)p)->state == KRT_REMOVING;
}

/* ---- channels ---- */

static void
import_ready(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	krt_read_go(&s->news);
	krt_read_go(&s->scan);
}

static void
limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	(void)k;
	(void)max;
	if (proto_limit(&s->p, a))
		go(s, NEXT_DOWN, "Route limit exceeded");
}

/* refresh - all that is learned once more. */
static bool
refresh(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	if (conf_of(s)->learn && s->state == KRT_UP)
		scan_by(s, 0);
	return true;
}

static void
slow(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	proto_log(&s->p, LOG_C_WARN, "Restarting: it reads its table too slowly");
	if (s->state == KRT_UP)
		go(s, NEXT_UP, NULL);
}

static const struct channel_ops channel_ops = {
	.import_ready = import_ready,
	.limit = limit,
	.refresh = refresh,
	.slow = slow,
};

/* ---- commands ---- */

static void
reconf(struct kernel_proto *s, struct proto_cmd *cmd)
{
	uint32_t change = s->ch ? channel_change(s->ch, cmd) : 0;
	bool down = s->state == KRT_DOWN || s->next == NEXT_DOWN;

	proto_adopt_conf(&s->p, cmd);
	if (s->state == KRT_UP && s->ch) {
		channel_reconf(s->ch, change & ~(uint32_t)CONF_CH_IMPORT, cmd->soft);
		if ((change & CONF_CH_IMPORT) && !cmd->soft)
			refresh(s->ch);
		scan_later(s);
	} else if (down && proto_revives(&s->p, cmd)) {
		go(s, NEXT_UP, NULL);
	}
}

static void
reload(struct kernel_proto *s, bool in, bool out)
{
	if (!s->ch || s->state != KRT_UP)
		return;
	if (in)
		refresh(s->ch);
	if (out) {
		channel_refresh_out(s->ch);
		worker_again(&s->p.worker);
	}
}

static void
command(struct proto *p, struct proto_cmd *cmd)
{
	struct kernel_proto *s = kernel_of(p);

	switch (cmd->kind) {
	case PROTO_START:
		if (s->state == KRT_DOWN)
			set_up(s);
		else if (s->state == KRT_REMOVING)
			s->next = NEXT_UP;
		break;
	case PROTO_STOP:
		go(s, NEXT_DOWN, cmd->message);
		break;
	case PROTO_RESTART:
		go(s, NEXT_UP, NULL);
		break;
	case PROTO_RELOAD_IN:
		reload(s, true, false);
		break;
	case PROTO_RELOAD_OUT:
		reload(s, false, true);
		break;
	case PROTO_RELOAD:
		reload(s, true, true);
		break;
	case PROTO_FLUSH_STALE:
		break;
	case PROTO_RECONF:
		reconf(s, cmd);
		break;
	case PROTO_DELETE:
		go(s, NEXT_GONE, NULL);
		break;
	case PROTO_GUEST: /* it has none */
		break;
	}
}

/* concerned - any change may have taken routes out of the kernel. */
static bool
concerned(
    const struct proto *p, const struct iface_list *old, const struct iface_list *now)
{
	(void)p;
	(void)old;
	(void)now;
	return true;
}

static void
ifaces(struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	if (s->state == KRT_UP && s->ch)
		scan_by(s, loop_now_ns(&p->worker) + IFACES_NS);
}

/* ---- life ---- */

static struct proto *
make(struct tern *t, const struct conf_proto *cf)
{
	struct kernel_proto *s = mem_aligned(MEM_PROTO, CACHE_LINE, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->p.cls = &kernel_proto_class;
	s->p.tern = t;
	s->scan.watch.fd = s->news.watch.fd = -1;
	arena_init(&s->arena, MEM_PROTO, 4096);
	krt_sink_init(&s->sink, &s->p);
	s->sink.scan_me = scan_me;
	if (cf->chan) {
		s->ch = channel_new(&s->p, cf->chan, &channel_ops, &s->sink.sink);
		channel_set_ids(s->ch, NLRI_ID_LEN);
	}
	return &s->p;
}

static void
start(struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	timer_init(&s->due, &p->worker, scan_fires);
	timer_init(&s->more, &p->worker, more);
}

static void
free_it(TAKE struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	if (s->ch)
		channel_free(s->ch);
	krt_sink_fini(&s->sink);
	arena_fini(&s->arena);
	mem_free(MEM_PROTO, s);
}

/* trouble - `show status` and its like: routes don't reach the kernel. */
static void
trouble(const struct proto *p, struct strbuf *out)
{
	const struct kernel_proto *s = (const struct kernel_proto *)p;

	if (load_relaxed32(&s->sink.denied))
		strbuf_adds(out, "not permitted to change the kernel's routes");
}

const struct proto_class kernel_proto_class = {
	.conf = &kernel_conf_class,
	.make = make,
	.start = start,
	.command = command,
	.busy = busy,
	.concerned = concerned,
	.ifaces = ifaces,
	.free = free_it,
	.trouble = trouble,
	.order = { .rank = krt_rank },
};
