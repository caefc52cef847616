/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libternfib: opening an image, lookups, the meaning of answers.
 *
 * I1  The mapping is as long as the header says, and the file was at least as long.
 *
 * Loop: the thread that owns the handle. Tests: prop_fib.c, test_fib_file.c and
 * stress_fib.c. */
#include "lib/fib/ternfib.h"
#include "lib/fib/ternfib_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- open ---- */

/* ternfib_check - is the header sound for a file of @size octets? */
static int
ternfib_check(const struct fib_header *h, uint64_t size)
{
	const struct fib_fixed *x = &h->fixed;

	if (memcmp(x->magic, FIB_MAGIC, sizeof(x->magic)) ||
	    x->byte_order != FIB_BYTE_ORDER)
		return -EINVAL;
	if (x->version != FIB_VERSION)
		return -EPROTONOSUPPORT;
	if (x->sum != fib_sum(0, x, offsetof(struct fib_fixed, sum)) ||
	    x->file_size > size || x->file_size != (size_t)x->file_size ||
	    (x->bits != 32 && x->bits != 128) || x->stage_bits != FIB_STAGE_BITS ||
	    x->stride != FIB_STRIDE)
		return -EINVAL;
	for (unsigned i = 0; i < FIB_SECTIONS; i++)
		if (x->section[i].offset % 4096 || x->section[i].offset > x->file_size ||
		    x->section[i].size > x->file_size - x->section[i].offset)
			return -EINVAL;
	size = x->section[FIB_CHUNK].size;
	if (x->section[FIB_SLOT].size < FIB_SLOTS * 8 || size < FIB_UNIT ||
	    size & (size - 1) || size / FIB_UNIT > FIB_UNITS_MAX ||
	    x->section[FIB_CHUNK].offset + size + FIB_TAIL > x->file_size)
		return -EINVAL;
	return mapped_load_acquire64(&h->live.generation) ? 0 : -EAGAIN;
}

/* ternfib_near_form - may ternfib_inline4 read the image itself? */
static void
ternfib_near_form(struct ternfib *t)
{
	bool may = t->code != &ternfib_code_plain;

#if !defined(__x86_64__)
	may = t->code != NULL;
#endif
	t->near.form = may && ternfib_bits(t) == 32 ? TERNFIB_FORM : 0;
}

void
ternfib_view(struct ternfib *t, const struct ternfib_mapping *m)
{
	const struct fib_fixed *x;

	t->map = *m;
	t->header = (const void *)m->base;
	x = &t->header->fixed;
	t->start_id = x->start_id;
	t->view = (struct fib_view){ .slot = ternfib_section(t, FIB_SLOT),
		.chunk = ternfib_section(t, FIB_CHUNK),
		.chunk_mask = (uint32_t)(x->section[FIB_CHUNK].size / FIB_UNIT - 1),
		.plain = !x->fields };
	t->near.slot = t->view.slot;
	t->near.chunk = t->view.chunk;
	t->near.chunk_mask = t->view.chunk_mask;
	t->near.generation = &t->header->live.generation;
	t->near.seen = mapped_load_acquire64(t->near.generation);
	ternfib_near_form(t);
}

int
ternfib_map(const char *path, struct ternfib_mapping *m)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = -EINVAL;
	struct stat st;
	void *p;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode) && st.st_size >= FIB_HEADER_SIZE)
		err = 0;
	if (!err) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			err = -errno;
	}
	close(fd);
	if (err)
		return err;
	err = ternfib_check(p, (uint64_t)st.st_size);
	if (err) {
		munmap(p, (size_t)st.st_size);
		return err;
	}
	*m = (struct ternfib_mapping){ p, (uint64_t)st.st_size, st.st_dev, st.st_ino };
	return 0;
}

int
ternfib_open(struct ternfib **out, const char *path)
{
	struct ternfib *t = calloc(1, sizeof(*t));
	struct ternfib_mapping m;
	int err;

	*out = NULL;
	if (!t || !(t->path = strdup(path))) {
		free(t);
		return -ENOMEM;
	}
	err = ternfib_map(path, &m);
	if (err) {
		free(t->path);
		free(t);
		return err;
	}
	ternfib_view(t, &m);
	ternfib_plain(t, 0);
	*out = t;
	return 0;
}

void
ternfib_close(struct ternfib *t)
{
	if (!t)
		return;
	munmap(t->map.base, t->map.size);
	free(t->path);
	free(t);
}

int
ternfib_plain(struct ternfib *t, int on)
{
	t->code = &ternfib_code_plain;
#ifdef __x86_64__
	if (on != 1 && ternfib_code_avx2 && __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
		t->code = ternfib_code_avx2;
	if (on == 0 && t->code == ternfib_code_avx2 && ternfib_code_avx512 &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vpopcntdq"))
		t->code = ternfib_code_avx512;
#else
	(void)on;
#endif
	ternfib_near_form(t);
	return t->code == &ternfib_code_plain   ? 0
	       : t->code == ternfib_code_avx512 ? 2
						: 1;
}

unsigned
ternfib_bits(const struct ternfib *t)
{
	return t->header->fixed.bits;
}

uint64_t
ternfib_generation(const struct ternfib *t)
{
	return mapped_load_acquire64(&t->header->live.generation);
}

/* ---- lookups ---- */

uint64_t
ternfib_find4(struct ternfib *t, uint32_t addr)
{
	return t->code->find4(t, addr);
}

uint64_t
ternfib_find6(struct ternfib *t, const void *addr)
{
	return t->code->find6(t, addr);
}

#define BULK 64 /* addresses for each check of the generation */

void
ternfib_bulk4(struct ternfib *t, uint64_t *answer, const uint32_t *addr, size_t cnt)
{
	t->near.seen = ternfib_generation(t); /* the oldest generation of the answers */
	for (size_t n; cnt; cnt -= n, answer += n, addr += n) {
		uint64_t from;

		n = cnt < BULK ? cnt : BULK;
		for (;;) {
			from = ternfib_generation(t);
			t->code->bulk4(&t->view, answer, addr, n);
			if (!ternfib_changed(t, from))
				break;
			t->repeated += n;
		}
		t->lookups += n;
	}
}

void
ternfib_bulk6(struct ternfib *t, uint64_t *answer, const void *addr, size_t cnt)
{
	const uint8_t *a = addr;

	t->near.seen = ternfib_generation(t);
	for (size_t n; cnt; cnt -= n, answer += n, a += 16 * n) {
		uint64_t from;

		n = cnt < BULK ? cnt : BULK;
		for (;;) {
			from = ternfib_generation(t);
			t->code->bulk6(&t->view, answer, a, n);
			if (!ternfib_changed(t, from))
				break;
			t->repeated += n;
		}
		t->lookups += n;
	}
}

/* ---- meaning ---- */

/* ternfib_fresh - Returns: 0 if an object that has its meaning since generation @since
 * belongs to an answer of the handle; @wrap: only the low 32 bits are known. */
static int
ternfib_fresh(const struct ternfib *t, uint64_t since, bool wrap)
{
	uint64_t last = t->near.seen + FIB_GRACE;

	if (!since)
		return -ESTALE;
	if (wrap)
		return (int32_t)((uint32_t)since - (uint32_t)last) > 0 ? -ESTALE : 0;
	return since > last ? -ESTALE : 0;
}

int
ternfib_hop(const struct ternfib *t, uint64_t answer, struct ternfib_hop *out)
{
	uint32_t index = ternfib_hop_of(answer);
	const struct fib_hop *h = (const struct fib_hop *)ternfib_section(t, FIB_HOP);
	uint64_t since;

	if (!index)
		return -ENOENT;
	h += index;
	since = mapped_load_acquire64(&h->since);
	memcpy(out->addr, h->addr, sizeof(out->addr));
	out->ifindex = h->ifindex;
	out->kind = (enum ternfib_kind)h->kind;
	mapped_fence_acquire();
	if (mapped_load_acquire64(&h->since) != since)
		return -ESTALE;
	return ternfib_fresh(t, since, false);
}

int
ternfib_origin(const struct ternfib *t, uint64_t answer, uint32_t *asn)
{
	const uint64_t *at = ternfib_section(t, FIB_ORIGIN);
	struct fib_origin origin;
	uint64_t word;

	*asn = 0;
	if (!ternfib_origin_of(answer))
		return answer ? 0 : -ENOENT;
	word = mapped_load_acquire64(&at[ternfib_origin_of(answer)]);
	memcpy(&origin, &word, sizeof(word));
	*asn = origin.asn;
	return ternfib_fresh(t, (uint64_t)origin.since | 1ull << 63, true);
}

/* ternfib_set - copy the set at unit @set; false: the set does not lie in the section. */
static bool
ternfib_set(const struct ternfib *t, uint32_t set, struct ternfib_attr *out)
{
	const struct fib_section *x = &t->header->fixed.section[FIB_SET];
	const struct fib_set *s;
	uint32_t cnt, large;

	if ((set + 3ull) * FIB_UNIT > x->size)
		return false;
	s = (const void *)(t->map.base + x->offset + (uint64_t)set * FIB_UNIT);
	out->peer_as = s->peer_as;
	out->rpki = (enum ternfib_rpki)(s->rpki & 3);
	out->community_cnt = cnt = s->community_cnt;
	out->large_cnt = large = s->large_cnt;
	if ((set + 3ull) * FIB_UNIT + (cnt + 3ull * large) * 4 > x->size)
		return false;
	memcpy(out->community, s->word,
	    4 * (cnt < TERNFIB_COMMUNITIES_MAX ? cnt : TERNFIB_COMMUNITIES_MAX));
	memcpy(out->large, s->word + cnt,
	    12 * (large < TERNFIB_COMMUNITIES_MAX ? large : TERNFIB_COMMUNITIES_MAX));
	return true;
}

int
ternfib_attr(const struct ternfib *t, uint64_t answer, struct ternfib_attr *out)
{
	const uint64_t *at = ternfib_section(t, FIB_ATTR);
	struct fib_attr attr;
	uint64_t word, from;
	bool inside;

	if (!ternfib_attr_of(answer))
		return -ENOENT;
	for (;;) {
		from = ternfib_generation(t);
		word = mapped_load_acquire64(&at[ternfib_attr_of(answer)]);
		memcpy(&attr, &word, sizeof(word));
		inside = ternfib_set(t, attr.set, out);
		if (!ternfib_changed(t, from))
			break;
	}
	if (!inside)
		return -ESTALE;
	return ternfib_fresh(t, (uint64_t)attr.since | 1ull << 63, true);
}

/* ---- numbers ---- */

void
ternfib_stat(const struct ternfib *t, struct ternfib_stat *out)
{
	const struct fib_fixed *x = &t->header->fixed;
	const struct fib_live *l = &t->header->live;

	*out = (struct ternfib_stat){ .bits = x->bits,
		.fields = x->fields,
		.pid = x->pid,
		.replaced = mapped_load_acquire64(&l->replaced) != 0,
		.start_id = x->start_id,
		.generation = mapped_load_acquire64(&l->generation),
		.prefix_cnt = mapped_load_acquire64(&l->prefix_cnt),
		.created_ns = x->created_ns,
		.published_ns = mapped_load_acquire64(&l->published_ns),
		.heartbeat_ns = mapped_load_acquire64(&l->heartbeat_ns),
		.lookups = t->lookups,
		.repeated = t->repeated };
	memcpy(out->table, x->table, sizeof(out->table) - 1);
	for (unsigned i = 0; i < FIB_SECTIONS; i++) {
		uint64_t used = mapped_load_acquire64(&l->used[i]);

		if (i == FIB_SLOT || i == FIB_CHUNK)
			out->image_octets += used;
		else
			out->side_octets += used;
		out->idle_octets += mapped_load_acquire64(&l->idle[i]);
	}
}
