/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A feed from a file in MRT format, which may still be growing (foreign_mrt.h).
 *
 * I1  While members have no room (shadow.full), no record is handled, and the thread that
 *     reads the file waits.
 * I2  If records of a file can no longer be found, the shadow stops reading and logs the
 *     end.
 * I3  A snapshot (`snapshot:FILE`) is read once, and its first fault stays for reports.
 *
 * Loop: the shadow's. Tested by test/net/test_shadow.py,
 * test_shadow_feeds.py. */
#include "lib/base/list.h"
#include "lib/net/ip.h"
#include "lib/wire/mrt.h"
#include "nest/foreign/foreign_mrt.h"
#include "nest/shadow/shadow_priv.h"

#include <bsd/string.h>
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

/* shadow_mrt_fault - the first fault of a snapshot stays. */
static void
shadow_mrt_fault(struct shadow_feed *f, const char *why)
{
	if (f->kind == SHADOW_SNAPSHOT && !f->why[0])
		strlcpy(f->why, why, sizeof(f->why));
}

static void *
mrt_feed_peer(struct foreign_mrt *f, const struct mrt_peer *k)
{
	struct shadow_feed *feed = mrt_feed_of(f);
	struct shadow_member *m = k->as ? shadow_member_get(
					      feed->of, k->addr, IP_NONE, k->as)
					: NULL;

	if (m && feed->kind == SHADOW_SNAPSHOT) /* also without a route */
		shadow_member_up(m);
	return m;
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
	if (why)
		shadow_mrt_fault(feed, why);
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
	shadow_mrt_fault(mrt_feed_of(f), "a record can't be read");
	if (err != -ENOENT) /* -ENOENT: a table that began before the file */
		shadow_feed_bad(
		    mrt_feed_of(f), mrt_feed_of(f)->file, "a record can't be read");
	return 0;
}

/* mrt_snapshot_ended - the file has ended, or reading has. */
static void
mrt_snapshot_ended(struct shadow_feed *f, int err)
{
	int file_err = f->mrt.begun ? foreign_mrt_error(&f->mrt) : 0;

	f->ended = true;
	if (file_err)
		shadow_mrt_fault(f, strerror(file_err));
	else if (err == -EPROTO)
		shadow_mrt_fault(f, "the file isn't in MRT format");
	else if (!foreign_mrt_is_whole(&f->mrt))
		shadow_mrt_fault(f, "the file ends within a record, or has changed");
	else if (!f->mrt.records)
		shadow_mrt_fault(f, "the file is empty");
}

static void
mrt_feed_ended(struct foreign_mrt *f, int err)
{
	if (err == -EPROTO) /* I2 */
		shadow_feed_bad(mrt_feed_of(f), mrt_feed_of(f)->file,
		    "the file isn't in MRT format; reading ends");
	if (mrt_feed_of(f)->kind == SHADOW_SNAPSHOT)
		mrt_snapshot_ended(mrt_feed_of(f), err);
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
	err = foreign_mrt_open(
	    &f->mrt, "shadow mrt", f->file, f->kind != SHADOW_SNAPSHOT);
	if (!err)
		return;
	shadow_feed_bad(f, f->file, strerror(-err));
	shadow_mrt_fault(f, strerror(-err));
	f->ended = true;
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
