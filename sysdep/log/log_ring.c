/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log file of fixed size. The log's thread calls, or the holder of the log's lock.
 *
 * I1  A line is not divided: if the room before the end is too small, blanks fill the
 *     room, and the line stands at the beginning.
 * I2  One write covers a line and the mark behind the line, so the file always has at
 *     least one mark. An error may leave two marks; then the file continues at the first
 *     mark.
 *
 * Tested by test/unit/test_log.c. */
#include "sysdep/log/log_ring.h"

#include "lib/mem/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MARK_LEN (sizeof(LOG_RING_MARK) - 1)
#define PIECE    65536
#define UNKNOWN  UINT64_MAX /* pos: whoever writes looks for the mark first */

/* ring_find_mark - where it stands in the first @len octets; 0: there is none. */
static uint64_t
ring_find_mark(int fd, uint64_t len)
{
	char *text = mem_alloc(MEM_OTHER, PIECE);
	uint64_t pos = 0, found = 0;
	const char *at = NULL;
	ssize_t n;

	/* pieces overlap, so that one piece holds every mark whole */
	for (; !at && pos + MARK_LEN <= len; pos += PIECE - MARK_LEN) {
		n = pread(fd, text, (size_t)min_u64(PIECE, len - pos), (off_t)pos);
		if (n <= 0)
			break;
		at = memmem(text, (size_t)n, LOG_RING_MARK, MARK_LEN);
		if (at)
			found = pos + (uint64_t)(at - text);
	}
	mem_free(MEM_OTHER, text);
	return found;
}

int
log_ring_open(struct log_ring *r, const char *path, uint64_t size)
{
	struct stat st;
	int err = 0;

	*r = (struct log_ring){ .fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640),
		.size = size };
	if (r->fd < 0)
		return -errno;
	if (fstat(r->fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else if ((uint64_t)st.st_size > size && ftruncate(r->fd, (off_t)size))
		err = -errno;
	log_ring_sync(r);
	if (err)
		log_ring_close(r);
	return err;
}

void
log_ring_sync(struct log_ring *r)
{
	r->pos = UNKNOWN;
}

void
log_ring_close(struct log_ring *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

/* log_ring_fill - blanks from the mark to the end (I1). */
static bool
log_ring_fill(struct log_ring *r)
{
	size_t len = (size_t)(r->size - r->pos);
	char *blanks = mem_alloc(MEM_OTHER, len);
	ssize_t n;

	memset(blanks, ' ', len);
	blanks[len - 1] = '\n';
	n = pwrite(r->fd, blanks, len, (off_t)r->pos);
	mem_free(MEM_OTHER, blanks);
	return n == (ssize_t)len;
}

bool
log_ring_write(struct log_ring *r, const char *line, size_t len)
{
	struct iovec part[2] = { { (void *)(uintptr_t)line, len },
		{ (void *)(uintptr_t)LOG_RING_MARK, MARK_LEN } };

	if (r->pos == UNKNOWN)
		r->pos = ring_find_mark(r->fd, r->size);
	if (r->pos + len + MARK_LEN > r->size) {
		if (r->pos < r->size && !log_ring_fill(r))
			return false;
		r->pos = 0;
	}
	if (pwritev(r->fd, part, 2, (off_t)r->pos) != (ssize_t)(len + MARK_LEN))
		return false;
	r->pos += len;
	return true;
}
