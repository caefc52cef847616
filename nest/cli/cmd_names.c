/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the instances that a command visits.
 *
 * In the session's loop. Tested by test/unit/test_cli.c. */
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
cmd_names_proto(struct cmd_names *n, const struct tern_view *v)
{
	/* Most commands visit the instances in the order of the view. */
	for (uint32_t k = 0; n->pos < n->cnt && k < v->proto_cnt; k++) {
		uint32_t i = (n->next % v->proto_cnt + k) % v->proto_cnt;

		if (strcmp(v->proto[i]->name, n->name[n->pos]) != 0)
			continue;
		n->next = i + 1;
		return v->proto[i];
	}
	return NULL;
}
