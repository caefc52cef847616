/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libternfib: following a writer: another file under the name of the image, waiting.
 *
 * I1  A writer marks the image that the writer replaces. No writer marks an image whose
 *     file was removed while no writer ran. The handle therefore compares the file of the
 *     name with the mapped file while the heartbeat of the image is older than ALIVE_NS.
 *
 * Loop: the thread that owns the handle. Tests: test_fib_file.c and stress_fib.c. */
#include "lib/fib/fib_format.h"
#include "lib/fib/ternfib.h"
#include "lib/fib/ternfib_priv.h"
#include "lib/mt/mapped.h"
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND   1000000000ull
#define ALIVE_NS (3 * SECOND) /* a writer stores a heartbeat each second */
#define NAMED_NS (SECOND / 20) /* between two looks at the name by ternfib_poll */
#define AWAKE_NS SECOND /* between two looks at the name by ternfib_wait */

static uint64_t
ternfib_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* ternfib_alive - true: the heartbeat is young. */
static bool
ternfib_alive(const struct ternfib *t)
{
	uint64_t beat = mapped_load_acquire64(&t->header->live.heartbeat_ns);

	return ternfib_clock(CLOCK_REALTIME_COARSE) - beat + ALIVE_NS < 2 * ALIVE_NS;
}

/* ternfib_moved - true: no writer lives, and the name belongs to another file or to no
 * file. */
static bool
ternfib_moved(const struct ternfib *t)
{
	struct stat st;

	if (ternfib_alive(t))
		return false;
	return stat(t->path, &st) || st.st_ino != t->map.ino || st.st_dev != t->map.dev;
}

/* ternfib_next - map the file of the name. Returns: 1: *@m is another image; 0: the file
 * is the image of the handle; negative errno: no new image. */
static int
ternfib_next(const struct ternfib *t, struct ternfib_mapping *m)
{
	int err = ternfib_map(t->path, m);

	if (err)
		return err;
	if (((const struct fib_header *)(const void *)m->base)->fixed.start_id !=
	    t->start_id)
		return 1;
	munmap(m->base, m->size);
	return mapped_load_acquire64(&t->header->live.replaced) ? -EAGAIN : 0;
}

int
ternfib_poll(struct ternfib *t)
{
	struct ternfib_mapping next;
	int got;

	if (!mapped_load_acquire64(&t->header->live.replaced) && !t->gone) {
		uint64_t now;

		if (ternfib_alive(t))
			return 0;
		now = ternfib_clock(CLOCK_MONOTONIC_COARSE);
		if (now - t->named_ns < NAMED_NS)
			return 0;
		t->named_ns = now;
		if (!ternfib_moved(t))
			return 0;
	}
	got = ternfib_next(t, &next);
	t->gone = got < 0 ? got : 0;
	if (got <= 0)
		return got;
	munmap(t->map.base, t->map.size);
	ternfib_view(t, &next);
	return 1;
}

/* ternfib_news - true: ternfib_poll would report a change. */
static bool
ternfib_news(const struct ternfib *t)
{
	struct ternfib_mapping next;

	if (!t->gone)
		return mapped_load_acquire64(&t->header->live.replaced) ||
		       ternfib_moved(t);
	if (ternfib_next(t, &next) <= 0)
		return false;
	munmap(next.base, next.size);
	return true;
}

int
ternfib_wait(struct ternfib *t, uint64_t generation, int timeout_ms)
{
	const struct fib_live *l = &t->header->live;
	uint64_t end = ternfib_clock(CLOCK_MONOTONIC);
	uint64_t step = t->gone ? NAMED_NS : AWAKE_NS;

	end += timeout_ms > 0 ? (uint64_t)timeout_ms * 1000000 : 0;
	for (;;) {
		uint32_t wake = mapped_load_acquire32(&l->wake);
		uint64_t left = step, now;
		struct timespec ts;

		if (mapped_load_acquire64(&l->generation) != generation ||
		    ternfib_news(t))
			return 0;
		now = ternfib_clock(CLOCK_MONOTONIC);
		if (timeout_ms >= 0 && now >= end)
			return -ETIMEDOUT;
		if (timeout_ms >= 0 && end - now < step)
			left = end - now;
		ts = (struct timespec){ (time_t)(left / SECOND), (long)(left % SECOND) };
		if (syscall(SYS_futex, &l->wake, FUTEX_WAIT, wake, &ts, NULL, 0) &&
		    errno != EAGAIN && errno != ETIMEDOUT)
			return -errno;
	}
}
