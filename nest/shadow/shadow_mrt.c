/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A feed from a file in MRT format, which may still be growing (foreign_mrt.h).
 *
 * I1  While members have no room (shadow.full), no record is handled, and the thread that
 *     reads the file waits.
 * I2  If records of a file can no longer be found, the shadow stops reading and logs the
 *     end.
 *
 * Loop: the shadow's. Tested by test/net/test_shadow.py,
 * test_shadow_feeds.py. */
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/wire/mrt.h"
#include "nest/foreign/foreign_mrt.h"
#include "nest/shadow/shadow_priv.h"

#include <errno.h>
#include <string.h>

static struct shadow_feed *
mrt_feed_of(struct foreign_mrt *f)
{
	return container_of(f, struct shadow_feed, mrt);
}

static bool
mrt_is_out(const struct shadow_feed *f)
{
	return f->kind == SHADOW_MRT_OUT;
}

static bool
shadow_mrt_feed_ready(struct foreign_mrt *f)
{
	return !mrt_feed_of(f)->of->full; /* I1 */
}

static void
mrt_feed_record(struct foreign_mrt *f, const struct mrt_record *rec)
{
	shadow_feed_progress(
	    mrt_feed_of(f), rec->time_s * UINT64_C(1000000) + rec->micros);
}

/* ---- tables ---- */

static void *
mrt_feed_peer(struct foreign_mrt *f, const struct mrt_peer *k)
{
	return k->as ? shadow_member_get(mrt_feed_of(f)->of, k->addr, IP_NONE, k->as)
		     : NULL;
}

static void
mrt_feed_entry(struct foreign_mrt *f, void *peer, const struct foreign_message *m)
{
	struct shadow_feed *feed = mrt_feed_of(f);
	const char *why = "attributes can't be read";

	if (m)
		why = shadow_member_message(peer, m->msg, m->len, m->as4, m->ids);
	if (why)
		shadow_feed_bad(feed, feed->file, why);
}

/* ---- sessions ---- */

/* mrt_is_nobody - true: no address; BIRD 2 writes 0.0.0.0 after its socket was closed. */
static bool
mrt_is_nobody(struct ip_addr a)
{
	return ip_is_none(a) || ip_equal(a, ip4(0));
}

/* mrt_lost_member - the connection of a member has broken, and the record has the AS of
 * the member alone. NULL: no member of the AS is up, or several are. */
static struct shadow_member *
mrt_lost_member(struct shadow_feed *f, const struct mrt_bgp *b)
{
	uint32_t as = mrt_is_out(f) ? b->s.local_as : b->s.peer_as;
	struct shadow_member *found = NULL;
	struct list *n;

	list_for_each (n, &f->of->members) {
		struct shadow_member *m = container_of(n, struct shadow_member, link);

		if (m->as != as || !m->live.fed_up)
			continue;
		if (found) {
			shadow_feed_bad(f, f->file,
			    "a session of an AS with several sessions has ended, and the "
			    "record does not name the session");
			return NULL;
		}
		found = m;
	}
	return found;
}

/* mrt_session_member - the member of a record's session; NULL: the record has no
 * address. */
static struct shadow_member *
mrt_session_member(struct shadow_feed *f, const struct mrt_bgp *b)
{
	if (mrt_is_nobody(mrt_is_out(f) ? b->s.local : b->s.peer))
		return NULL;
	return mrt_is_out(f)
		   ? shadow_member_get(f->of, b->s.local, b->s.peer, b->s.local_as)
		   : shadow_member_get(f->of, b->s.peer, b->s.local, b->s.peer_as);
}

static void
mrt_feed_state(struct foreign_mrt *mrt, const struct mrt_bgp *b)
{
	struct shadow_feed *f = mrt_feed_of(mrt);
	struct shadow_member *m;

	m = mrt_session_member(f, b);
	if (b->old_state != FOREIGN_MRT_UP)
		return;
	if (!m)
		m = mrt_lost_member(f, b);
	if (m && mrt_is_out(f))
		shadow_member_live_down(m);
	else if (m)
		shadow_member_down(m, NULL, 0);
}

static void
mrt_feed_message(
    struct foreign_mrt *mrt, const struct mrt_bgp *b, const struct foreign_message *msg)
{
	struct shadow_feed *f = mrt_feed_of(mrt);
	struct shadow_member *m;
	const char *why;

	if (mrt_is_out(f) && b->local) /* the member's own words */
		return;
	m = mrt_session_member(f, b);
	if (!m)
		return;
	why = (mrt_is_out(f) || b->local ? shadow_member_live : shadow_member_message)(
	    m, msg->msg, msg->len, msg->as4, msg->ids);
	if (why)
		shadow_feed_bad(f, f->file, why);
}

/* ---- the file ---- */

static int
mrt_feed_wrong(struct foreign_mrt *f, int err)
{
	if (err != -ENOENT) /* -ENOENT: a table that began before the file */
		shadow_feed_bad(
		    mrt_feed_of(f), mrt_feed_of(f)->file, "a record can't be read");
	return 0;
}

static void
mrt_feed_ended(struct foreign_mrt *f, int err)
{
	if (err == -EPROTO) /* I2 */
		shadow_feed_bad(mrt_feed_of(f), mrt_feed_of(f)->file,
		    "the file isn't in MRT format; reading ends");
	foreign_mrt_close(f);
}

static const struct foreign_mrt_ops mrt_feed_ops = {
	.ready = shadow_mrt_feed_ready,
	.record = mrt_feed_record,
	.peer = mrt_feed_peer,
	.entry = mrt_feed_entry,
	.state = mrt_feed_state,
	.message = mrt_feed_message,
	.wrong = mrt_feed_wrong,
	.ended = mrt_feed_ended,
};

/* tables say nothing about records of members */
static const struct foreign_mrt_ops out_ops = {
	.ready = shadow_mrt_feed_ready,
	.record = mrt_feed_record,
	.state = mrt_feed_state,
	.message = mrt_feed_message,
	.wrong = mrt_feed_wrong,
	.ended = mrt_feed_ended,
};

void
shadow_mrt_start(struct shadow_feed *f)
{
	int err;

	foreign_mrt_init(
	    &f->mrt, &f->of->worker, mrt_is_out(f) ? &out_ops : &mrt_feed_ops);
	err = foreign_mrt_open(&f->mrt, "shadow mrt", f->file, true);
	if (err)
		shadow_feed_bad(f, f->file, strerror(-err));
}

void
shadow_mrt_go_on(struct shadow_feed *f)
{
	foreign_mrt_go_on(&f->mrt);
}

void
shadow_mrt_stop(struct shadow_feed *f)
{
	foreign_mrt_close(&f->mrt);
	foreign_mrt_fini(&f->mrt);
}
