/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol tables: a chained hash in which the newest symbol of a name stands first, so
 * that inner scopes hide outer ones. Symbols of inner scopes leave the hash when their
 * scope is closed.
 *
 * I1  In each chain, symbols stand by descending scope depth.
 * I2  `first` to `last` are the symbols of the outermost scope, in order of definition.
 */
#include "filter/lang/sym.h"

#define SYM_BUCKETS_FIRST 64

static uint32_t
name_hash(const char *s)
{
	uint32_t h = 2166136261u; /* FNV-1a; names come from the operator's own file */

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h ^ (h >> 15);
}

void
sym_table_init(struct sym_table *t, struct arena *a, const struct sym_table *below)
{
	memset(t, 0, sizeof(*t));
	t->arena = a;
	t->below = below;
	t->bucket_cnt = SYM_BUCKETS_FIRST;
	t->bucket = arena_zalloc(a, t->bucket_cnt * sizeof(struct sym *));
}

struct sym *
sym_find(const struct sym_table *t, const char *name)
{
	uint32_t h = name_hash(name);
	struct sym *s;

	for (; t; t = t->below)
		for (s = t->bucket[h & (t->bucket_cnt - 1)]; s; s = s->chain)
			if (s->hash == h && !strcmp(s->name, name))
				return s;
	return NULL;
}

/* Twice the buckets; the old array stays in the arena. Chains are rebuilt from their
 * ends, which keeps their order (I1). */
static void
grow(struct sym_table *t)
{
	uint32_t cnt = t->bucket_cnt * 2, i;
	struct sym **to = arena_zalloc(t->arena, cnt * sizeof(struct sym *));

	for (i = 0; i < t->bucket_cnt; i++) {
		struct sym **lo = &to[i], **hi = &to[i + t->bucket_cnt], *s;

		for (s = t->bucket[i]; s; s = s->chain) {
			struct sym ***at = s->hash & t->bucket_cnt ? &hi : &lo;

			**at = s;
			*at = &s->chain;
		}
		*lo = NULL;
		*hi = NULL;
	}
	t->bucket = to;
	t->bucket_cnt = cnt;
}

struct sym *
sym_define(struct sym_table *t, const char *name, enum sym_class c, struct src_pos pos)
{
	uint32_t h = name_hash(name);
	struct sym **b = &t->bucket[h & (t->bucket_cnt - 1)], *s;

	for (s = *b; s && s->scope == t->depth; s = s->chain)
		if (s->hash == h && !strcmp(s->name, name))
			return NULL;
	s = arena_zalloc(t->arena, sizeof(*s));
	s->name = arena_strdup(t->arena, name);
	s->pos = pos;
	s->hash = h;
	s->scope = t->depth;
	s->class = (uint8_t)c;
	s->chain = *b;
	*b = s;
	if (t->depth) {
		s->defined = t->inner;
		t->inner = s;
	} else {
		if (t->last)
			t->last->defined = s;
		else
			t->first = s;
		t->last = s;
	}
	if (++t->cnt > t->bucket_cnt)
		grow(t);
	return s;
}

void
sym_push(struct sym_table *t)
{
	t->depth++;
}

void
sym_pop(struct sym_table *t)
{
	ASSERT(t->depth > 0);
	while (t->inner && t->inner->scope == t->depth) {
		struct sym *s = t->inner;
		struct sym **b = &t->bucket[s->hash & (t->bucket_cnt - 1)];

		while (*b != s) /* it is near the front (I1) */
			b = &(*b)->chain;
		*b = s->chain;
		t->inner = s->defined;
		t->cnt--;
	}
	t->depth--;
}

const char *
sym_class_name(enum sym_class c)
{
	switch (c) {
	case SYM_CONSTANT:
		return "constant";
	case SYM_VARIABLE:
		return "variable";
	case SYM_FUNCTION:
		return "function";
	case SYM_FILTER:
		return "filter";
	case SYM_TABLE:
		return "routing table";
	case SYM_PROTOCOL:
		return "protocol";
	case SYM_TEMPLATE:
		return "protocol template";
	case SYM_ATTRIBUTE:
		return "custom attribute";
	}
	return "unknown type";
}
