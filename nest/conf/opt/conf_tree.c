/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the nodes of the option tree for the grammar: words, values, options and blocks.
 * Loop: the thread that parses. Tested by test/unit/test_conf_golden.c. */
#include "nest/conf/opt/conf_tree.h"
#include "filter/value/fvalue.h"

static struct ct_item *
tree_item_new(struct arena *a, enum ct_kind k, struct src_pos pos)
{
	struct ct_item *i = arena_zalloc(a, sizeof(*i));

	i->kind = (uint8_t)k;
	i->pos = pos;
	return i;
}

struct ct_item *
ct_item_word(struct arena *a, struct src_pos pos, const char *word)
{
	struct ct_item *i = tree_item_new(a, CT_WORD, pos);

	i->word = word;
	return i;
}

struct ct_item *
ct_item_char(struct arena *a, struct src_pos pos, char chr)
{
	struct ct_item *i = tree_item_new(a, CT_CHAR, pos);

	i->chr = chr;
	return i;
}

struct ct_item *
ct_item_value(struct arena *a, struct src_pos pos, struct fvalue v)
{
	struct ct_item *i = tree_item_new(a, CT_VALUE, pos);

	i->value = v;
	return i;
}

struct ct_item *
ct_item_filter(
    struct arena *a, enum ct_kind k, struct src_pos pos, const struct filter *f)
{
	struct ct_item *i = tree_item_new(a, k, pos);

	i->filter = f;
	return i;
}

struct ct_item *
ct_item_block(struct arena *a, struct src_pos pos, struct ct_block *b)
{
	struct ct_item *i = tree_item_new(a, CT_BLOCK, pos);

	i->block = b;
	return i;
}

struct ct_option *
ct_option_new(struct arena *a, struct ct_item *first)
{
	struct ct_option *o = arena_zalloc(a, sizeof(*o));

	o->pos = first->pos;
	o->item = o->last = first;
	return o;
}

void
ct_option_add(struct ct_option *o, struct ct_item *i)
{
	o->last->next = i;
	o->last = i;
}

struct ct_option *
ct_option_routes(struct arena *a, struct src_pos pos, const struct ct_routes *r)
{
	struct ct_option *o = ct_option_new(a, ct_item_word(a, pos, "route"));
	struct ct_item *i = tree_item_new(a, CT_ROUTES, pos);

	i->routes = r;
	ct_option_add(o, i);
	return o;
}

struct ct_block *
ct_block_new(struct arena *a, struct src_pos pos)
{
	struct ct_block *b = arena_zalloc(a, sizeof(*b));

	b->pos = pos;
	return b;
}

void
ct_block_add(struct ct_block *b, struct ct_option *o)
{
	if (!o)
		return;
	if (b->last)
		b->last->next = o;
	else
		b->option = o;
	b->last = o;
}
