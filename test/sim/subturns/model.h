/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory of a run: which values may a load return? model.c describes the model. @me:
 * the number of the thread; @order: __ATOMIC_*. */
#ifndef TERN_TEST_SIM_SUBTURNS_MODEL_H
#define TERN_TEST_SIM_SUBTURNS_MODEL_H

#include "test/sim/subturns/subturns.h"

void model_reset(void);
/* model_settle - the plain access of the last call is over: note the stored value, and
 * put the newest value back in place of an older value. Called first by each call that
 * a thread makes, and at each switch. */
void model_settle(void);

uint64_t model_load(unsigned me, uintptr_t at, unsigned size, int order);
void model_store(unsigned me, uintptr_t at, unsigned size, uint64_t value, int order);
/* model_newest - what a read-modify-write reads. */
uint64_t model_newest(unsigned me, uintptr_t at, unsigned size, int order);
/* model_replace - the write of a read-modify-write, right after model_newest. */
void model_replace(unsigned me, uintptr_t at, unsigned size, uint64_t value, int order);
void model_fence(unsigned me, int order);
/* model_plain_read, model_plain_write - the access follows the call. */
void model_plain_read(unsigned me, uintptr_t at, size_t size);
void model_plain_write(unsigned me, uintptr_t at, size_t size);

/* model_release - @c precedes what takes @c by model_acquire. */
void model_release(unsigned me, struct sub_clock *c);
void model_acquire(unsigned me, const struct sub_clock *c);
void model_clock_join(struct sub_clock *c, const struct sub_clock *with);

#endif
