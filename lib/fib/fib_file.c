/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a table image, for its writer.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c, test_fib_file.c and stress_fib.c. */
#include "lib/fib/fib_file.h"
#include "lib/crypto/entropy.h"
#include "lib/mem/mem.h"
#include "lib/mt/mapped.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM_STEP 65536u /* octets of disk blocks that the writer requests at a time */

static const struct fib_file_view no_view = { .fd = -1 };

/* ---- an image that exists ---- */

static void
fib_file_unmap(struct fib_file_view *v)
{
	if (v->base)
		munmap(v->base, v->size);
	if (v->fd >= 0)
		close(v->fd);
	*v = no_view;
}

/* fib_file_lock - open and lock @path. Returns: the descriptor, or negative errno. */
static int
fib_file_lock(const char *path, int flags, unsigned mode)
{
	int fd = open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, mode), err;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	close(fd);
	return err;
}

/* fib_file_is_image - Returns: 1: an image or an empty file; 0: a file of another kind;
 * negative errno. */
static int
fib_file_is_image(int fd, struct stat *st)
{
	char magic[8] = "";

	if (fstat(fd, st))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return 0;
	if (st->st_size == 0)
		return 1;
	if (pread(fd, magic, sizeof(magic), 0) < 0)
		return -errno;
	return !memcmp(magic, FIB_MAGIC, sizeof(magic));
}

/* fib_file_map_old - map the image that the new file replaces, if its header is sound. */
static void
fib_file_map_old(struct fib_file_view *v, uint64_t size, struct fib_file_left *left)
{
	const struct fib_header *h;

	left->damaged = true;
	if (size < FIB_HEADER_SIZE)
		return;
	v->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	if (v->base == MAP_FAILED) {
		v->base = NULL;
		return;
	}
	v->size = size;
	h = (const void *)v->base;
	if (h->fixed.file_size != size || h->fixed.version != FIB_VERSION ||
	    h->fixed.sum != fib_sum(0, &h->fixed, offsetof(struct fib_fixed, sum)))
		return;
	left->damaged = false;
	v->start_id = h->fixed.start_id;
	left->generation = mapped_load_acquire64(&h->live.generation);
}

/* fib_file_open_old - lock the file that has the name now. */
static int
fib_file_open_old(struct fib_file_map *m, const char *path, struct fib_file_left *left)
{
	struct stat st, named;
	int is;

	m->old.fd = fib_file_lock(path, 0, 0);
	if (m->old.fd == -ENOENT) {
		m->old.fd = -1;
		return 0;
	}
	if (m->old.fd < 0)
		return m->old.fd == -EISDIR || m->old.fd == -ELOOP ? -EEXIST : m->old.fd;
	left->exists = true;
	is = fib_file_is_image(m->old.fd, &st);
	if (is <= 0)
		return is ? is : -EEXIST;
	/* another writer may have replaced the file between open and flock */
	if (stat(path, &named) || named.st_ino != st.st_ino || named.st_dev != st.st_dev)
		return -EBUSY;
	fib_file_map_old(&m->old, (uint64_t)st.st_size, left);
	return 0;
}

/* ---- the new file ---- */

static uint64_t
fib_file_layout(struct fib_fixed *x, uint64_t chunk_size)
{
	static const uint64_t size[FIB_SECTIONS] = {
		[FIB_SLOT] = FIB_SLOTS * 8,
		[FIB_HOP] = (FIB_HOP_MAX + 1ull) * sizeof(struct fib_hop),
		[FIB_ORIGIN] = (FIB_ORIGIN_MAX + 1ull) * sizeof(struct fib_origin),
		[FIB_ATTR] = (FIB_ATTR_MAX + 1ull) * sizeof(struct fib_attr),
		[FIB_SET] = FIB_SET_OCTETS,
	};
	uint64_t at = FIB_HEADER_SIZE;

	for (unsigned i = 0; i < FIB_SECTIONS; i++) {
		x->section[i].offset = at;
		x->section[i].size = i == FIB_CHUNK ? chunk_size : size[i];
		at += x->section[i].size;
	}
	return at + FIB_TAIL;
}

static int
fib_file_map_new(
    struct fib_file_map *m, const struct fib_fixed *fixed, uint64_t chunk_size)
{
	struct fib_fixed x = *fixed;
	struct stat st;
	uint64_t size;
	int is, err;

	m->now.fd = fib_file_lock(m->temp, O_CREAT, m->mode);
	if (m->now.fd < 0)
		return m->now.fd;
	is = fib_file_is_image(m->now.fd, &st);
	if (is <= 0)
		return is ? is : -EEXIST;
	m->now.made = true;
	size = fib_file_layout(&x, chunk_size);
	/* No reader maps a file without its final name. The magic comes first, so that
	 * the next writer knows the file of a writer that was killed here. */
	if (ftruncate(m->now.fd, 0) ||
	    pwrite(m->now.fd, FIB_MAGIC, sizeof(x.magic), 0) != sizeof(x.magic) ||
	    ftruncate(m->now.fd, (off_t)size) || fchmod(m->now.fd, m->mode))
		return errno ? -errno : -ENOSPC;
	err = posix_fallocate(
	    m->now.fd, 0, (off_t)(FIB_HEADER_SIZE + x.section[FIB_SLOT].size));
	if (err)
		return -err;
	m->now.base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->now.fd, 0);
	if (m->now.base == MAP_FAILED) {
		m->now.base = NULL;
		return -errno;
	}
	m->now.size = size;
	memcpy(m->section, x.section, sizeof(m->section));
	memset(m->room, 0, sizeof(m->room));
	m->room[FIB_SLOT] = x.section[FIB_SLOT].size;
	memcpy(x.magic, FIB_MAGIC, sizeof(x.magic));
	x.byte_order = FIB_BYTE_ORDER;
	x.version = FIB_VERSION;
	x.header_size = FIB_HEADER_SIZE;
	x.stage_bits = FIB_STAGE_BITS;
	x.stride = FIB_STRIDE;
	x.pid = (uint32_t)getpid();
	x.start_id = m->now.start_id = entropy_u64();
	x.file_size = size;
	x.sum = fib_sum(0, &x, offsetof(struct fib_fixed, sum));
	fib_file_header(m)->fixed = x;
	return 0;
}

/* fib_file_drop - close the new file; a file without its final name goes. */
static void
fib_file_drop(struct fib_file_map *m)
{
	if (!m->named && m->now.made)
		unlink(m->temp);
	fib_file_unmap(&m->now);
}

int
fib_file_start(struct fib_file_map *m, const char *path, unsigned mode,
    const struct fib_fixed *fixed, uint64_t chunk_size, struct fib_file_left *left)
{
	bool again = fib_file_is_open(m) && m->named;
	struct fib_file_view old = m->now;
	size_t len = strlen(path) + sizeof(FIB_NEW);
	int err = 0;

	*left = (struct fib_file_left){ 0 };
	if (again) {
		m->now = no_view;
		fib_file_unmap(&m->old);
		m->old = old;
	} else {
		fib_file_stop(m, false);
		m->path = mem_strdup(MEM_PROTO, path);
		m->temp = mem_alloc(MEM_PROTO, len);
		snprintf(m->temp, len, "%s" FIB_NEW, path);
		m->mode = mode;
		err = fib_file_open_old(m, path, left);
	}
	m->named = false;
	m->renews = again;
	if (!err)
		err = fib_file_map_new(m, fixed, chunk_size);
	if (!err)
		return 0;
	if (!again) {
		fib_file_stop(m, false);
		return err;
	}
	fib_file_drop(m);
	m->now = m->old;
	m->old = no_view;
	m->named = true;
	return err;
}

int
fib_file_room(struct fib_file_map *m, enum fib_section_id id, uint64_t octets)
{
	const struct fib_section *s = &m->section[id];
	uint64_t to;
	int err;

	if (octets <= m->room[id])
		return 0;
	if (octets > s->size)
		return -ENOSPC;
	to = min_u64((octets + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP, s->size);
	err = posix_fallocate(
	    m->now.fd, (off_t)(s->offset + m->room[id]), (off_t)(to - m->room[id]));
	if (err)
		return -err;
	m->room[id] = to;
	return 0;
}

/* fib_file_has - true: the file has at least @octets octets, and the header is that of
 * the mapped image. */
static bool
fib_file_has(const struct fib_file_view *v, uint64_t octets)
{
	const struct fib_header *h = (const void *)v->base;
	struct stat st;

	if (!h || v->size < FIB_HEADER_SIZE || fstat(v->fd, &st) ||
	    (uint64_t)st.st_size < max_u64(octets, FIB_HEADER_SIZE))
		return false;
	return !memcmp(h->fixed.magic, FIB_MAGIC, sizeof(h->fixed.magic)) &&
	       h->fixed.start_id == v->start_id;
}

static void
fib_file_mark(const struct fib_file_view *v)
{
	struct fib_live *l;

	if (!fib_file_has(v, FIB_HEADER_SIZE))
		return;
	l = &((struct fib_header *)(void *)v->base)->live;
	mapped_store_release64(&l->replaced, 1);
	mapped_store_release32(&l->wake, l->wake + 1);
	syscall(SYS_futex, &l->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int
fib_file_name(struct fib_file_map *m)
{
	if (m->named)
		return 0;
	if (rename(m->temp, m->path))
		return -errno;
	m->named = true;
	fib_file_mark(&m->old);
	fib_file_unmap(&m->old);
	return 0;
}

void
fib_file_wake(struct fib_file_map *m)
{
	struct fib_live *l = &fib_file_header(m)->live;

	mapped_store_release32(&l->wake, (uint32_t)l->generation);
	syscall(SYS_futex, &l->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void
fib_file_beat(struct fib_file_map *m, uint64_t now_ns)
{
	struct fib_header *old = (struct fib_header *)(void *)m->old.base;

	mapped_store_relaxed64(&fib_file_header(m)->live.heartbeat_ns, now_ns);
	if (m->renews && fib_file_has(&m->old, FIB_HEADER_SIZE))
		mapped_store_relaxed64(&old->live.heartbeat_ns, now_ns);
}

int
fib_file_check(const struct fib_file_map *m)
{
	struct stat st, named;

	if (!fib_file_has(&m->now, m->now.size))
		return -ENOENT;
	if (!m->named)
		return 0;
	if (fstat(m->now.fd, &st))
		return -errno;
	if (stat(m->path, &named) || named.st_ino != st.st_ino ||
	    named.st_dev != st.st_dev)
		return -ENOENT;
	return 0;
}

void
fib_file_stop(struct fib_file_map *m, bool remove)
{
	if (!m->path)
		return;
	if (m->named && remove && !fib_file_check(m))
		unlink(m->path);
	if (m->named && remove)
		fib_file_mark(&m->now);
	fib_file_drop(m);
	fib_file_unmap(&m->old);
	mem_free(MEM_PROTO, m->path);
	mem_free(MEM_PROTO, m->temp);
	*m = (struct fib_file_map){ .now = no_view, .old = no_view };
}
