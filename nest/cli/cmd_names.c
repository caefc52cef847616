/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the instances that a command visits.
 *
 * In the session's loop. */
#include "lib/mem/mem.h"
#include "nest/cli/cmd_names.h"

void
cmd_names_init(struct cmd_names *n, const struct tern_view *v,
    bool (*wanted)(const struct proto *p, const void *arg), const void *arg)
{
	*n = (struct cmd_names){ 0 };
	n->name = mem_alloc(MEM_OTHER, (v->proto_cnt + 1) * sizeof(*n->name));
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (wanted(v->proto[i], arg))
			n->name[n->cnt++] = mem_strdup(MEM_OTHER, v->proto[i]->name);
}

void
cmd_names_fini(struct cmd_names *n)
{
	for (uint32_t i = 0; i < n->cnt; i++)
		mem_free(MEM_OTHER, n->name[i]);
	mem_free(MEM_OTHER, n->name);
}

const struct proto *
cmd_proto_named(const struct tern *t, const char *name)
{
	const struct tern_view *v = tern_view_get(t);

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (!strcmp(v->proto[i]->name, name))
			return v->proto[i];
	return NULL;
}

const struct proto *
cmd_names_proto(const struct cmd_names *n, const struct tern_view *v)
{
	const char *name;

	if (n->pos == n->cnt)
		return NULL;
	name = n->name[n->pos];
	/* Most commands visit all instances, at unchanged positions. */
	if (n->pos < v->proto_cnt && !strcmp(v->proto[n->pos]->name, name))
		return v->proto[n->pos];
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (!strcmp(v->proto[i]->name, name))
			return v->proto[i];
	return NULL;
}
