/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables by name (tern.h). Loop: the control worker's. Tested by
 * test/unit/test_core.c. */
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "nest/core/tern.h"

static uint64_t
table_name_hash(const char *name)
{
	return hash_bytes(0, name, strlen(name));
}

void
tern_table_add(
    struct tern *t, struct tern_table *tt, const char *name, struct table *table)
{
	tt->name = name;
	tt->table = table;
	htab_add(&t->tables.by_name, &tt->by_name, table_name_hash(name));
}

void
tern_table_del(struct tern *t, struct tern_table *tt)
{
	htab_del(&t->tables.by_name, &tt->by_name);
}

struct tern_table *
tern_table_find(const struct tern *t, const char *name)
{
	struct htab_node *n;

	htab_each_same (n, &t->tables.by_name, table_name_hash(name)) {
		struct tern_table *tt = container_of(n, struct tern_table, by_name);

		if (!strcmp(tt->name, name))
			return tt;
	}
	return NULL;
}

struct table *
tern_table_of(const struct tern *t, const char *name)
{
	struct tern_table *tt = tern_table_find(t, name);

	ASSERT(tt);
	return tt->table;
}
