/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol kernel. The instance has one channel. Routes of the channel go
 * to a table of the kernel (krt_sink.h), and foreign routes of the kernel come into the
 * channel (krt_learn.h).
 *
 * A scan reads the kernel's table:
 * - at the start, after all routes were exported once;
 * - at each scan time;
 * - after interfaces changed: the kernel silently drops routes of an interface that goes
 *   down;
 * - after the kernel refused a route.
 * A scan compares our routes, imports foreign routes, and withdraws learned routes that
 * it did not find. Between scans, notifications of the kernel import changes of foreign
 * routes at once.
 *
 *      down      no socket is open
 *      up        the channel is up
 *      removing  the channel is up and accepts nothing; our routes are removed from the
 *                kernel step by step (with `persist`, only from memory); then the state
 *                follows `next`
 *
 * Loop: the instance's. Tested by test/net/test_kernel.py. */
#include "proto/kernel/kernel.h"

#include "lib/attr/route.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/kernel/kernel_priv.h"
#include "proto/kernel/krt_learn.h"
#include "proto/kernel/krt_read.h"
#include "proto/kernel/krt_sink.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"

#include <bsd/string.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>

#define IFACES_NS (500 * NS_PER_MS) /* from a change of interfaces to a scan */

/* ---- up and down ---- */

static void
kernel_set_up(struct kernel_proto *s)
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
		if (kernel_conf_of(s)->learn) {
			kernel_news_open(s);
			timer_set(&s->due, 0);
		}
		channel_recovers(s->ch, kernel_conf_of(s)->graceful);
		channel_up(s->ch, &src);
	}
	proto_publish(&s->p, PS_UP, false, "", NULL);
}

/* kernel_is_down - our routes have left. */
static void
kernel_is_down(struct kernel_proto *s)
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
		kernel_set_up(s);
	else if (s->next == NEXT_GONE)
		proto_detach(&s->p);
	proto_settled(&s->p);
}

/* kernel_go - leave the present state towards @next. */
static void
kernel_go(struct kernel_proto *s, enum krt_next next, const char *message)
{
	strlcpy(s->message, message ? message : "", sizeof(s->message));
	s->next = (uint8_t)next;
	if (s->state == KRT_REMOVING)
		return;
	if (s->state == KRT_DOWN) {
		kernel_is_down(s);
		return;
	}
	s->state = KRT_REMOVING;
	s->sink.stopped = true;
	s->sink.at = UINT32_MAX;
	s->repairing = false;
	timer_cancel(&s->due);
	timer_set(&s->more, 0);
}

/* kernel_leaves_routes - true: the routes stay in the kernel after the instance ends, as
 * configured or because the daemon restarts: forwarding must continue. */
static bool
kernel_leaves_routes(const struct kernel_proto *s)
{
	return kernel_conf_of(s)->persist || load_relaxed32(&s->p.tern->recovery.leaves);
}

static void
kernel_more(struct timer *t)
{
	struct kernel_proto *s = kernel_of_timer(t);
	bool left = false;

	if (s->state == KRT_REMOVING) {
		left = s->ch && krt_sink_remove(&s->sink, kernel_leaves_routes(s));
		if (!left)
			kernel_is_down(s);
	} else if (s->state == KRT_UP && s->repairing) {
		left = krt_sink_repair(&s->sink);
		s->repairing = left;
	}
	if (left)
		timer_set(&s->more, 0);
}

static bool
kernel_busy(const struct proto *p)
{
	return ((const struct kernel_proto *)p)->state == KRT_REMOVING;
}

/* ---- channels ---- */

static void
kernel_import_ready(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	krt_read_go(&s->news);
	krt_read_go(&s->scan);
}

static void
kernel_limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	(void)k;
	(void)max;
	if (proto_limit(&s->p, a))
		kernel_go(s, NEXT_DOWN, "Route limit exceeded");
}

/* kernel_refresh - the channel asks for all learned routes again: start a scan. */
static bool
kernel_refresh(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	if (kernel_conf_of(s)->learn && s->state == KRT_UP)
		kernel_scan_by(s, 0);
	return true;
}

static void
kernel_slow(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	proto_log(
	    &s->p, LOG_C_WARN, "Restarting: the protocol reads the table too slowly");
	if (s->state == KRT_UP)
		kernel_go(s, NEXT_UP, NULL);
}

static const struct channel_ops channel_ops = {
	.import_ready = kernel_import_ready,
	.limit = kernel_limit,
	.refresh = kernel_refresh,
	.slow = kernel_slow,
};

/* ---- commands ---- */

static void
kernel_reload(struct kernel_proto *s, bool in, bool out)
{
	if (!s->ch || s->state != KRT_UP)
		return;
	if (in)
		kernel_refresh(s->ch);
	if (out) {
		channel_refresh_out(s->ch);
		worker_again(&s->p.worker);
	}
}

static void
kernel_reconf(struct kernel_proto *s, struct proto_cmd *cmd)
{
	uint32_t change = s->ch ? channel_change(s->ch, cmd) : 0;
	bool down = s->state == KRT_DOWN || s->next == NEXT_DOWN;
	const struct kernel_conf *conf;

	proto_adopt_conf(&s->p, cmd);
	conf = kernel_conf_of(s);
	if (s->state == KRT_UP && s->ch) {
		channel_reconf(s->ch, change & ~(uint32_t)CONF_CH_IMPORT, cmd->soft);
		if ((change & CONF_CH_IMPORT) && !cmd->soft)
			kernel_refresh(s->ch);
		if ((change & CONF_CH_EXPORT) && !cmd->soft && conf->merge)
			kernel_reload(
			    s, false, true); /* of routes behind the best, too */
		kernel_scan_later(s);
	} else if (down && proto_revives(&s->p, cmd)) {
		kernel_go(s, NEXT_UP, NULL);
	}
}

static void
kernel_command(struct proto *p, struct proto_cmd *cmd)
{
	struct kernel_proto *s = kernel_of(p);

	switch (cmd->kind) {
	case PROTO_START:
		if (s->state == KRT_DOWN)
			kernel_set_up(s);
		else if (s->state == KRT_REMOVING)
			s->next = NEXT_UP;
		break;
	case PROTO_STOP:
		kernel_go(s, NEXT_DOWN, cmd->message);
		break;
	case PROTO_RESTART:
		kernel_go(s, NEXT_UP, NULL);
		break;
	case PROTO_RELOAD_IN:
		kernel_reload(s, true, false);
		break;
	case PROTO_RELOAD_OUT:
		kernel_reload(s, false, true);
		break;
	case PROTO_RELOAD:
		kernel_reload(s, true, true);
		break;
	case PROTO_FLUSH_STALE:
		break;
	case PROTO_RECONF:
		kernel_reconf(s, cmd);
		break;
	case PROTO_DELETE:
		kernel_go(s, NEXT_GONE, NULL);
		break;
	case PROTO_GUEST: /* no guests in protocol kernel */
		break;
	}
}

/* kernel_concerned - any change may have taken routes out of the kernel. */
static bool
kernel_concerned(
    const struct proto *p, const struct iface_list *old, const struct iface_list *now)
{
	(void)p;
	(void)old;
	(void)now;
	return true;
}

static void
kernel_ifaces(struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	if (s->state != KRT_UP || !s->ch)
		return;
	kernel_scan_by(s, loop_now_ns(&p->worker) + IFACES_NS);
	if (kernel_conf_of(s)->merge) /* merged hops name their interfaces */
		kernel_reload(s, false, true);
}

/* ---- life ---- */

static struct proto *
kernel_proto_make(struct tern *t, const struct conf_proto *cf)
{
	struct kernel_proto *s = mem_aligned(MEM_PROTO, CACHE_LINE, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->p.cls = &kernel_proto_class;
	s->p.tern = t;
	s->scan.watch.fd = s->news.watch.fd = OS_FD_NONE;
	arena_init(&s->arena, MEM_PROTO, 4096);
	krt_sink_init(&s->sink, &s->p);
	s->sink.scan_me = kernel_scan_me;
	s->sink.merge = ((const struct kernel_conf *)cf->opt)->merge;
	s->sink.sink.merges = s->sink.merge;
	if (cf->chan) {
		s->ch = channel_new(&s->p, cf->chan, &channel_ops, &s->sink.sink);
		channel_set_ids(s->ch, NLRI_ID_LEN);
	}
	return &s->p;
}

static void
kernel_start(struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	timer_init(&s->due, &p->worker, kernel_scan_fires);
	timer_init(&s->more, &p->worker, kernel_more);
	krt_sink_start(&s->sink);
}

static void
kernel_free(TAKE struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	if (s->ch)
		channel_free(s->ch);
	krt_sink_fini(&s->sink);
	arena_fini(&s->arena);
	mem_free(MEM_PROTO, s);
}

/* kernel_trouble - a line for `show status`: exported routes do not reach the kernel. */
static void
kernel_trouble(const struct proto *p, struct strbuf *out)
{
	const struct kernel_proto *s = (const struct kernel_proto *)p;

	if (load_relaxed32(&s->sink.denied))
		strbuf_adds(
		    out, "not permitted to change the kernel's routes (CAP_NET_ADMIN)");
}

const struct proto_class kernel_proto_class = {
	.conf = &kernel_conf_class,
	.outward = true,
	.make = kernel_proto_make,
	.start = kernel_start,
	.command = kernel_command,
	.busy = kernel_busy,
	.plan.concerned = kernel_concerned,
	.ifaces = kernel_ifaces,
	.free = kernel_free,
	.health.trouble = kernel_trouble,
	.order = { .kind = PATH_KIND_KERNEL, .rank = krt_rank },
};
