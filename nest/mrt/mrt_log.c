/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of `mrtdump`.
 *
 * I1  Credit is taken before a record is made (mrt_log_room_for): the posting thread
 *     counts waiting octets, and the worker subtracts written octets.
 * I2  The records of one turn are one write. A failed write may leave a partial record in
 *     the file, and readers would stop there. So the worker truncates the file to the end
 *     of the last whole record if possible; the dropped records are lost, and the file
 *     continues with the next record.
 *
 * Loop: its own, of class WORKER_CONTROL, from the first configuration that names a file
 * until the end. */
#include "nest/mrt/mrt_log.h"

#include "lib/base/plural.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/wire/wbuf.h"
#include "nest/core/tern.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"
#include "sysdep/os/os_fd.h"

/* least interval between log lines about a repeated fault */
#define SAY_NS (60 * NS_PER_S)

/* Owner: its worker; other threads use only fields marked so. Freed after all loops
 * ended. */
struct mrt_log {
	struct worker worker;
	struct tern *tern;
	struct pub32 open; /* are records wanted? */
	struct counter64 waiting; /* octets on their way; any thread */
	struct counter64 dropped; /* records, any thread */
	char *path; /* MEM_OTHER; NULL: no file */
	struct os_fd fd; /* OS_FD_NONE: no file */
	uint8_t *buf; /* MEM_OTHER; records of one turn */
	uint32_t len, cap;
	uint64_t said_ns, dropped_ns,
	    logged_dropped; /* when each was said, and how many */
};

struct mrt_put {
	struct msg msg;
	uint32_t len;
	uint8_t octets[];
};

struct mrt_set {
	struct msg msg;
	char *path; /* TAKE */
};

static struct mrt_log *
log_of(const struct tern *t)
{
	return load_acquire_ptr(&t->mrt_log); /* pairs: MRTLOG */
}

/* ---- sessions ---- */

/* mrt_log_room_for - I1: take credit for @len octets. Returns: NULL: no file is open, or
 * no room. */
static struct mrt_log *
mrt_log_room_for(const struct tern *t, size_t len)
{
	struct mrt_log *l = log_of(t);

	if (!l || !load_relaxed32(&l->open))
		return NULL;
	if (counter64_get(&l->waiting) + len > MRT_LOG_WAIT) {
		counter64_add(&l->dropped, 1);
		return NULL;
	}
	counter64_add(&l->waiting, len);
	return l;
}

static void
mrt_log_put(struct worker *w, TAKE struct msg *m)
{
	struct mrt_log *l = container_of(w, struct mrt_log, worker);
	struct mrt_put *p = container_of(m, struct mrt_put, msg);

	l->buf = vec_room(MEM_OTHER, l->buf, &l->cap, l->len + p->len, 1);
	memcpy(l->buf + l->len, p->octets, p->len);
	l->len += p->len;
	mem_free(MEM_OTHER, p);
	worker_again(w);
}

static OWNED struct mrt_put *
mrt_log_put_new(size_t room)
{
	struct mrt_put *p = mem_alloc(MEM_OTHER, sizeof(*p) + room);

	*p = (struct mrt_put){ .msg.handle = mrt_log_put, .len = (uint32_t)room };
	return p;
}

static void
mrt_log_post(struct mrt_log *l, TAKE struct mrt_put *p, const struct wbuf *w)
{
	ASSERT(!w->bad);
	counter64_add(&l->waiting, wbuf_len(w) - p->len);
	p->len = (uint32_t)wbuf_len(w);
	worker_post(&l->worker, &p->msg);
}

static uint64_t
log_real_us(void)
{
	return clock_real_ns(clock_now_ns()) / NS_PER_US;
}

void
mrt_log_message(struct tern *t, const struct mrt_session *s, bool add_path,
    const uint8_t *msg, size_t len)
{
	size_t room = MRT_BGP_HEAD_MAX + len;
	struct mrt_log *l = mrt_log_room_for(t, room);
	struct mrt_put *p;
	struct wbuf w;

	if (!l)
		return;
	p = mrt_log_put_new(room);
	w = wbuf_of(p->octets, room);
	mrt_message_put(&w, log_real_us(), s, false, add_path, msg, len);
	mrt_log_post(l, p, &w);
}

void
mrt_log_state(
    struct tern *t, const struct mrt_session *s, unsigned old_state, unsigned new_state)
{
	struct mrt_log *l = mrt_log_room_for(t, MRT_BGP_HEAD_MAX);
	struct mrt_put *p;
	struct wbuf w;

	if (!l)
		return;
	p = mrt_log_put_new(MRT_BGP_HEAD_MAX);
	w = wbuf_of(p->octets, MRT_BGP_HEAD_MAX);
	mrt_state_put(&w, log_real_us(), s, old_state, new_state);
	mrt_log_post(l, p, &w);
}

/* ---- the worker ---- */

static void
mrt_log_complain(struct mrt_log *l, int err)
{
	if (log_due(&l->said_ns, clock_now_ns(), SAY_NS))
		log_msg(LOG_C_ERR, "mrtdump %s: %s", l->path, strerror(err));
}

static void
mrt_log_flush(struct mrt_log *l)
{
	int rc = 0;

	if (!l->len)
		return;
	if (os_fd_is_open(l->fd)) {
		rcu_sleep();
		rc = file_append(l->fd, l->buf, l->len); /* I2 */
		rcu_wake();
	}
	if (rc)
		mrt_log_complain(l, -rc);
	counter64_add(&l->waiting, 0 - (uint64_t)l->len);
	l->len = 0;
}

/* log_say_dropped - log the number of dropped records. @last: the path is about to
 * change, so log without regard to the interval. */
static void
log_say_dropped(struct mrt_log *l, bool last)
{
	uint64_t cnt = counter64_get(&l->dropped);

	if (!l->path || cnt == l->logged_dropped ||
	    (!last && !log_due(&l->dropped_ns, clock_now_ns(), SAY_NS)))
		return;
	log_msg(LOG_C_WARN,
	    "mrtdump %s: %llu record%s dropped, because the queue was full", l->path,
	    (unsigned long long)(cnt - l->logged_dropped),
	    plural(cnt - l->logged_dropped, "", "s"));
	l->logged_dropped = cnt;
}

static void
mrt_log_run(struct worker *w)
{
	struct mrt_log *l = container_of(w, struct mrt_log, worker);

	mrt_log_flush(l);
	log_say_dropped(l, false);
}

static void
mrt_log_handle_set(struct worker *w, TAKE struct msg *m)
{
	struct mrt_log *l = container_of(w, struct mrt_log, worker);
	struct mrt_set *st = container_of(m, struct mrt_set, msg);
	struct os_fd fd = OS_FD_NONE;

	mrt_log_flush(l); /* records posted before belong to the previous file */
	log_say_dropped(l, true);
	rcu_sleep();
	if (os_fd_is_open(l->fd))
		fd_close(l->fd);
	if (st->path)
		fd = file_open_append(st->path);
	rcu_wake();
	mem_free(MEM_OTHER, l->path);
	l->path = st->path;
	l->fd = fd;
	l->said_ns = l->dropped_ns = 0;
	if (l->path && !os_fd_is_open(fd))
		mrt_log_complain(l, -os_fd_error(fd));
	store_relaxed32(&l->open, os_fd_is_open(fd));
	mem_free(MEM_OTHER, st);
}

static void
mrt_log_handle_stop(struct worker *w, TAKE struct msg *m)
{
	struct mrt_log *l = container_of(w, struct mrt_log, worker);

	mem_free(MEM_OTHER, m);
	mrt_log_flush(l);
	log_say_dropped(l, true);
	if (os_fd_is_open(l->fd))
		fd_close(l->fd);
	worker_stop(w);
}

static void
mrt_log_gone(struct worker *w)
{
	struct mrt_log *l = container_of(w, struct mrt_log, worker);
	struct tern *t = l->tern;

	mem_free(MEM_OTHER, l->path);
	mem_free(MEM_OTHER, l->buf);
	mem_free(MEM_OTHER, l);
	tern_last_worker_gone(t);
}

static void
mrt_log_start(struct worker *w)
{
	worker_patient(w);
}

static const struct worker_ops log_ops = {
	.start = mrt_log_start, .run = mrt_log_run, .gone = mrt_log_gone
};

/* ---- control ---- */

static struct mrt_log *
log_new(struct tern *t)
{
	struct mrt_log *l = mem_zalloc(MEM_OTHER, sizeof(*l));

	l->tern = t;
	l->fd = OS_FD_NONE;
	tern_last_worker_start(t);
	worker_start(&l->worker, &log_ops, WORKER_CONTROL, "mrtdump");
	store_release_ptr(&t->mrt_log, l); /* pairs: MRTLOG */
	return l;
}

void
mrt_log_set(struct tern *t, const char *path)
{
	struct mrt_log *l = log_of(t);
	struct mrt_set *st;

	if (!l && !path)
		return;
	if (!l)
		l = log_new(t);
	st = mem_zalloc(MEM_OTHER, sizeof(*st));
	st->msg.handle = mrt_log_handle_set;
	st->path = path ? mem_strdup(MEM_OTHER, path) : NULL;
	worker_post(&l->worker, &st->msg);
}

void
mrt_log_stop(struct tern *t)
{
	struct mrt_log *l = log_of(t);
	struct msg *m;

	if (!l)
		return;
	m = mem_zalloc(MEM_OTHER, sizeof(*m));
	m->handle = mrt_log_handle_stop;
	worker_post(&l->worker, m);
}
