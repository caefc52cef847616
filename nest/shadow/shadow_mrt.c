/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A feed from a file in MRT format, which may still be growing.
 *
 * I1  A thread reads the file, waits at its end for more, and begins anew when another
 *     file has taken its name; it ends when its socket is closed.
 * I2  Records are taken in their order, each whole; while members have no room
 *     (shadow.full), nothing is read, and the thread waits.
 * I3  A file whose frames can't be read any more is left alone: that is told.
 *
 * Loop: the shadow's, but for follow. Tested by test/net/test_shadow.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/mrt.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"
#include "nest/shadow/shadow_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"
#include "sysdep/os/side.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_opt.h"

#include <errno.h>
#include <string.h>

#define RECORD_MAX (32u << 20)
#define BODY_MAX   (66u << 10)
#define STATE_UP   6 /* Established, as MRT counts (RFC 6396, 4.4.1) */
#define WAIT_MS    100 /* at the file's end */

/* ---- the thread ---- */

/* is_other - another file has the name @path now. */
static bool
is_other(int fd, const char *path)
{
	struct file_info a, b;

	return !file_look_fd(fd, &a) && !file_look(path, &b) &&
	       (a.inode != b.inode || a.device != b.device);
}

/* send_file - up to the end that it has now. Returns: false: nobody wants more. */
static bool
send_file(int to, int fd, uint8_t *buf)
{
	ssize_t n;

	while ((n = fd_read(fd, buf, SHADOW_READ)) > 0)
		if (sock_send_all(to, buf, (size_t)n))
			return false;
	return true;
}

static void
follow(TAKE int to, TAKE void *arg)
{
	uint8_t *buf = mem_alloc(MEM_OTHER, SHADOW_READ);
	int fd = -1;

	do {
		bool other = fd >= 0 && is_other(fd, arg);

		if (fd < 0)
			fd = file_open(arg, true);
		if (fd >= 0 && !send_file(to, fd, buf))
			break;
		if (other) { /* what came to the old one before is read */
			fd_close(fd);
			fd = -1;
		}
	} while (!sock_has_ended(to, WAIT_MS)); /* nobody wants it any more */
	if (fd >= 0)
		fd_close(fd);
	fd_close(to);
	mem_free(MEM_OTHER, buf);
	mem_free(MEM_OTHER, arg);
}

/* ---- records ---- */

static int
take_index(struct shadow_feed *f, const struct mrt_record *rec)
{
	struct mrt_index x;
	struct mrt_peer k;

	if (mrt_index_get(rec, &x))
		return -EPROTO;
	mem_free(MEM_OTHER, f->index);
	f->index_cnt = 0;
	f->index = mem_zalloc(
	    MEM_OTHER, ((size_t)x.peer_cnt + 1) * sizeof(struct shadow_member *));
	while (x.peer_cnt) {
		if (mrt_index_next(&x, &k))
			return -EPROTO;
		f->index[f->index_cnt++] = k.as ? shadow_member_get(
						      f->of, k.addr, IP_NONE, k.as)
						: NULL;
	}
	return 0;
}

/* take_entry - a route of a table, as the UPDATE that has brought it. */
static void
take_entry(struct shadow_feed *f, const struct mrt_net *n, const struct mrt_entry *e,
    uint8_t *msg)
{
	struct shadow_member *m = e->peer < f->index_cnt ? f->index[e->peer] : NULL;
	struct wbuf w = wbuf_of(msg, BGP_HDR_LEN + BODY_MAX);
	uint8_t *start;
	const char *why;

	if (!m)
		return; /* of no member */
	start = bgp_msg_start(&w, BGP_UPDATE);
	if (mrt_entry_body(&w, n, e) || wbuf_len(&w) > BGP_MSG_EXT_MAX) {
		shadow_feed_bad(f, f->file, "attributes can't be read");
		return;
	}
	bgp_msg_finish(&w, start);
	memset(msg + wbuf_len(&w), 0, SHADOW_SLACK);
	why = shadow_member_message(
	    m, msg, wbuf_len(&w), true, n->add_path ? FAM_BIT(n->net.fam) : 0);
	if (why)
		shadow_feed_bad(f, f->file, why);
}

static int
take_net(struct shadow_feed *f, const struct mrt_record *rec)
{
	uint8_t *msg = mem_alloc(MEM_OTHER, BGP_HDR_LEN + BODY_MAX + SHADOW_SLACK);
	struct mrt_entry e;
	struct mrt_net n;
	int err = mrt_net_get(rec, &n);

	while (!err && n.entry_cnt) {
		err = mrt_net_next(&n, &e);
		if (!err)
			take_entry(f, &n, &e, msg);
	}
	mem_free(MEM_OTHER, msg);
	return err;
}

/* take_state - of a session of the live server; of a member's if @live. */
static void
take_state(struct shadow_member *m, const struct mrt_bgp *b, bool live)
{
	if (b->old_state != STATE_UP)
		return;
	if (live)
		shadow_member_live_down(m);
	else
		shadow_member_down(m, NULL, 0);
}

/* is_nobody - BIRD 2 writes 0.0.0.0 where it has no socket any more. */
static bool
is_nobody(struct ip_addr a)
{
	return ip_is_none(a) || ip_equal(a, ip4(0));
}

/* take_loss - the connection of a member has broken; only its AS is told. One of those
 * that are up must be meant; of several it isn't known which. */
static void
take_loss(struct shadow_feed *f, const struct mrt_bgp *b)
{
	uint32_t as = f->kind == SHADOW_MRT_OUT ? b->s.local_as : b->s.peer_as;
	struct shadow_member *found = NULL;
	struct list *n;

	if (b->old_state != STATE_UP)
		return;
	list_for_each (n, &f->of->members) {
		struct shadow_member *m = container_of(n, struct shadow_member, link);

		if (m->as != as || !m->fed_up)
			continue;
		if (found) {
			shadow_feed_bad(f, f->file,
			    "a session has ended, and it isn't told which one of its AS");
			return;
		}
		found = m;
	}
	if (found)
		take_state(found, b, f->kind == SHADOW_MRT_OUT);
}

static int
take_bgp(struct shadow_feed *f, const struct mrt_record *rec)
{
	bool out = f->kind == SHADOW_MRT_OUT;
	const char *why = NULL;
	struct shadow_member *m;
	struct mrt_bgp b;
	int err = mrt_bgp_get(rec, &b);
	uint8_t ids, *msg;

	if (err || (out && b.local)) /* the member's own words */
		return err;
	if (is_nobody(out ? b.s.local : b.s.peer)) {
		if (b.is_state)
			take_loss(f, &b);
		return 0;
	}
	m = out ? shadow_member_get(f->of, b.s.local, b.s.peer, b.s.local_as)
		: shadow_member_get(f->of, b.s.peer, b.s.local, b.s.peer_as);
	if (b.is_state) {
		take_state(m, &b, out);
		return 0;
	}
	if (b.len < BGP_HDR_LEN || get_be16(b.msg + 16) != b.len)
		return -EPROTO;
	msg = mem_alloc(MEM_OTHER, b.len + SHADOW_SLACK);
	memcpy(msg, b.msg, b.len);
	memset(msg + b.len, 0, SHADOW_SLACK);
	ids = b.add_path ? FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6) : 0;
	if (out || b.local)
		why = shadow_member_live(m, msg, b.len, b.s.as4, ids);
	else
		why = shadow_member_message(m, msg, b.len, b.s.as4, ids);
	mem_free(MEM_OTHER, msg);
	if (why)
		shadow_feed_bad(f, f->file, why);
	return 0;
}

static int
take(struct shadow_feed *f, const struct mrt_record *rec)
{
	shadow_feed_told(f, rec->time_s * UINT64_C(1000000) + rec->micros);
	if (rec->type == MRT_BGP4MP || rec->type == MRT_BGP4MP_ET)
		return take_bgp(f, rec);
	if (rec->type != MRT_TABLE_DUMP_V2 || f->kind == SHADOW_MRT_OUT)
		return -ENOTSUP;
	return rec->subtype == MRT_PEER_INDEX_TABLE ? take_index(f, rec)
						    : take_net(f, rec);
}

/* ---- the stream ---- */

/* one - Returns: 1: a record was taken; 0: it isn't whole yet; -EPROTO: it is none. */
static int
one(struct shadow_feed *f)
{
	uint32_t left = f->in.len - f->in.pos, whole;
	const uint8_t *at = f->in.at + f->in.pos;
	struct mrt_record rec;
	struct rbuf r;
	int err;

	if (left < MRT_HEADER_LEN)
		return 0;
	whole = get_be32(at + 8);
	if (whole > RECORD_MAX)
		return -EPROTO;
	if (left < MRT_HEADER_LEN + whole)
		return 0;
	r = rbuf_of(at, MRT_HEADER_LEN + whole);
	err = mrt_next(&r, &rec) == 1 ? take(f, &rec) : -EPROTO;
	if (err && err != -ENOTSUP)
		shadow_feed_bad(f, f->file, "a record can't be read");
	f->in.pos += MRT_HEADER_LEN + whole;
	f->records++;
	return 1;
}

void
shadow_mrt_go_on(struct shadow_feed *f)
{
	int rc = 1;

	if (!sock_tcp_is_open(&f->sock))
		return;
	while (!f->of->full && (rc = one(f)) > 0)
		;
	if (rc >= 0) {
		sock_tcp_want(&f->sock, !rc, false);
		return;
	}
	shadow_feed_bad(
	    f, f->file, "it isn't in MRT format; nothing more is read"); /* I3 */
	sock_tcp_close(&f->sock);
}

static void
readable(struct sock_tcp *s)
{
	struct shadow_feed *f = container_of(s, struct shadow_feed, sock);
	ssize_t n = sock_tcp_read(
	    s, shadow_octets_room(&f->in, SHADOW_READ), SHADOW_READ);

	if (n < 0) {
		sock_tcp_close(s);
	} else if (n > 0) {
		shadow_octets_got(&f->in, (uint32_t)n);
		shadow_mrt_go_on(f);
	}
}

static void
failed(struct sock_tcp *s, int err)
{
	(void)s, (void)err; /* what was sent before is still to be read */
}

static const struct sock_tcp_ops sock_ops = {
	.readable = readable,
	.failed = failed,
};

void
shadow_mrt_start(struct shadow_feed *f)
{
	char *file = mem_strdup(MEM_OTHER, f->file);
	int fd = side_start("shadow mrt", follow, file);

	sock_tcp_init(&f->sock, &f->of->worker, &sock_ops);
	if (fd < 0) {
		mem_free(MEM_OTHER, file);
		shadow_feed_bad(f, f->file, strerror(-fd));
		return;
	}
	sock_tcp_adopt(&f->sock, fd);
	sock_tcp_want(&f->sock, true, false);
}

void
shadow_mrt_stop(struct shadow_feed *f)
{
	sock_tcp_close(&f->sock);
	shadow_octets_free(&f->in);
	mem_free(MEM_OTHER, f->index);
}
