/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overlays: tables for routes that a pipe brings from a base table, plus the routes that
 * a member announces.
 *
 * In a route server where each member has a table, nearly all routes of such a table are
 * unchanged routes of the common table. An overlay keeps only the member's own routes; a
 * lookup finds all further routes in the common table, the base, and applies the pipe's
 * policy each time (nest/rib/table/overlay.h). A table becomes an overlay if nobody can
 * see a difference:
 *
 * - The table holds IP prefixes, and two channels use the table: a channel of a pipe, and
 *   a channel of an instance that can follow a base (conf_class.through).
 * - The pipe has no limit and no part of the addresses in that direction.
 * - The base is no overlay, and cannot become an overlay.
 * - No further instance asks for the table's routes (conf_class.reads).
 *
 * A running table never becomes an overlay. An overlay becomes an ordinary table while
 * its channels keep running (nest/channel/export/channel_ground.c). So an instance that
 * adds a use of the table restarts no second instance.
 *
 * Loop: the configuration's; conf_overlays_keep runs in the control worker. Tests:
 * test_conf_overlay.c. */
#include "nest/conf/conf_overlay.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

#include <string.h>

/* The uses of a table. */
struct use {
	unsigned pipes, others;
	const struct conf_channel *pipe; /* the pipe's last channel found */
	/* the pipe's channels: in the table, in the base */
	const struct conf_channel *to, *from;
	bool followed; /* the instance's channel can follow a base */
};

static void
conf_overlay_count(struct use *u, const struct conf_proto *p)
{
	struct conf_members many;
	unsigned cnt = conf_member_range(p, &many) ? 2 : 1;

	for (const struct conf_channel *ch = p->chan; ch; ch = ch->next) {
		struct use *x = &u[ch->table->index];

		if (p->kind == PROTO_PIPE) {
			x->pipes++;
			x->to = ch;
			x->from = ch == p->chan ? ch->next : p->chan;
		} else {
			x->others += cnt;
			x->followed = p->class->through && p->class->through(ch);
		}
	}
}

/* conf_overlay_fits - may @t be an overlay, whatever its base? */
static bool
conf_overlay_fits(const struct conf_table *t, const struct use *x)
{
	return t->kind <= TABLE_IP6 && x->pipes == 1 && x->others == 1 && x->followed &&
	       x->to->limit.import.action == LIMIT_OFF && !x->from->has_export_in;
}

/* conf_overlay_is_read - does any of the @cnt instances @p read @t? */
static bool
conf_overlay_is_read(
    const struct conf_proto *const *p, unsigned cnt, const struct conf_table *t)
{
	for (unsigned i = 0; i < cnt; i++)
		if (p[i]->class->reads(p[i], t))
			return true;
	return false;
}

void
conf_overlays_find(struct conf_ctx *c)
{
	struct use *u = mem_zalloc(MEM_CONFIG, (c->tables.cnt + 1) * sizeof(*u));
	const struct conf_proto **readers = mem_alloc(
	    MEM_CONFIG, (c->protos.cnt + 1) * sizeof(*readers));
	unsigned reader_cnt = 0;

	for (unsigned i = 0; i < c->protos.cnt; i++) {
		const struct conf_proto *p = c->protos.item[i];

		conf_overlay_count(u, p);
		if (p->class->reads)
			readers[reader_cnt++] = p;
	}
	for (unsigned i = 0; i < c->tables.cnt; i++) {
		struct conf_table *t = c->tables.item[i];
		const struct conf_table *base;

		store_relaxed_ptr(&t->base, NULL);
		if (!conf_overlay_fits(t, &u[i]))
			continue;
		base = u[i].from->table;
		if (!conf_overlay_fits(base, &u[base->index]) &&
		    !conf_overlay_is_read(readers, reader_cnt, t))
			store_relaxed_ptr(&t->base, (void *)(uintptr_t)base);
	}
	mem_free(MEM_CONFIG, readers);
	mem_free(MEM_CONFIG, u);
}

static bool
overlay_same_base(const struct conf_table *a, const struct conf_table *b)
{
	const struct conf_table *x = conf_table_base(a), *y = conf_table_base(b);

	return x && y ? !strcmp(x->name, y->name) : x == y;
}

/* overlay_is_used - has an instance of @c a channel to @t? */
static bool
overlay_is_used(const struct config *c, const struct conf_table *t)
{
	for (unsigned i = 0; i < c->proto_cnt; i++)
		for (const struct conf_channel *ch = c->proto[i]->chan; ch; ch = ch->next)
			if (ch->table == t)
				return true;
	return false;
}

bool
conf_overlay_same(const struct conf_channel *a, const struct conf_channel *b)
{
	return overlay_same_base(a->table, b->table);
}

void
conf_overlays_keep(const struct config *was, const struct config *now)
{
	for (unsigned i = 0; i < now->table_cnt; i++) {
		struct conf_table *t = now->table[i];
		const struct conf_table *old = conf_table_base(t)
						   ? config_find_table(was, t->name)
						   : NULL;

		if (old && overlay_is_used(was, old) && !overlay_same_base(old, t))
			store_relaxed_ptr(&t->base, NULL);
	}
}
