/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded updates in MRT format.
 *
 * Only BGP4MP messages matter here (RFC 6396, 4.4): UPDATEs are kept as they stand, so
 * that peers with 2-octet AS numbers are replayed as such; changes of state and records
 * of other types are passed over. A record that is cut or contradicts itself makes the
 * file unusable: better than a replay of half of it. */
#include "test/load/load_mrt.h"

#include "lib/mem/mem.h"
#include "lib/wire/mrt.h"
#include "lib/wire/rbuf.h"
#include "test/load/load_msg.h"
#include "test/load/load_sock.h"

#include <errno.h>
#include <stdio.h>

static int
read_whole(struct mrt_file *f, const char *path)
{
	size_t cap = 1 << 20, n;
	int pid;
	FILE *in = load_sock_open_gz(path, &pid);

	if (!in)
		return -ENOENT;
	f->data = mem_alloc(MEM_OTHER, cap + MSG_SLACK);
	while ((n = fread(f->data + f->len, 1, cap - f->len, in)) > 0) {
		f->len += n;
		if (f->len == cap)
			f->data = mem_realloc(
			    MEM_OTHER, f->data, (cap *= 2) + MSG_SLACK, 1);
	}
	memset(f->data + f->len, 0, MSG_SLACK);
	return load_sock_close_gz(in, pid);
}

static uint32_t
load_mrt_peer_of(struct mrt_file *f, struct ip_addr addr, uint32_t as, bool as4)
{
	uint32_t i;

	for (i = 0; i < f->peer_cnt; i++)
		if (ip_equal(f->peer[i].addr, addr) && f->peer[i].as == as &&
		    f->peer[i].as4 == as4)
			return i;
	if (f->peer_cnt == f->peer_cap) {
		f->peer_cap = f->peer_cap ? 2 * f->peer_cap : 16;
		f->peer = mem_realloc(MEM_OTHER, f->peer, f->peer_cap, sizeof(*f->peer));
	}
	f->peer[i] = (struct load_mrt_peer){ addr, as, as4, 0 };
	return f->peer_cnt++;
}

static int
load_mrt_take_message(struct mrt_file *f, const struct mrt_bgp *m)
{
	unsigned len, type;
	struct msg_update u;
	struct load_mrt_peer *peer;

	if (m->len < MSG_HEADER || msg_header(m->msg, &len, &type) || len != m->len)
		return -EPROTO;
	if (type != MSG_UPDATE)
		return 0;
	if (msg_get_update(&u, m->msg + MSG_HEADER, len - MSG_HEADER))
		return -EPROTO;
	if (f->message_cnt == f->message_cap) {
		f->message_cap = f->message_cap ? 2 * f->message_cap : 1024;
		f->message = mem_realloc(
		    MEM_OTHER, f->message, f->message_cap, sizeof(*f->message));
	}
	f->message[f->message_cnt++] = (struct mrt_message){
		load_mrt_peer_of(f, m->s.peer, m->s.peer_as, m->s.as4), len, m->msg
	};
	peer = &f->peer[f->message[f->message_cnt - 1].peer];
	if (u.nlri.len || u.withdrawn.len)
		peer->families |= 1 << FAM_IP4;
	if (u.has_mp_reach)
		peer->families |= (uint8_t)(1 << u.mp_family);
	return 0;
}

/* rejects_is_wanted - a message as it came, without path identifiers. */
static bool
load_mrt_is_wanted(const struct mrt_record *rec)
{
	return (rec->type == MRT_BGP4MP || rec->type == MRT_BGP4MP_ET) &&
	       (rec->subtype == MRT_MESSAGE || rec->subtype == MRT_MESSAGE_AS4);
}

static int
load_mrt_parse(struct mrt_file *f)
{
	struct rbuf r = rbuf_of(f->data, f->len);
	struct mrt_record rec;
	struct mrt_bgp m;
	int err, more;

	while ((more = mrt_next(&r, &rec)) > 0) {
		if (!load_mrt_is_wanted(&rec))
			continue;
		err = mrt_bgp_get(&rec, &m);
		if (!err)
			err = load_mrt_take_message(f, &m);
		if (err)
			return err;
	}
	return more;
}

int
mrt_file_read(struct mrt_file *f, const char *path)
{
	int err;

	memset(f, 0, sizeof(*f));
	err = read_whole(f, path);
	if (!err)
		err = load_mrt_parse(f);
	if (!err && !f->message_cnt)
		err = -ENODATA;
	if (err) {
		fprintf(stderr, "ternload: %s: no usable MRT file of updates\n", path);
		mrt_file_fini(f);
		memset(f, 0, sizeof(*f));
	}
	return err;
}

void
mrt_file_fini(struct mrt_file *f)
{
	mem_free(MEM_OTHER, f->peer);
	mem_free(MEM_OTHER, f->message);
	mem_free(MEM_OTHER, f->data);
}
