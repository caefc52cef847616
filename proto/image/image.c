/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol image: the best routes of a table, in a file that other
 * processes map (doc/image.md).
 *
 * A channel with its sink brings the routes; the builder of lib/fib keeps them and writes
 * the file. The worker has a loop of its own, because a full build takes longer than a
 * callback of a shared loop may.
 *
 *      down       no builder; the file is removed, or stays as `persist` and the reason
 *                 say
 *      start      the builder collects the routes of the table
 *      up         the file has an image
 *      leaving    down; watches end, and then the channel leaves the table
 *
 * I1  An image is left behind where readers should keep the last routes: at the end of
 *     the daemon, at a restart, and if an instance of the next configuration has the same
 *     filename. `disable`, another filename and the removal from the configuration remove
 *     the file, unless `persist` keeps it.
 *
 * Loop: the instance's. Tested by test/net/test_image.py. */
#include "proto/image/image.h"

#include "lib/attr/route.h"
#include "lib/fib/fib_format.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_run.h"
#include "nest/rib/table.h"
#include "proto/image/image_priv.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"

/* ---- up and down ---- */

static void
image_set_up(struct image_proto *s)
{
	const struct fib_entry reject = { .hop_kind = FIB_HOP_REJECT };
	const struct fib_options o = { .family = channel_family(s->ch),
		.fields = image_conf_of(s)->fields,
		.table = table_name(channel_table(s->ch)) };
	struct route_source src = { .proto = s->p.name };
	int rc;

	if (s->fib || s->leaving)
		return;
	s->disabled = false;
	s->fib = fib_new(&o);
	rc = fib_value_get(s->fib, &reject, &s->reject);
	ASSERT(!rc); /* an empty builder has room */
	image_file_up(s);
	image_look_update(s);
	channel_recovers(s->ch, true);
	channel_up(s->ch, &src);
	image_say(s);
}

static void
image_set_down(struct image_proto *s, bool remove, const char *message)
{
	if (s->fib) {
		image_look_end(s);
		timer_cancel(&s->file.publish);
		timer_cancel(&s->file.beat);
		channel_down(s->ch);
		image_file_close(s, remove);
		fib_free(s->fib);
		if (remove)
			image_file_sweep(s, image_conf_of(s)->filename);
		s->fib = NULL;
		store_relaxed32(&s->shown.fault, 0);
		counter64_set(&s->shown.behind_ns, 0);
	}
	proto_publish(&s->p, PS_DOWN, s->disabled, "", message);
}

static void
image_restart(struct image_proto *s)
{
	image_set_down(s, false, NULL);
	image_set_up(s);
}

/* image_removes - true: the file has no use after the command. */
static bool
image_removes(const struct image_proto *s, const struct proto_cmd *cmd)
{
	switch (cmd->reason) {
	case PR_CMD_DISABLE:
	case PR_CONF_DISABLE:
		return !image_conf_of(s)->persist;
	case PR_CONF_REMOVED:
	case PR_CONF_CHANGE:
		return !image_conf_of(s)->persist &&
		       !(cmd->conf && image_conf_writes(
					  cmd->conf->conf, image_conf_of(s)->filename));
	default:
		return false;
	}
}

/* image_try_leave - end the instance if it is deleted and nothing is under way. */
static void
image_try_leave(struct image_proto *s)
{
	if (!s->leaving || image_look_busy(s))
		return;
	s->leaving = false;
	proto_detach(&s->p);
}

/* ---- channels ---- */

static void
image_channel_ready(struct channel *ch)
{
	(void)ch; /* the instance imports nothing */
}

static void
image_channel_limit(
    struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	(void)ch; /* the channel has no limit */
	(void)a;
	(void)k;
	(void)max;
}

static bool
image_channel_refresh(struct channel *ch)
{
	(void)ch;
	return true;
}

static void
image_channel_slow(struct channel *ch)
{
	struct image_proto *s = image_of(channel_proto(ch));

	proto_log(
	    &s->p, LOG_C_WARN, "Restarting: the protocol reads the table too slowly");
	if (s->fib)
		image_restart(s);
}

static const struct channel_ops channel_ops = {
	.import_ready = image_channel_ready,
	.limit = image_channel_limit,
	.refresh = image_channel_refresh,
	.slow = image_channel_slow,
};

/* ---- commands ---- */

static void
image_reload(struct image_proto *s)
{
	if (!s->fib)
		return;
	channel_refresh_out(s->ch);
	worker_again(&s->p.worker);
	image_look_again(s, LOOK_ROUTES | (image_judges(s) ? LOOK_NETS : 0));
}

static void
image_reconf(struct image_proto *s, struct proto_cmd *cmd)
{
	uint32_t change = channel_change(s->ch, cmd);

	proto_adopt_conf(&s->p, cmd);
	if (s->fib) {
		channel_reconf(s->ch, change & ~(uint32_t)CONF_CH_IMPORT, cmd->soft);
		image_look_update(s);
		image_file_moved(s);
	} else if (proto_revives(&s->p, cmd)) {
		image_set_up(s);
	}
}

static void
image_command(struct proto *p, struct proto_cmd *cmd)
{
	struct image_proto *s = image_of(p);

	switch (cmd->kind) {
	case PROTO_START:
		image_set_up(s);
		break;
	case PROTO_STOP:
		s->disabled = true;
		image_set_down(s, image_removes(s, cmd), cmd->message);
		break;
	case PROTO_RESTART:
		image_restart(s);
		break;
	case PROTO_RELOAD_OUT:
	case PROTO_RELOAD:
		image_reload(s);
		break;
	case PROTO_RECONF:
		image_reconf(s, cmd);
		break;
	case PROTO_DELETE:
		image_set_down(s, image_removes(s, cmd), NULL);
		s->leaving = true;
		image_try_leave(s);
		break;
	case PROTO_RELOAD_IN:
	case PROTO_FLUSH_STALE:
	case PROTO_GUEST:
		break;
	}
}

/* ---- interfaces ---- */

static bool
image_concerned(
    const struct proto *p, const struct iface_list *old, const struct iface_list *now)
{
	const struct image_conf *conf = proto_conf_get(p)->opt;

	(void)old;
	(void)now;
	return conf->resolve;
}

static void
image_ifaces(struct proto *p)
{
	struct image_proto *s = image_of(p);

	if (s->fib && image_conf_of(s)->resolve)
		image_look_again(s, LOOK_ROUTES);
}

/* ---- life ---- */

static struct proto *
image_make(struct tern *t, const struct conf_proto *cf)
{
	struct image_proto *s = mem_aligned(MEM_PROTO, CACHE_LINE, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->p.cls = &image_proto_class;
	s->p.tern = t;
	s->sink.ops = &image_sink_ops;
	s->disabled = cf->disabled;
	arena_init(&s->arena, MEM_PROTO, 4096);
	image_routes_init(&s->routes);
	s->look.done = image_file_changed;
	s->look.ended = image_try_leave;
	s->ch = channel_new(&s->p, cf->chan, &channel_ops, &s->sink);
	return &s->p;
}

static void
image_start(struct proto *p)
{
	struct image_proto *s = image_of(p);

	worker_patient(&p->worker);
	image_look_start(s);
	image_file_start(s);
	if (p->cf->disabled)
		image_file_sweep(s, image_conf_of(s)->filename);
}

static void
image_free(TAKE struct proto *p)
{
	struct image_proto *s = image_of(p);

	channel_free(s->ch);
	image_routes_fini(&s->routes);
	image_file_free(s);
	arena_fini(&s->arena);
	mem_free(MEM_PROTO, s);
}

const struct proto_class image_proto_class = {
	.conf = &image_conf_class,
	.outward = true,
	.own_loop = true,
	.make = image_make,
	.start = image_start,
	.command = image_command,
	.plan.concerned = image_concerned,
	.ifaces = image_ifaces,
	.free = image_free,
	.health.trouble = image_trouble_text,
	.show.all = image_reply,
};
