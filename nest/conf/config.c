/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a configuration's parts by name, and frees a configuration. Loop: any thread may
 * search; config_free runs as config.h says. Tested by test/unit/test_config.c. */
#include "nest/conf/config.h"

#include "filter/lang/sym.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"

void
config_free(struct config *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->table_cnt; i++) {
		struct rpki_index *x = load_relaxed_ptr(&c->table[i]->rpki);

		if (x)
			c->table[i]->rpki_drop(x);
	}
	if (c->memory.wipes)
		arena_wipe(&c->memory.arena);
	arena_fini(&c->memory.arena);
	mem_free(MEM_CONFIG, c);
}

struct conf_proto *
config_find_proto(const struct config *c, const char *name)
{
	struct sym *s = sym_find(c->symbols, name);

	return s && s->class == SYM_PROTOCOL ? (struct conf_proto *)(uintptr_t)s->proto
					     : NULL;
}

struct conf_table *
config_find_table(const struct config *c, const char *name)
{
	struct sym *s = sym_find(c->symbols, name);

	return s && s->class == SYM_TABLE ? (struct conf_table *)(uintptr_t)s->table
					  : NULL;
}

const struct conf_cli *
config_find_cli(const struct config *c, const char *path)
{
	for (unsigned i = 0; i < c->cli.cnt; i++)
		if (!strcmp(c->cli.at[i].path, path))
			return &c->cli.at[i];
	return NULL;
}

const struct conf_channel *
conf_channel_like(const struct conf_proto *p, const struct conf_channel *ch)
{
	const struct conf_channel *c = p->chan;

	while (c && (c->kind != ch->kind || c->side != ch->side))
		c = c->next;
	return c;
}
