/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mappings of daemons: the kernel takes a process's mappings back when the process ends.
 *
 * I1  A range stands in the list from mmap to munmap. Ranges of the list never overlap.
 *
 * vmem_area does nothing: the area lies at a fixed place, and a world may have several
 * daemons. Without an area lib/mem/vmem.c reserves addresses by mappings. */
#include "test/sim/sim_priv.h"

#include <stdlib.h>
#include <sys/mman.h>

void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off);
int __real_munmap(void *at, size_t len);

struct range {
	struct range *next;
	unsigned daemon;
	char *from, *to;
};

struct sim_memory {
	struct range *first;
};

static struct sim_memory *
memory_get(void)
{
	return sim_root(&sim->memory, sizeof(struct sim_memory));
}

static void
range_add(unsigned daemon, char *from, char *to)
{
	struct range *r = malloc(sizeof(*r));

	*r = (struct range){ memory_get()->first, daemon, from, to };
	memory_get()->first = r;
}

void *
__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t off)
{
	void *p = __real_mmap(at, len, prot, flags, fd, off);
	unsigned daemon = sim && sim_self() ? sim_task_daemon(sim_self()) : 0;

	if (p != MAP_FAILED && daemon)
		range_add(daemon, p, (char *)p + ((len + 4095) & ~(size_t)4095));
	return p;
}

int
__wrap_munmap(void *at, size_t len)
{
	char *from = at, *to = from + ((len + 4095) & ~(size_t)4095);
	struct range **p = sim ? &memory_get()->first : NULL, *r;

	while (p && (r = *p)) {
		if (r->to <= from || to <= r->from) {
			p = &r->next;
			continue;
		}
		*p = r->next; /* what is left of the range stays (I1) */
		if (r->from < from)
			range_add(r->daemon, r->from, from);
		if (to < r->to)
			range_add(r->daemon, to, r->to);
		free(r);
		p = &memory_get()->first;
	}
	return __real_munmap(at, len);
}

void
sim_memory_drop(unsigned daemon)
{
	struct range **p = &memory_get()->first, *r;

	while ((r = *p)) {
		if (r->daemon != daemon) {
			p = &r->next;
			continue;
		}
		*p = r->next;
		__real_munmap(r->from, (size_t)(r->to - r->from));
		free(r);
	}
}

void
__wrap_vmem_area(void *base, size_t len)
{
	(void)base;
	(void)len;
}
