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
#include "nest/channel/instance/proto_life.h"
#include "nest/rib/table.h"
#include "proto/image/image_priv.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"

/* ---- up and down ---- */

static void
image_up(struct proto *p)
{
	struct image_proto *s = image_of(p);
	const struct fib_entry reject = { .hop_kind = FIB_HOP_REJECT };
	const struct fib_options o = { .family = channel_family(s->ch),
		.fields = image_conf_of(s)->fields,
		.table = table_name(channel_table(s->ch)) };
	struct route_source src = { .proto = p->name };
	int rc;

	s->fib = fib_new(&o);
	rc = fib_value_get(s->fib, &reject, &s->reject);
	ASSERT(!rc); /* an empty builder has room */
	image_file_up(s);
	image_look_update(s);
	channel_recovers(s->ch, true);
	channel_up(s->ch, &src);
}

/* image_removes - true: the file has no use after the command @cmd; NULL: no command. */
static bool
image_removes(const struct image_proto *s, const struct proto_cmd *cmd)
{
	switch (cmd ? cmd->reason : PR_NONE) {
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

static bool
image_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct image_proto *s = image_of(p);
	bool remove = image_removes(s, cmd);

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
	return true;
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

static void
image_leave(struct proto *p)
{
	image_of(p)->leaving = true;
	image_try_leave(image_of(p));
}

/* ---- channels ---- */

static void
image_channel_ready(struct channel *ch)
{
	(void)ch; /* the instance imports nothing */
}

static bool
image_channel_refresh(struct channel *ch)
{
	(void)ch;
	return true;
}

static const struct channel_ops channel_ops = {
	.remakes = true,
	.import_ready = image_channel_ready,
	.limit = proto_life_limit,
	.refresh = image_channel_refresh,
	.slow = proto_life_slow,
};

/* ---- commands ---- */

static void
image_reload(struct proto *p, bool in, bool out)
{
	struct image_proto *s = image_of(p);

	(void)in; /* the instance imports nothing */
	if (!out)
		return;
	channel_refresh_out(s->ch);
	worker_again(&p->worker);
	image_look_again(s, LOOK_ROUTES | (image_judges(s) ? LOOK_NETS : 0));
}

static void
image_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct image_proto *s = image_of(p);

	proto_life_adopt(p, cmd);
	if (!proto_life_is_up(p))
		return;
	image_look_update(s);
	image_file_moved(s);
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

	if (proto_life_is_up(p) && image_conf_of(s)->resolve)
		image_look_again(s, LOOK_ROUTES);
}

/* ---- life ---- */

static void
image_make(struct proto *p, const struct conf_proto *cf)
{
	struct image_proto *s = image_of(p);

	s->sink.ops = &image_sink_ops;
	arena_init(&s->arena, MEM_PROTO, 4096);
	image_routes_init(&s->routes);
	s->look.done = image_file_changed;
	s->look.ended = image_try_leave;
	s->ch = channel_new(&s->p, cf->chan, &channel_ops, &s->sink);
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
image_free(struct proto *p)
{
	struct image_proto *s = image_of(p);

	channel_free(s->ch);
	image_routes_fini(&s->routes);
	image_file_free(s);
	arena_fini(&s->arena);
}

const struct proto_class image_proto_class = {
	.conf = &image_conf_class,
	.outward = true,
	.own_loop = true,
	.size = sizeof(struct image_proto),
	.make = image_make,
	.start = image_start,
	.command = proto_life_command,
	.life = { .up = image_up,
	    .down = image_down,
	    .publish = image_publish,
	    .reload = image_reload,
	    .reconf = image_reconf,
	    .leave = image_leave },
	.plan.concerned = image_concerned,
	.ifaces = image_ifaces,
	.free = image_free,
	.health.trouble = image_trouble_text,
	.show.all = image_reply,
};
