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
 *      LIFE_DOWN     no socket is open
 *      LIFE_UP       the channel is up
 *      LIFE_CLOSING  the channel is up and accepts nothing; our routes are removed from
 *                    the kernel step by step (with `persist`, only from memory)
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
#include "nest/channel/instance/proto_life.h"
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

#include <string.h>

#define IFACES_NS (500 * NS_PER_MS) /* from a change of interfaces to a scan */

/* ---- up and down ---- */

static void
kernel_up(struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);
	struct route_source src = { .proto = p->name };
	int err;

	if (!s->ch)
		return;
	err = krt_sink_open(&s->sink);
	if (err)
		proto_log(
		    p, LOG_C_ERR, "Can't change the kernel's routes: %s", strerror(-err));
	s->scan_knows = s->scan_again = s->stale = s->repairing = false;
	if (kernel_conf_of(s)->learn) {
		kernel_news_open(s);
		timer_set(&s->due, 0);
	}
	channel_recovers(s->ch, kernel_conf_of(s)->graceful);
	channel_up(s->ch, &src);
}

/* kernel_is_down - our routes have left. */
static void
kernel_is_down(struct kernel_proto *s)
{
	if (s->ch) {
		channel_down(s->ch);
		krt_sink_close(&s->sink);
		krt_read_close(&s->scan);
		krt_read_close(&s->news);
	}
	proto_life_closed(&s->p);
}

static bool
kernel_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct kernel_proto *s = kernel_of(p);

	(void)cmd;
	s->sink.stopped = true;
	s->sink.at = UINT32_MAX;
	s->repairing = false;
	timer_cancel(&s->due);
	timer_set(&s->more, 0);
	return false; /* kernel_is_down follows */
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

	if (s->p.life.state == LIFE_CLOSING) {
		left = s->ch && krt_sink_remove(&s->sink, kernel_leaves_routes(s));
		if (!left)
			kernel_is_down(s);
	} else if (proto_life_is_up(&s->p) && s->repairing) {
		left = krt_sink_repair(&s->sink);
		s->repairing = left;
	}
	if (left)
		timer_set(&s->more, 0);
}

/* ---- channels ---- */

static void
kernel_import_ready(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	krt_read_go(&s->news);
	krt_read_go(&s->scan);
}

/* kernel_refresh - the channel asks for all learned routes again: start a scan. */
static bool
kernel_refresh(struct channel *ch)
{
	struct kernel_proto *s = kernel_of(channel_proto(ch));

	if (kernel_conf_of(s)->learn && proto_life_is_up(&s->p))
		kernel_scan_by(s, 0);
	return true;
}

static const struct channel_ops channel_ops = {
	.remakes = true,
	.import_ready = kernel_import_ready,
	.limit = proto_life_limit,
	.refresh = kernel_refresh,
	.slow = proto_life_slow,
};

/* ---- commands ---- */

static void
kernel_send_again(struct kernel_proto *s)
{
	channel_refresh_out(s->ch);
	worker_again(&s->p.worker);
}

static void
kernel_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct kernel_proto *s = kernel_of(p);
	bool policy = s->ch && !cmd->soft &&
		      (channel_change(s->ch, cmd) & CONF_CH_EXPORT);

	proto_life_adopt(p, cmd);
	if (!s->ch || !proto_life_is_up(p))
		return;
	if (policy && kernel_conf_of(s)->merge) /* of routes behind the best, too */
		kernel_send_again(s);
	kernel_scan_later(s);
}

static void
kernel_ifaces(struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	if (!proto_life_is_up(p) || !s->ch)
		return;
	kernel_scan_by(s, loop_now_ns(&p->worker) + IFACES_NS);
	if (kernel_conf_of(s)->merge) /* merged hops name their interfaces */
		kernel_send_again(s);
}

/* ---- life ---- */

static void
kernel_proto_make(struct proto *p, const struct conf_proto *cf)
{
	struct kernel_proto *s = kernel_of(p);

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
kernel_free(struct proto *p)
{
	struct kernel_proto *s = kernel_of(p);

	if (s->ch)
		channel_free(s->ch);
	krt_sink_fini(&s->sink);
	arena_fini(&s->arena);
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
	.size = sizeof(struct kernel_proto),
	.make = kernel_proto_make,
	.start = kernel_start,
	.command = proto_life_command,
	.life = { .up = kernel_up, .down = kernel_down, .reconf = kernel_reconf },
	.ifaces = kernel_ifaces,
	.free = kernel_free,
	.health.trouble = kernel_trouble,
	.order = { .kind = PATH_KIND_KERNEL, .rank = krt_rank },
};
