/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The local restart from the view of a session (RFC 4724, 4.1; nest/core/recovery.h):
 * waiting for the peer, the flags of the OPEN, and the silent end before the restart.
 *
 *      created        the families are awaited, unless the session is disabled or
 *                     `graceful restart` is off
 *      established    families of a peer without the capability, or of a peer that
 *                     restarts too, are no longer awaited
 *      End-of-RIB     the family is no longer awaited, once its routes are in the table
 *      broken         the wait continues: the peer may return
 *      disabled, gone no family is awaited
 *
 * The wait for a neighbor range lasts to the end, because the set of peers is unknown.
 *
 * Loop: the session's, but for recover_join. Tests: test/net/test_own_restart. */
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "nest/channel/channel.h"
#include "nest/conf/config.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "nest/daemon/recovery.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/session/bgp_nego.h"
#include "sysdep/loop/loop.h"

void
recover_join(struct bgp_session *s, const struct conf_proto *cf)
{
	const struct bgp_conf *b = bgp_conf_of(cf);
	struct tern *t = s->p.tern;
	uint8_t waits = 0, keeps = 0;

	if (!recovery_held(&t->recovery) || cf->disabled || b->gr.mode == BGP_GR_OFF)
		return;
	for (const struct conf_channel *c = cf->chan; c; c = c->next) {
		const struct bgp_channel_conf *cc = bgp_channel_conf_of(c);

		waits |= FAM_BIT(c->family);
		if (bgp_nego_restarts(b, cc) || bgp_nego_long_lived(b, cc))
			keeps |= FAM_BIT(c->family);
	}
	s->recovery.keeps = true;
	s->recovery.awaited = recovery_join(t, waits, keeps);
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->recovery.awaited & FAM_BIT(f))
			channel_await(s->chan[f], true);
}

unsigned
recover_open(const struct bgp_session *s)
{
	/* later as well: a peer that connects late does not know of the restart */
	if (s->recovery.keeps || recovery_held(&s->p.tern->recovery))
		return BGP_OPEN_R | BGP_OPEN_F;
	return s->recovery.forwards ? BGP_OPEN_F : 0;
}

/* A mark behind the peer's announcements. */
struct through_mark {
	struct table_mark mark; /* first */
	struct tern *tern;
	enum family f;
};

static void
bgp_recovery_published(struct worker *w, TAKE struct msg *m)
{
	struct through_mark *th = container_of(m, struct through_mark, mark.msg);

	(void)w;
	recovery_through(th->tern, th->f);
	mem_free(MEM_PROTO, th);
}

void
recover_through(struct bgp_session *s, unsigned f)
{
	struct through_mark *th;

	if (!(s->recovery.awaited & FAM_BIT(f)))
		return;
	s->recovery.awaited &= (uint8_t)~FAM_BIT(f);
	channel_await(s->chan[f], false);
	if (!channel_is_up(s->chan[f])) {
		recovery_through(s->p.tern, (enum family)f);
		return;
	}
	th = mem_zalloc(MEM_PROTO, sizeof(*th));
	th->mark.msg.handle = bgp_recovery_published;
	th->mark.to = table_worker(channel_table(s->chan[f]));
	th->tern = s->p.tern;
	th->f = (enum family)f;
	channel_mark(s->chan[f], &th->mark);
}

void
recover_up(struct bgp_session *s, const struct bgp_conn *c)
{
	const struct bgp_caps *theirs = &c->theirs.caps;
	bool restarts = theirs->gr.on && !theirs->gr.restarting;

	s->recovery.keeps = false;
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (!restarts || !(c->terms.params.fam & FAM_BIT(f)))
			recover_through(s, f);
}

void
recover_end(struct bgp_session *s)
{
	for (unsigned f = 0; f < FAM_CNT; f++)
		recover_through(s, f);
}
