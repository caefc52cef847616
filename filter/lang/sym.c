/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol tables: a hash table in which the newest symbol of a name stands first, so that
 * inner scopes hide outer scopes. Closing a scope removes the symbols of the scope. The
 * parser's thread calls.
 *
 * I1  Among the symbols of one name the symbols of inner scopes come first.
 * I2  `first` to `last` are the symbols of the outermost scope, in order of
 *     definition. */
#include "filter/lang/sym.h"

#include "lib/base/hash.h"
#include "lib/base/spell.h"
#include "lib/mem/arena.h"

static uint64_t
sym_name_hash(const char *s)
{
	return hash_bytes(0, s, strlen(s)); /* names come from the operator's own file */
}

void
sym_table_init(struct sym_table *t, struct arena *a, const struct sym_table *below)
{
	memset(t, 0, sizeof(*t));
	t->arena = a;
	t->below = below;
	htab_init_arena(&t->names, a);
}

/* lang_sym_find - the innermost symbol of that name in @t alone. */
static struct sym *
lang_sym_find(const struct sym_table *t, const char *name, uint64_t hash)
{
	struct htab_node *n;

	htab_each_same (n, &t->names, hash) {
		struct sym *s = container_of(n, struct sym, node);

		if (!strcmp(s->name, name))
			return s; /* I1 */
	}
	return NULL;
}

struct sym *
sym_find(const struct sym_table *t, const char *name)
{
	uint64_t hash = sym_name_hash(name);
	struct sym *s = NULL;

	for (; t && !s; t = t->below)
		s = lang_sym_find(t, name, hash);
	return s;
}

struct sym *
sym_define(struct sym_table *t, const char *name, enum sym_class c, struct src_pos pos)
{
	uint64_t hash = sym_name_hash(name);
	struct sym *s = lang_sym_find(t, name, hash);

	if (s && s->scope == t->depth)
		return NULL;
	s = arena_zalloc(t->arena, sizeof(*s));
	s->name = arena_strdup(t->arena, name);
	s->pos = pos;
	s->scope = t->depth;
	s->class = (uint8_t)c;
	htab_add(&t->names, &s->node, hash);
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

		htab_del(&t->names, &s->node);
		t->inner = s->defined;
	}
	t->depth--;
}

void
sym_spell_add(const struct sym_table *t, uint32_t classes, struct spell *sp)
{
	for (; t; t = t->below) {
		for (const struct sym *s = t->inner; s; s = s->defined)
			if (SYM_BIT(s->class) & classes)
				spell_add(sp, s->name);
		for (const struct sym *s = t->first; s; s = s->defined)
			if (SYM_BIT(s->class) & classes)
				spell_add(sp, s->name);
	}
}

const char *
sym_near(const struct sym_table *t, uint32_t classes, const char *name)
{
	struct spell sp;

	spell_init(&sp, name);
	sym_spell_add(t, classes, &sp);
	return sp.best;
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
