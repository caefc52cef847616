/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of a commit: a new table is made; a removed table is deleted (the table ends
 * when the channels of the table have ended). Loop: the control worker's. Tested by
 * test/unit/test_commit.c. */
#include "nest/daemon/control_priv.h"
#include "filter/rpki.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/proto.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/index/match_index.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/table.h"
#include "sysdep/iface/iface.h"
#include "sysdep/loop/loop.h"

struct table_slot *
table_find_slot(struct control *c, const char *name)
{
	struct tern_table *tt = tern_table_find(c->tern, name);

	return tt ? container_of(tt, struct table_slot, named) : NULL;
}

void
commit_drop_table(struct control *c, struct table_slot *ts)
{
	tern_table_del(c->tern, &ts->named);
	list_del(&ts->link);
	list_add_tail(&c->end.tables, &ts->link);
}

/* tables_give_rpki - let the filters of @ct's configuration query @x: before any
 * instance has the configuration, or again after `undo`, maybe with a new index; then
 * filters in use query the new index from now on. */
static void
tables_give_rpki(struct conf_table *ct, struct rpki_index *x)
{
	struct rpki_index *old = load_relaxed_ptr(&ct->rpki);

	if (old == x)
		return;
	ct->rpki_drop = rpki_index_unref;
	store_release_ptr(&ct->rpki, rpki_index_ref(x)); /* pairs: FTABLE */
	store_release_ptr(&ct->ft.map, /* pairs: FTABLE */
	    ct->ft.is_aspa ? (void *)rpki_index_aspa(x) : rpki_index_map(x));
	if (old)
		rpki_index_unref(old);
}

static void
tables_bind_rpki(struct conf_table *ct, struct rpki_index *x)
{
	rpki_index_times(x, ct);
	tables_give_rpki(ct, x);
}

void
commit_tables_lend(struct control *c, const struct config *conf)
{
	for (unsigned i = 0; i < conf->table_cnt; i++) {
		struct conf_table *ct = conf->table[i];
		struct table_slot *ts = table_find_slot(c, ct->name);

		if (ts && ts->kind == ct->kind && ts->rpki)
			tables_give_rpki(ct, ts->rpki);
	}
}

/* tables_index_matches - make or delete the match index as @ct says. */
static void
tables_index_matches(
    struct control *c, struct table_slot *ts, const struct conf_table *ct)
{
	if (ct->match_index && !ts->match)
		ts->match = match_index_new(c->tern, ts->t, ct->name);
	if (ct->match_index || !ts->match)
		return;
	match_index_delete(ts->match);
	ts->match = NULL;
}

void
commit_tables_new(struct control *c, const struct config *conf)
{
	for (unsigned i = 0; i < conf->table_cnt; i++) {
		struct conf_table *ct = conf->table[i];
		struct table_slot *ts = table_find_slot(c, ct->name);

		if (ts && ts->kind == ct->kind) {
			table_set_debug(ts->t, ct->debug);
			if (ts->rpki)
				tables_bind_rpki(ct, ts->rpki);
			tables_index_matches(c, ts, ct);
			continue;
		}
		if (ts)
			commit_drop_table(c, ts);
		ts = mem_zalloc(MEM_CONFIG, sizeof(*ts));
		ts->name = mem_strdup(MEM_CONFIG, ct->name);
		ts->kind = ct->kind;
		ts->t = table_new(c->tern, ct);
		if (conf_kind_is_rpki(ct->kind)) {
			ts->rpki = rpki_index_new(c->tern, ts->t, ct);
			tables_bind_rpki(ct, ts->rpki);
		}
		tables_index_matches(c, ts, ct);
		list_add_tail(&c->tables, &ts->link);
		tern_table_add(c->tern, &ts->named, ts->name, ts->t);
	}
}

void
commit_tables_old(struct control *c, const struct config *conf)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &c->tables) {
		struct table_slot *ts = container_of(n, struct table_slot, link);

		if (!config_find_table(conf, ts->name))
			commit_drop_table(c, ts);
	}
}
