/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls that the compiler inserts with -fsanitize=thread. In a thread of a run the
 * calls reach the model; outside of a thread the calls act on memory.
 *
 * The compiler calls before each plain access and in place of each atomic operation. */
#include "test/sim/subturns/model.h"
#include "test/sim/subturns/subturns.h"

#include <string.h>

void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_read_range(void *at, size_t len);
void __tsan_write_range(void *at, size_t len);
void __tsan_vptr_update(void *at, void *value);
void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);
/* redirect.h names the calls. */
void *sub_memcpy(void *to, const void *from, size_t len);
void *sub_memmove(void *to, const void *from, size_t len);
void *sub_memset(void *to, int v, size_t len);
int sub_memcmp(const void *a, const void *b, size_t len);

void
__tsan_init(void)
{
}

void
__tsan_func_entry(void *pc)
{
	(void)pc;
	if (sub_self() >= 0)
		model_settle();
}

void
__tsan_func_exit(void)
{
	if (sub_self() >= 0)
		model_settle();
}

static void
tsan_plain(void *at, size_t len, bool writes)
{
	uintptr_t a = (uintptr_t)at;
	int me = sub_self();

	if (me < 0)
		return;
	model_settle();
	if (sub_is_private(a) || !len)
		return;
	sub_point(false);
	sub_heap_check(a, len);
	if (writes)
		model_plain_write((unsigned)me, a, len);
	else
		model_plain_read((unsigned)me, a, len);
}

void
__tsan_read_range(void *at, size_t len)
{
	tsan_plain(at, len, false);
}

void
__tsan_write_range(void *at, size_t len)
{
	tsan_plain(at, len, true);
}

void
__tsan_vptr_update(void *at, void *value)
{
	(void)value;
	tsan_plain(at, sizeof(void *), true);
}

/* style: names are glued here, so that each call of the compiler exists for each size. */
#define TSAN_PLAIN(size)                                                                 \
	void __tsan_read##size(void *at);                                                \
	void __tsan_write##size(void *at);                                               \
	void __tsan_unaligned_read##size(void *at);                                      \
	void __tsan_unaligned_write##size(void *at);                                     \
	void __tsan_read##size(void *at)                                                 \
	{                                                                                \
		tsan_plain(at, size, false);                                             \
	}                                                                                \
	void __tsan_write##size(void *at)                                                \
	{                                                                                \
		tsan_plain(at, size, true);                                              \
	}                                                                                \
	void __tsan_unaligned_read##size(void *at)                                       \
	{                                                                                \
		tsan_plain(at, size, false);                                             \
	}                                                                                \
	void __tsan_unaligned_write##size(void *at)                                      \
	{                                                                                \
		tsan_plain(at, size, true);                                              \
	}

TSAN_PLAIN(1)
TSAN_PLAIN(2)
TSAN_PLAIN(4)
TSAN_PLAIN(8)
TSAN_PLAIN(16)

/* ---- blocks of memory ---- */

void *
sub_memcpy(void *to, const void *from, size_t len)
{
	tsan_plain((void *)(uintptr_t)from, len, false);
	tsan_plain(to, len, true);
	return memcpy(to, from, len);
}

void *
sub_memmove(void *to, const void *from, size_t len)
{
	tsan_plain((void *)(uintptr_t)from, len, false);
	tsan_plain(to, len, true);
	return memmove(to, from, len);
}

void *
sub_memset(void *to, int v, size_t len)
{
	tsan_plain(to, len, true);
	return memset(to, v, len);
}

int
sub_memcmp(const void *a, const void *b, size_t len)
{
	tsan_plain((void *)(uintptr_t)a, len, false);
	tsan_plain((void *)(uintptr_t)b, len, false);
	if (sub_self() >= 0)
		model_settle();
	return memcmp(a, b, len);
}

/* clang's names. */
void *__tsan_memcpy(void *to, const void *from, size_t len);
void *__tsan_memmove(void *to, const void *from, size_t len);
void *__tsan_memset(void *to, int v, size_t len);
/* lib/mt/rcu.c calls these where the compiler is clang; rcu.c has the order. */
void __tsan_acquire(void *at);
void __tsan_release(void *at);

void *
__tsan_memcpy(void *to, const void *from, size_t len)
{
	return sub_memcpy(to, from, len);
}

void *
__tsan_memmove(void *to, const void *from, size_t len)
{
	return sub_memmove(to, from, len);
}

void *
__tsan_memset(void *to, int v, size_t len)
{
	return sub_memset(to, v, len);
}

void
__tsan_acquire(void *at)
{
	(void)at;
}

void
__tsan_release(void *at)
{
	(void)at;
}

/* ---- atomic operations ---- */

enum tsan_op { OP_SET, OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_NAND };

static uint64_t
tsan_apply(enum tsan_op op, uint64_t old, uint64_t v)
{
	switch (op) {
	case OP_SET:
		return v;
	case OP_ADD:
		return old + v;
	case OP_SUB:
		return old - v;
	case OP_AND:
		return old & v;
	case OP_OR:
		return old | v;
	case OP_XOR:
		return old ^ v;
	default:
		return ~(old & v);
	}
}

static const char *
tsan_order(int order)
{
	static const char *const name[] = { "relaxed", "consume", "acquire", "release",
		"acq_rel", "seq_cst" };

	return order >= 0 && order < 6 ? name[order] : "?";
}

/* tsan_note - the hash and the trace of an operation. An address has no place in either:
 * equal seeds give equal traces. */
static void
tsan_note(const char *what, unsigned size, uint64_t v, int order)
{
	bool pointer = size == 8 && v >> 32;

	sub_hash_add(((uint64_t)sub_self() << 32) + (uint64_t)what[0] + size);
	sub_hash_add(pointer ? 1 : v);
	if (!sub_traces())
		return;
	if (pointer)
		sub_note("%s %s, a pointer", what, tsan_order(order));
	else
		sub_note("%s %s, %llu", what, tsan_order(order), (unsigned long long)v);
}

/* tsan_begin - an operation begins. Returns: the thread; -1: none. */
static int
tsan_begin(volatile void *at, unsigned size)
{
	int me = sub_self();

	if (me < 0)
		return me;
	model_settle();
	sub_point(true);
	sub_heap_check((uintptr_t)at, size);
	return me;
}

static uint64_t
tsan_load(const volatile void *at, unsigned size, int order)
{
	int me = tsan_begin((volatile void *)(uintptr_t)at, size);
	uint64_t v = 0;

	if (me < 0) {
		memcpy(&v, (const void *)(uintptr_t)at, size);
		return v;
	}
	v = model_load((unsigned)me, (uintptr_t)at, size, order);
	tsan_note("load", size, v, order);
	return v;
}

static void
tsan_store(volatile void *at, unsigned size, uint64_t v, int order)
{
	int me = tsan_begin(at, size);

	if (me < 0) {
		memcpy((void *)(uintptr_t)at, &v, size);
		return;
	}
	model_store((unsigned)me, (uintptr_t)at, size, v, order);
	tsan_note("store", size, v, order);
}

static uint64_t
tsan_change(volatile void *at, unsigned size, enum tsan_op op, uint64_t v, int order)
{
	int me = tsan_begin(at, size);
	uint64_t old = 0, new;

	if (me < 0) {
		memcpy(&old, (const void *)(uintptr_t)at, size);
		new = tsan_apply(op, old, v);
		memcpy((void *)(uintptr_t)at, &new, size);
		return old;
	}
	old = model_newest((unsigned)me, (uintptr_t)at, size, order);
	new = tsan_apply(op, old, v);
	if (size < 8)
		new &= (UINT64_C(1) << 8 * size) - 1;
	model_replace((unsigned)me, (uintptr_t)at, size, new, order);
	tsan_note("exchange", size, new, order);
	return old;
}

static int
tsan_cas(volatile void *at, void *expect, unsigned size, uint64_t v, int order, int fails)
{
	int me = tsan_begin(at, size);
	uint64_t want = 0, old = 0;
	bool equal;

	memcpy(&want, expect, size);
	memcpy(&old, (const void *)(uintptr_t)at, size);
	equal = old == want;
	if (me < 0) {
		if (equal)
			memcpy((void *)(uintptr_t)at, &v, size);
	} else if (equal) {
		model_newest((unsigned)me, (uintptr_t)at, size, order);
		model_replace((unsigned)me, (uintptr_t)at, size, v, order);
		tsan_note("cas", size, v, order);
	} else {
		model_newest((unsigned)me, (uintptr_t)at, size, fails);
		tsan_note("failed cas", size, old, fails);
	}
	if (!equal)
		memcpy(expect, &old, size);
	return equal;
}

/* style: names are glued here, so that each call of the compiler exists for each size. */
#define TSAN_CHANGE(bits, type, name, op)                                                \
	type __tsan_atomic##bits##_##name(volatile type *at, type v, int order);         \
	type __tsan_atomic##bits##_##name(volatile type *at, type v, int order)          \
	{                                                                                \
		return (type)tsan_change(at, sizeof(type), op, (uint64_t)v, order);      \
	}

#define TSAN_ATOMIC(bits, type)                                                          \
	type __tsan_atomic##bits##_load(const volatile type *at, int order);             \
	void __tsan_atomic##bits##_store(volatile type *at, type v, int order);          \
	int __tsan_atomic##bits##_compare_exchange_strong(                               \
	    volatile type *at, type *expect, type v, int order, int fails);              \
	int __tsan_atomic##bits##_compare_exchange_weak(                                 \
	    volatile type *at, type *expect, type v, int order, int fails);              \
	type __tsan_atomic##bits##_compare_exchange_val(                                 \
	    volatile type *at, type expect, type v, int order, int fails);               \
	type __tsan_atomic##bits##_compare_exchange_val(                                 \
	    volatile type *at, type expect, type v, int order, int fails)                \
	{                                                                                \
		tsan_cas(at, &expect, sizeof(type), (uint64_t)v, order, fails);          \
		return expect;                                                           \
	}                                                                                \
	type __tsan_atomic##bits##_load(const volatile type *at, int order)              \
	{                                                                                \
		return (type)tsan_load(at, sizeof(type), order);                         \
	}                                                                                \
	void __tsan_atomic##bits##_store(volatile type *at, type v, int order)           \
	{                                                                                \
		tsan_store(at, sizeof(type), (uint64_t)v, order);                        \
	}                                                                                \
	int __tsan_atomic##bits##_compare_exchange_strong(                               \
	    volatile type *at, type *expect, type v, int order, int fails)               \
	{                                                                                \
		return tsan_cas(at, expect, sizeof(type), (uint64_t)v, order, fails);    \
	}                                                                                \
	int __tsan_atomic##bits##_compare_exchange_weak(                                 \
	    volatile type *at, type *expect, type v, int order, int fails)               \
	{                                                                                \
		return tsan_cas(at, expect, sizeof(type), (uint64_t)v, order, fails);    \
	}                                                                                \
	TSAN_CHANGE(bits, type, exchange, OP_SET)                                        \
	TSAN_CHANGE(bits, type, fetch_add, OP_ADD)                                       \
	TSAN_CHANGE(bits, type, fetch_sub, OP_SUB)                                       \
	TSAN_CHANGE(bits, type, fetch_and, OP_AND)                                       \
	TSAN_CHANGE(bits, type, fetch_or, OP_OR)                                         \
	TSAN_CHANGE(bits, type, fetch_xor, OP_XOR)                                       \
	TSAN_CHANGE(bits, type, fetch_nand, OP_NAND)

TSAN_ATOMIC(8, uint8_t)
TSAN_ATOMIC(16, uint16_t)
TSAN_ATOMIC(32, uint32_t)
TSAN_ATOMIC(64, uint64_t)

void
__tsan_atomic_thread_fence(int order)
{
	int me = sub_self();

	if (me < 0)
		return;
	model_settle();
	sub_point(true);
	model_fence((unsigned)me, order);
	tsan_note("fence", 0, 0, order);
}

void
__tsan_atomic_signal_fence(int order)
{
	(void)order;
}
