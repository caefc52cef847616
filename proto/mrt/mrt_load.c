/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file in MRT format becomes routes.
 *
 * The thread sends 8 octets first: the file's size, or UINT64_MAX minus an errno. Then it
 * sends the file.
 *
 * I1  Records are taken in their order, each whole; while the tables take none, nothing
 *     is read from the socket, and the thread waits.
 * I2  A record that can't be read ends the load with a line in the log; what came before
 *     it stays.
 *
 * Loop: the instance's, but for read_file. Tested by test/net/test_mrt_load.py. */
#include "proto/mrt/mrt_load.h"

#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/mrt.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/import/many_peers.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"
#include "sysdep/os/side.h"
#include "sysdep/sock/sock_io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define READ_MAX   (64u << 10)
#define RECORD_MAX (32u << 20)
#define SLACK      32
#define BODY_MAX   (66u << 10)
#define STATE_UP   6 /* Established, as MRT counts (RFC 6396, 4.4.1) */

/* A peer of the file. */
struct mrt_load_peer {
	struct htab_node node; /* of mrt_load.peers */
	struct mrt_peer key; /* without its identifier */
	struct many_peer *to;
};

/* ---- the thread ---- */

static void
read_file(TAKE int to, TAKE void *arg)
{
	uint8_t *buf = mem_alloc(MEM_PROTO, READ_MAX);
	int fd = file_open(arg, true);
	struct file_info i;
	uint64_t head;
	int err = fd < 0 ? fd : file_look_fd(fd, &i);
	ssize_t n;

	if (!err && i.kind != FILE_REGULAR)
		err = -EINVAL;
	head = err ? UINT64_MAX + (uint64_t)(int64_t)err : i.size;
	if (!sock_send_all(to, &head, sizeof(head)) && !err)
		while ((n = fd_read(fd, buf, READ_MAX)) > 0)
			if (sock_send_all(to, buf, (size_t)n))
				break; /* nobody wants it any more */
	if (fd >= 0)
		fd_close(fd);
	fd_close(to);
	mem_free(MEM_PROTO, buf);
	mem_free(MEM_PROTO, arg);
}

/* ---- peers ---- */

static struct mrt_load_peer *
peer_get(struct mrt_load *l, const struct mrt_peer *k)
{
	uint64_t word[3] = { k->addr.hi, k->addr.lo, k->as };
	uint64_t hash = hash_bytes(0, word, sizeof(word));
	struct route_source src = { .from = k->addr,
		.peer_as = k->as,
		.peer_router_id = k->router_id,
		.is_bgp = true,
		.is_ebgp = true };
	char ip[IP_STR_MAX], name[64];
	struct mrt_load_peer *p;
	struct htab_node *n;

	htab_each_same (n, &l->peers, hash) {
		p = container_of(n, struct mrt_load_peer, node);
		if (ip_equal(p->key.addr, k->addr) && p->key.as == k->as)
			return p;
	}
	p = mem_zalloc(MEM_PROTO, sizeof(*p));
	p->key = *k;
	snprintf(name, sizeof(name), "%.22s/%s", l->p->name, ip_str(ip, k->addr));
	p->to = many_peer_new(&l->to, &src, name);
	htab_add(&l->peers, &p->node, hash);
	return p;
}

static void
forget_peers(struct mrt_load *l)
{
	struct htab_node *n = htab_walk(&l->peers, NULL), *next;

	for (; n; n = next) {
		struct mrt_load_peer *p = container_of(n, struct mrt_load_peer, node);

		next = htab_walk(&l->peers, n);
		if (p->to)
			many_peer_free(p->to);
		htab_del(&l->peers, n);
		mem_free(MEM_PROTO, p);
	}
	htab_fini(&l->peers);
	htab_init(&l->peers, MEM_PROTO);
	mem_free(MEM_PROTO, l->index);
	mem_free(MEM_PROTO, l->index_key);
	l->index = NULL;
	l->index_key = NULL;
	l->index_cnt = 0;
}

/* ---- records ---- */

/* bad_route - one that isn't taken; the first is told. */
static void
bad_route(struct mrt_load *l, const char *why)
{
	if (!l->bad++)
		proto_log(l->p, LOG_C_REMOTE,
		    "%s: record %llu: a route isn't taken: %s (further ones are only "
		    "counted)",
		    l->file, (unsigned long long)l->record, why);
}

static void
update(struct mrt_load *l, const struct mrt_load_peer *p, const struct many_update *u)
{
	struct bgp_err err;
	uint8_t eor;

	if (!p->to) {
		bad_route(l, "there are too many peers");
		return;
	}
	err = many_peer_update(p->to, u, &eor);
	if (err.severity >= BGP_SEV_WITHDRAW)
		bad_route(l, err.text);
	else
		l->routes++;
}

static int
take_index(struct mrt_load *l, const struct mrt_record *rec)
{
	struct mrt_index x;
	struct mrt_peer k;

	if (mrt_index_get(rec, &x))
		return -EPROTO;
	mem_free(MEM_PROTO, l->index);
	mem_free(MEM_PROTO, l->index_key);
	l->index_cnt = 0;
	l->index_key = mem_alloc(MEM_PROTO, ((size_t)x.peer_cnt + 1) * sizeof(k));
	l->index = mem_zalloc(
	    MEM_PROTO, ((size_t)x.peer_cnt + 1) * sizeof(struct mrt_load_peer *));
	while (x.peer_cnt) {
		if (mrt_index_next(&x, &k))
			return -EPROTO;
		l->index_key[l->index_cnt] = k;
		l->index[l->index_cnt++] = peer_get(l, &k);
	}
	return 0;
}

/* index_at - peer @i of the last index: made anew, if it was lost since. */
static struct mrt_load_peer *
index_at(struct mrt_load *l, uint32_t i)
{
	if (!l->index[i])
		l->index[i] = peer_get(l, &l->index_key[i]);
	return l->index[i];
}

static int
take_net(struct mrt_load *l, const struct mrt_record *rec)
{
	uint8_t *body = mem_alloc(MEM_PROTO, BODY_MAX + SLACK);
	struct mrt_entry e;
	struct mrt_net n;
	int err = mrt_net_get(rec, &n);

	while (!err && n.entry_cnt) {
		struct wbuf w = wbuf_of(body, BODY_MAX);
		struct many_update u = { .body = body, .as4 = true };

		err = mrt_net_next(&n, &e);
		if (err)
			break;
		if (e.peer >= l->index_cnt) {
			err = -ENOENT;
			break;
		}
		if (mrt_entry_body(&w, &n, &e)) {
			bad_route(l, "its attributes can't be read, or it has no next "
				     "hop");
			continue;
		}
		u.len = wbuf_len(&w);
		u.ids = n.add_path ? FAM_BIT(n.net.fam) : 0;
		memset(body + u.len, 0, SLACK);
		update(l, index_at(l, e.peer), &u);
	}
	mem_free(MEM_PROTO, body);
	return err;
}

/* take_message - an UPDATE that a peer has sent; or it was lost. */
static int
take_message(struct mrt_load *l, const struct mrt_record *rec)
{
	struct mrt_load_peer *p;
	struct mrt_bgp b;
	int err = mrt_bgp_get(rec, &b);

	if (err || b.local)
		return err;
	if (b.is_state && b.new_state == STATE_UP)
		return 0;
	p = peer_get(l, &(struct mrt_peer){ .addr = b.s.peer, .as = b.s.peer_as });
	if (b.is_state) { /* its routes go; what comes next makes it anew */
		if (p->to)
			many_peer_drop(p->to);
		p->to = NULL;
		htab_del(&l->peers, &p->node);
		for (uint32_t i = 0; i < l->index_cnt; i++)
			if (l->index[i] == p)
				l->index[i] = NULL;
		mem_free(MEM_PROTO, p);
		return 0;
	}
	if (b.len < BGP_HDR_LEN || get_be16(b.msg + 16) != b.len)
		return -EPROTO;
	if (b.msg[18] == BGP_UPDATE)
		update(l, p,
		    &(struct many_update){ .body = b.msg + BGP_HDR_LEN,
			.len = b.len - BGP_HDR_LEN,
			.as4 = b.s.as4,
			.ids = b.add_path ? FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6) : 0 });
	return 0;
}

static int
take(struct mrt_load *l, const struct mrt_record *rec)
{
	if (rec->type == MRT_BGP4MP || rec->type == MRT_BGP4MP_ET)
		return take_message(l, rec);
	if (rec->type != MRT_TABLE_DUMP_V2)
		return -ENOTSUP;
	return rec->subtype == MRT_PEER_INDEX_TABLE ? take_index(l, rec)
						    : take_net(l, rec);
}

/* ---- the stream ---- */

static void
say(struct mrt_load *l, enum proto_state state, const char *text)
{
	proto_publish(l->p, state, false, text, NULL);
}

/* stop_reading - @why: NULL: that was all. */
static void
stop_reading(struct mrt_load *l, const char *why)
{
	char text[128];

	sock_tcp_close(&l->sock);
	mem_free(MEM_PROTO, l->buf);
	l->buf = NULL;
	l->pos = l->len = l->cap = 0;
	if (why) {
		proto_log(l->p, LOG_C_ERR, "%s: record %llu: %s", l->file,
		    (unsigned long long)l->record, why);
		snprintf(text, sizeof(text), "Record %llu: %s",
		    (unsigned long long)l->record, why);
	} else {
		snprintf(text, sizeof(text), "%llu routes of %u peers",
		    (unsigned long long)l->routes, l->to.cnt);
		proto_log(l->p, LOG_C_INFO, "%s: %s, %llu not taken", l->file, text,
		    (unsigned long long)l->bad);
	}
	say(l, PS_UP, text);
}

/* one - Returns: 1: a record was taken; 0: it isn't whole yet; negative: it can't be
 * read. */
static int
one(struct mrt_load *l)
{
	uint32_t left = l->len - l->pos, whole;
	struct mrt_record rec;
	struct rbuf r;
	int err;

	if (left < MRT_HEADER_LEN)
		return 0;
	whole = get_be32(l->buf + l->pos + 8);
	if (whole > RECORD_MAX)
		return -EPROTO;
	if (left < MRT_HEADER_LEN + whole)
		return 0;
	r = rbuf_of(l->buf + l->pos, MRT_HEADER_LEN + whole);
	err = mrt_next(&r, &rec) == 1 ? take(l, &rec) : -EPROTO;
	l->pos += MRT_HEADER_LEN + whole;
	if (err && err != -ENOTSUP)
		return err;
	l->record++;
	return 1;
}

static void
ended(struct mrt_load *l)
{
	if (l->got != l->size + sizeof(l->size))
		stop_reading(l, "the file ends too early, or can't be read");
	else if (l->len != l->pos)
		stop_reading(l, "it is cut");
	else
		stop_reading(l, NULL);
}

static void
records(struct mrt_load *l)
{
	int rc = 1;

	while (many_peers_ready(&l->to) && (rc = one(l)) > 0)
		;
	if (rc == -ENOENT)
		stop_reading(l, "a peer that isn't in the index");
	else if (rc < 0)
		stop_reading(l, "it can't be read");
	else if (rc == 0 && l->ended)
		ended(l);
	else
		sock_tcp_want(&l->sock, rc == 0 && !l->ended, false);
}

/* take_head - what the thread says first. Returns: false: there is no file. */
static bool
take_head(struct mrt_load *l)
{
	uint64_t head;
	char text[128];

	memcpy(&head, l->buf, sizeof(head));
	l->pos = sizeof(head);
	l->begun = true;
	l->size = head;
	if (head < UINT64_MAX - 4096)
		return true;
	snprintf(
	    text, sizeof(text), "Can't be read: %s", strerror((int)(UINT64_MAX - head)));
	proto_log(l->p, LOG_C_ERR, "%s: %s", l->file, text);
	sock_tcp_close(&l->sock);
	say(l, PS_START, text);
	return false;
}

static void
readable(struct sock_tcp *s)
{
	struct mrt_load *l = container_of(s, struct mrt_load, sock);
	ssize_t n;

	if (l->pos) {
		l->len -= l->pos;
		memmove(l->buf, l->buf + l->pos, l->len);
		l->pos = 0;
	}
	l->buf = vec_room(MEM_PROTO, l->buf, &l->cap, l->len + READ_MAX + SLACK, 1);
	n = sock_tcp_read(s, l->buf + l->len, READ_MAX);
	if (n == 0)
		return;
	if (n < 0) {
		l->ended = true;
		records(l);
		return;
	}
	l->len += (uint32_t)n;
	l->got += (uint64_t)n;
	memset(l->buf + l->len, 0, SLACK);
	if (!l->begun && (l->len < sizeof(uint64_t) || !take_head(l)))
		return;
	records(l);
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

/* ---- life ---- */

void
mrt_load_make(struct mrt_load *l, struct proto *p, const struct conf_proto *cf)
{
	l->p = p;
	htab_init(&l->peers, MEM_PROTO);
	many_peers_make(&l->to, p, cf);
}

void
mrt_load_start(struct mrt_load *l)
{
	sock_tcp_init(&l->sock, &l->p->worker, &sock_ops);
}

void
mrt_load_free(struct mrt_load *l)
{
	forget_peers(l);
	htab_fini(&l->peers);
	mem_free(MEM_PROTO, l->file);
	many_peers_free(&l->to);
}

void
mrt_load_begin(struct mrt_load *l, const char *name)
{
	char *file = mem_strdup(MEM_PROTO, name);
	int fd = side_start(l->p->name, read_file, file);

	mem_free(MEM_PROTO, l->file);
	l->file = mem_strdup(MEM_PROTO, name);
	l->on = true;
	l->begun = l->ended = false;
	l->got = l->routes = l->bad = 0;
	l->record = 1;
	many_peers_up(&l->to);
	if (fd < 0) {
		mem_free(MEM_PROTO, file);
		proto_log(l->p, LOG_C_ERR, "Can't start a thread: %s", strerror(-fd));
		say(l, PS_START, "Can't start a thread");
		return;
	}
	sock_tcp_adopt(&l->sock, fd);
	sock_tcp_want(&l->sock, true, false);
	say(l, PS_START, "Loading");
}

void
mrt_load_end(struct mrt_load *l)
{
	l->on = false;
	sock_tcp_close(&l->sock);
	mem_free(MEM_PROTO, l->buf);
	l->buf = NULL;
	l->pos = l->len = l->cap = 0;
	forget_peers(l);
	many_peers_down(&l->to);
}

bool
mrt_load_run(struct mrt_load *l)
{
	bool more = many_peers_step(&l->to);

	if (sock_tcp_is_open(&l->sock) && l->begun)
		records(l);
	return more;
}
