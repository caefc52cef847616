/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The simulated world with sub-turns: a thread of a daemon may also switch at each atomic
 * operation and at each plain access of instrumented code (doc/testing.md). The program
 * sim_subturns links this file and test/sim/subturns/tsan.c.
 *
 * The seed decides how often a thread switches. Memory has no history here: a load
 * returns the newest value, because a large part of the program is not instrumented.
 * The functions of test/sim/subturns/model.h therefore act on memory alone. */
#include "test/sim/sim_priv.h"
#include "test/sim/subturns/model.h"
#include "test/sim/subturns/subturns.h"

#include <string.h>

/* sub_self - 0: a thread of a daemon runs; -1: the world or an actor. */
int
sub_self(void)
{
	struct sim_task *t = sim ? sim_self() : NULL;

	return t && sim_task_daemon(t) ? 0 : -1;
}

void
sub_point(bool often)
{
	static const unsigned one_of[] = { 20, 100, 500, 2500 };
	unsigned cut = one_of[sim_seed() % (sizeof(one_of) / sizeof(one_of[0]))];

	sim_cut(often ? cut : 20 * cut, 1);
}

bool
sub_is_private(uintptr_t at)
{
	return at - ((uintptr_t)__builtin_frame_address(0) - 4096) < 64 * 1024;
}

void
sub_heap_check(uintptr_t at, size_t len)
{
	(void)at;
	(void)len;
}

bool
sub_traces(void)
{
	return false;
}

void
sub_note(const char *fmt, ...)
{
	(void)fmt;
}

void
sub_hash_add(uint64_t v)
{
	(void)v;
}

/* ---- memory (model.h) ---- */

void
model_settle(void)
{
}

uint64_t
model_load(unsigned me, uintptr_t at, unsigned size, int order)
{
	return model_newest(me, at, size, order);
}

void
model_store(unsigned me, uintptr_t at, unsigned size, uint64_t value, int order)
{
	(void)me;
	(void)order;
	memcpy((void *)at, &value, size);
}

uint64_t
model_newest(unsigned me, uintptr_t at, unsigned size, int order)
{
	uint64_t v = 0;

	(void)me;
	(void)order;
	memcpy(&v, (const void *)at, size);
	return v;
}

void
model_replace(unsigned me, uintptr_t at, unsigned size, uint64_t value, int order)
{
	model_store(me, at, size, value, order);
}

void
model_fence(unsigned me, int order)
{
	(void)me;
	(void)order;
}

void
model_plain_read(unsigned me, uintptr_t at, size_t size)
{
	(void)me;
	(void)at;
	(void)size;
}

void
model_plain_write(unsigned me, uintptr_t at, size_t size)
{
	(void)me;
	(void)at;
	(void)size;
}
