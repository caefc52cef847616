/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show static [NAME]: the routes that instances have by configuration.
 *
 * A job: names are noted at the beginning; between two steps only a name's index and a
 * route's are kept.
 *
 * Loop: the session's. */
#include "nest/cmd_list.h"

#include "nest/conf_opt.h"

struct static_job {
	struct cli_job job;
	uint32_t pos, cnt, route;
	char **name;
};

static const struct proto *
find_proto(const struct tern_view *v, const char *name)
{
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (!strcmp(v->proto[i]->name, name))
			return v->proto[i];
	return NULL;
}

static void
step(struct cli_session *s, struct cli_job *job)
{
	struct static_job *j = container_of(job, struct static_job, job);
	const struct tern_view *v = tern_view_get(s->tern);
	const struct proto *p = j->pos < j->cnt ? find_proto(v, j->name[j->pos]) : NULL;
	struct strbuf b;

	strbuf_init(&b);
	while (cli_go_on(s) && j->pos < j->cnt) {
		strbuf_reset(&b);
		if (p && p->cls->list_route(p, j->route, &b)) {
			cli_put_lines(s, 1009, &b);
			j->route++;
			continue;
		}
		if (++j->pos < j->cnt)
			cli_put_line(s, 1009, "");
		j->route = 0;
		p = j->pos < j->cnt ? find_proto(v, j->name[j->pos]) : NULL;
	}
	strbuf_fini(&b);
	if (j->pos == j->cnt)
		cli_end(s, 0, "%s", "");
}

static void
job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct static_job *j = container_of(job, struct static_job, job);

	(void)s;
	for (uint32_t i = 0; i < j->cnt; i++)
		mem_free(MEM_OTHER, j->name[i]);
	mem_free(MEM_OTHER, j->name);
	mem_free(MEM_OTHER, j);
}

static void
begin(struct cli_session *s, const char *name)
{
	const struct tern_view *v = tern_view_get(s->tern);
	struct static_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->job = (struct cli_job){ .step = step, .free = job_free };
	j->name = mem_alloc(MEM_OTHER, (v->proto_cnt + 1) * sizeof(*j->name));
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (v->proto[i]->cls->list_route &&
		    (!name || !strcmp(name, v->proto[i]->name)))
			j->name[j->cnt++] = mem_strdup(MEM_OTHER, v->proto[i]->name);
	if (!j->cnt) {
		job_free(s, &j->job);
		if (name)
			cli_end(s, 9001, "%s: Not a Static protocol", name);
		else
			cli_end(s, 9001, "There is no Static protocol running");
		return;
	}
	cli_run_job(s, &j->job);
}

void
cmd_show_static(struct cli_session *s, struct cli_scan *sc)
{
	char *name = NULL;

	if (sc->tok != TOK_END &&
	    !cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
		"END or CF_SYM_KNOWN", &name))
		return;
	if (cli_at_end(s, sc))
		begin(s, name);
	mem_free(MEM_OTHER, name);
}
