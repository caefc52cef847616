/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol rpki: its channels, the commands of control, start and end.
 *
 * Loop: the instance's. */
#include "proto/rpki/rpki.h"

#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/wire/rtr.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

/* ---- channels ---- */

static void
rpki_import_ready(struct channel *ch)
{
	struct rpki_proto *s = rpki_of(channel_proto(ch));

	if (s->feed.on)
		rpki_feed(s);
}

static bool
rpki_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct rpki_proto *s = rpki_of(p);

	(void)cmd;
	rpki_note(s, p->life.message ? p->life.message : "");
	rpki_event(s, RPKI_EV_STOP);
	link_forget(s);
	return true;
}

static void
rpki_up(struct proto *p)
{
	struct rpki_proto *s = rpki_of(p);

	s->shown.troubled = false;
	s->cache.times = (struct rtr_times){ 0 };
	s->timers.backoff_s = 0;
	rpki_note(s, "");
	rpki_channels_up(s);
	rpki_event(s, RPKI_EV_BEGIN);
}

static struct rpki_chan *
rpki_chan_of(struct rpki_proto *s, const struct channel *ch)
{
	unsigned i = 0;

	while (s->chan[i].ch != ch)
		i++;
	return &s->chan[i];
}

static void
rpki_again(struct rpki_proto *s, struct rpki_chan *rc)
{
	rc->again = true;
	if (!s->feed.on)
		timer_set(&s->timers.more, 0);
}

static bool
rpki_refresh(struct channel *ch)
{
	struct rpki_proto *s = rpki_of(channel_proto(ch));

	rpki_again(s, rpki_chan_of(s, ch));
	return true;
}

static void
rpki_detached(struct proto *p)
{
	rpki_of(p)->detached = true;
	rpki_try_gone(rpki_of(p));
}

/* An instance sends no routes: it has no sink. */
static const struct channel_ops channel_ops = {
	.remakes = true,
	.import_ready = rpki_import_ready,
	.limit = proto_life_limit,
	.refresh = rpki_refresh,
};

/* ---- commands ---- */

static void
rpki_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct rpki_proto *s = rpki_of(p);
	uint32_t refresh_s = rpki_refresh_s(s), expire_s = rpki_expire_s(s);

	rpki_feed_forget(s); /* the preference is in the sets */
	proto_life_adopt(p, cmd);
	rpki_timers_changed(s, refresh_s, expire_s);
	rpki_publish(p);
}

/* rpki_busy - true while data of the cache is on the way to the tables. */
static bool
rpki_busy(const struct proto *p)
{
	const struct rpki_proto *s = (const struct rpki_proto *)p;
	bool again = false;

	for (unsigned i = 0; i < RPKI_TABLES; i++)
		again |= s->chan[i].again;
	return proto_life_is_up(p) && (again || s->feed.on);
}

/* ---- life ---- */

static void
rpki_make(struct proto *p, const struct conf_proto *cf)
{
	struct rpki_proto *s = rpki_of(p);
	enum rpki_merge merge = rpki_conf_of(cf)->ignore_max_length ? RPKI_ANY_LENGTH
								    : RPKI_AS_SENT;

	s->state = RPKI_DOWN;
	arena_init(&s->feed.arena, MEM_PROTO, 4096);
	for (unsigned i = 0; i < RPKI_TABLES; i++)
		rpki_data_init(&s->chan[i].data, RPKI_FIRST_KIND + i, merge);
	for (const struct conf_channel *cc = cf->chan; cc; cc = cc->next)
		s->chan[cc->kind - RPKI_FIRST_KIND].ch = channel_new(
		    &s->p, cc, &channel_ops, NULL);
}

static const struct rpki_link_ops link_ops = {
	.up = rpki_link_up,
	.lost = rpki_link_lost,
	.octets = rpki_rx,
};

static void
rpki_start(struct proto *p)
{
	struct rpki_proto *s = rpki_of(p);

	rpki_timers_init(s);
	link_init(s, &link_ops);
}

static void
rpki_free(struct proto *p)
{
	struct rpki_proto *s = rpki_of(p);

	for (unsigned i = 0; i < RPKI_TABLES; i++) {
		rpki_data_fini(&s->chan[i].data);
		if (s->chan[i].ch)
			channel_free(s->chan[i].ch);
	}
	rpki_snap_free(s);
	arena_fini(&s->feed.arena);
}

const struct proto_class rpki_proto_class = {
	.conf = &rpki_conf_class,
	.size = sizeof(struct rpki_proto),
	.make = rpki_make,
	.start = rpki_start,
	.command = proto_life_command,
	.life = { .up = rpki_up,
	    .down = rpki_down,
	    .publish = rpki_publish,
	    .reconf = rpki_reconf },
	.busy = rpki_busy,
	.detached = rpki_detached,
	.free = rpki_free,
	.keeps_routes = true,
	.health.absent = rpki_absent,
	.health.trouble = rpki_trouble,
	.health.data_age = rpki_data_age,
	.show.all = rpki_reply,
	.order = { .kind = PATH_KIND_RPKI },
};
