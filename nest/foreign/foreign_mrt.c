/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file in MRT format.
 *
 * I1  A thread reads the file. If the file is followed, the thread waits at the end of
 *     the file for more octets, and begins again when another file has the name. The
 *     thread ends when its socket is closed.
 * I2  The thread of a file that is not followed first sends 8 octets: the size, or
 *     UINT64_MAX minus an errno.
 * I3  A record with an impossible length ends the reading.
 *
 * Loop: the owner's, but for mrt_read_file. Tested by test/net/test_mrt_load.py,
 * test_shadow.py. */
#include "nest/foreign/foreign_mrt.h"

#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"
#include "nest/foreign/foreign_update.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/os/side.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_opt.h"

#include <errno.h>
#include <string.h>

#define READ_MAX   (64u << 10)
#define RECORD_MAX (32u << 20)
#define BODY_MAX   (66u << 10)
#define WAIT_MS    100 /* pause at the end of a followed file */
#define HEAD_LEN   sizeof(uint64_t) /* I2 */

/* ---- the thread ---- */

struct file_job {
	char *path; /* MEM_PROTO */
	bool follow;
};

/* mrt_is_other - true: the name @path now belongs to another file than @fd. */
static bool
mrt_is_other(struct os_fd fd, const char *path)
{
	struct file_info a, b;

	return !file_look_fd(fd, &a) && !file_look(path, &b) &&
	       (a.inode != b.inode || a.device != b.device);
}

/* mrt_send_file - send octets up to the present end of the file. Returns: false: the
 * socket is closed. */
static bool
mrt_send_file(struct os_fd to, struct os_fd fd, uint8_t *buf)
{
	ssize_t n;

	while ((n = fd_read(fd, buf, READ_MAX)) > 0)
		if (sock_send_all(to, buf, (size_t)n))
			return false;
	return true;
}

static void
foreign_mrt_read_once(struct os_fd to, const char *path, uint8_t *buf)
{
	struct os_fd fd = file_open(path, true);
	struct file_info i;
	int err = os_fd_is_open(fd) ? file_look_fd(fd, &i) : os_fd_error(fd);
	uint64_t head;

	if (!err && i.kind != FILE_REGULAR)
		err = -EINVAL;
	head = err ? UINT64_MAX + (uint64_t)(int64_t)err : i.size;
	if (!sock_send_all(to, &head, sizeof(head)) && !err)
		mrt_send_file(to, fd, buf);
	if (os_fd_is_open(fd))
		fd_close(fd);
}

static void
mrt_read_on(struct os_fd to, const char *path, uint8_t *buf)
{
	struct os_fd fd = OS_FD_NONE;

	do {
		bool other = os_fd_is_open(fd) && mrt_is_other(fd, path);

		if (!os_fd_is_open(fd))
			fd = file_open(path, true);
		if (os_fd_is_open(fd) && !mrt_send_file(to, fd, buf))
			break;
		if (other) { /* the end of the old file was read */
			fd_close(fd);
			fd = OS_FD_NONE;
		}
	} while (!sock_has_ended(to, WAIT_MS));
	if (os_fd_is_open(fd))
		fd_close(fd);
}

static void
mrt_read_file(TAKE struct os_fd to, TAKE void *arg)
{
	uint8_t *buf = mem_alloc(MEM_PROTO, READ_MAX);
	struct file_job *j = arg;

	(j->follow ? mrt_read_on : foreign_mrt_read_once)(to, j->path, buf);
	fd_close(to);
	mem_free(MEM_PROTO, buf);
	mem_free(MEM_PROTO, j->path);
	mem_free(MEM_PROTO, j);
}

/* ---- records ---- */

static void
mrt_drop_index(struct foreign_mrt *f)
{
	mem_free(MEM_PROTO, f->index);
	mem_free(MEM_PROTO, f->index_key);
	f->index = NULL;
	f->index_key = NULL;
	f->index_cnt = 0;
}

static int
mrt_take_index(struct foreign_mrt *f, const struct mrt_record *rec)
{
	struct mrt_index x;
	struct mrt_peer k;

	if (mrt_index_get(rec, &x))
		return -EPROTO;
	mrt_drop_index(f);
	f->index_key = mem_alloc(MEM_PROTO, ((size_t)x.peer_cnt + 1) * sizeof(k));
	f->index = mem_zalloc(MEM_PROTO, ((size_t)x.peer_cnt + 1) * sizeof(*f->index));
	while (x.peer_cnt) {
		if (mrt_index_next(&x, &k))
			return -EPROTO;
		f->index_key[f->index_cnt] = k;
		f->index[f->index_cnt++] = f->ops->peer(f, &k);
	}
	return 0;
}

/* mrt_take_entry - report an entry of a table in the form of an UPDATE. */
static void
mrt_take_entry(struct foreign_mrt *f, const struct mrt_net *n, const struct mrt_entry *e)
{
	struct wbuf w = wbuf_of(f->body, BGP_HDR_LEN + BODY_MAX);
	void **peer = &f->index[e->peer];
	struct foreign_message m = {
		.msg = f->body, .as4 = true, .ids = n->add_path ? FAM_BIT(n->net.fam) : 0
	};
	uint8_t *start = bgp_msg_start(&w, BGP_UPDATE);

	if (!*peer)
		*peer = f->ops->peer(f, &f->index_key[e->peer]);
	if (!*peer)
		return;
	if (mrt_entry_body(&w, n, e) || wbuf_len(&w) > BGP_MSG_EXT_MAX) {
		f->ops->entry(f, *peer, NULL);
		return;
	}
	bgp_msg_finish(&w, start);
	m.len = wbuf_len(&w);
	memset(f->body + m.len, 0, FOREIGN_SLACK);
	f->ops->entry(f, *peer, &m);
}

static int
foreign_mrt_take_net(struct foreign_mrt *f, const struct mrt_record *rec)
{
	struct mrt_entry e;
	struct mrt_net n;
	int err = mrt_net_get(rec, &n);

	if (!f->body)
		f->body = mem_alloc(MEM_PROTO, BGP_HDR_LEN + BODY_MAX + FOREIGN_SLACK);
	while (!err && n.entry_cnt) {
		err = mrt_net_next(&n, &e);
		if (!err && e.peer >= f->index_cnt)
			err = -ENOENT;
		if (!err)
			mrt_take_entry(f, &n, &e);
	}
	return err;
}

static int
mrt_take_bgp(struct foreign_mrt *f, const struct mrt_record *rec)
{
	struct foreign_message m;
	struct mrt_bgp b;
	int err = mrt_bgp_get(rec, &b);

	if (err)
		return err;
	if (b.is_state) {
		f->ops->state(f, &b);
		return 0;
	}
	if (b.len < BGP_HDR_LEN || get_be16(b.msg + 16) != b.len)
		return -EPROTO;
	m = (struct foreign_message){ .msg = b.msg,
		.len = b.len,
		.as4 = b.s.as4,
		.ids = b.add_path ? FAM_BIT(FAM_IP4) | FAM_BIT(FAM_IP6) : 0 };
	f->ops->message(f, &b, &m);
	return 0;
}

static int
foreign_mrt_take_record(struct foreign_mrt *f, const struct mrt_record *rec)
{
	if (f->ops->record)
		f->ops->record(f, rec);
	if (rec->type == MRT_BGP4MP || rec->type == MRT_BGP4MP_ET)
		return mrt_take_bgp(f, rec);
	if (rec->type != MRT_TABLE_DUMP_V2 || !f->ops->peer)
		return -ENOTSUP;
	return rec->subtype == MRT_PEER_INDEX_TABLE ? mrt_take_index(f, rec)
						    : foreign_mrt_take_net(f, rec);
}

/* ---- the stream ---- */

static int64_t
mrt_length(struct foreign_stream *s, const uint8_t *p, uint32_t len)
{
	struct foreign_mrt *f = container_of(s, struct foreign_mrt, stream);
	uint32_t whole;

	if (!f->begun)
		return HEAD_LEN;
	if (len < MRT_HEADER_LEN)
		return 0;
	whole = get_be32(p + 8);
	return whole > RECORD_MAX ? -EPROTO : (int64_t)whole + MRT_HEADER_LEN; /* I3 */
}

static bool
mrt_ready(struct foreign_stream *s)
{
	struct foreign_mrt *f = container_of(s, struct foreign_mrt, stream);

	return f->ops->ready(f);
}

int
foreign_mrt_error(const struct foreign_mrt *f)
{
	return f->size < UINT64_MAX - 4096 ? 0 : (int)(UINT64_MAX - f->size);
}

static int
mrt_take(struct foreign_stream *s, const uint8_t *p, uint32_t len)
{
	struct foreign_mrt *f = container_of(s, struct foreign_mrt, stream);
	struct rbuf r = rbuf_of(p, len);
	struct mrt_record rec;
	int err;

	if (!f->begun) { /* I2 */
		f->begun = true;
		memcpy(&f->size, p, sizeof(f->size));
		return -foreign_mrt_error(f);
	}
	err = mrt_next(&r, &rec) == 1 ? foreign_mrt_take_record(f, &rec) : -EPROTO;
	if (err && err != -ENOTSUP)
		err = f->ops->wrong(f, err);
	else
		err = 0;
	if (!err)
		f->records++;
	return err;
}

static void
mrt_ended(struct foreign_stream *s, int err)
{
	struct foreign_mrt *f = container_of(s, struct foreign_mrt, stream);

	f->ops->ended(f, err);
}

static const struct foreign_stream_ops mrt_stream_ops = {
	.frame = mrt_length,
	.ready = mrt_ready,
	.take = mrt_take,
	.ended = mrt_ended,
};

void
foreign_mrt_init(
    struct foreign_mrt *f, struct worker *w, const struct foreign_mrt_ops *ops)
{
	*f = (struct foreign_mrt){ .ops = ops };
	foreign_stream_init(&f->stream, w, &mrt_stream_ops);
}

int
foreign_mrt_open(struct foreign_mrt *f, const char *name, const char *path, bool follow)
{
	struct file_job *j = mem_alloc(MEM_PROTO, sizeof(*j));
	struct os_fd fd;

	*j = (struct file_job){ mem_strdup(MEM_PROTO, path), follow };
	fd = side_start(name, mrt_read_file, j);
	if (!os_fd_is_open(fd)) {
		mem_free(MEM_PROTO, j->path);
		mem_free(MEM_PROTO, j);
		return os_fd_error(fd);
	}
	f->begun = follow;
	f->records = f->size = 0;
	foreign_stream_open(&f->stream, fd);
	return 0;
}

bool
foreign_mrt_is_whole(const struct foreign_mrt *f)
{
	return f->stream.got == f->size + HEAD_LEN && !foreign_stream_left(&f->stream);
}

void
foreign_mrt_go_on(struct foreign_mrt *f)
{
	foreign_stream_go_on(&f->stream);
}

void
foreign_mrt_forget(struct foreign_mrt *f, const void *peer)
{
	for (uint32_t i = 0; i < f->index_cnt; i++)
		if (f->index[i] == peer)
			f->index[i] = NULL;
}

void
foreign_mrt_close(struct foreign_mrt *f)
{
	foreign_stream_close(&f->stream);
	mem_free(MEM_PROTO, f->body);
	f->body = NULL;
}

void
foreign_mrt_fini(struct foreign_mrt *f)
{
	mrt_drop_index(f);
}
