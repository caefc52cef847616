/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show static [NAME]: the configured routes of instances.
 *
 * A job: names are noted at the beginning; between two steps only the index of the name
 * and of the route are kept.
 *
 * Loop: the session's. Tested by test/net/test_static_ways.py. */
#include "filter/lang/sym.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"

struct static_job {
	struct cli_job job;
	struct cmd_names names;
	uint32_t route;
};

/* cmd_static_at - the present instance; NULL: gone, or the name belongs to an instance of
 * another kind. */
static const struct proto *
cmd_static_at(struct static_job *j, const struct tern_view *v)
{
	const struct proto *p = cmd_names_proto(&j->names, v);

	return p && p->cls->show.route ? p : NULL;
}

/* cmd_static_put_route - Returns: false: no such route. */
static bool
cmd_static_put_route(struct cli_session *s, const struct proto *p, uint32_t i)
{
	struct reply *r = cli_reply(s, "static_route");

	reply_str(r, "protocol", NULL, p->name);
	if (!p->cls->show.route(p, i, r)) {
		cli_reply_drop(s);
		return false;
	}
	cli_reply_end(s, CLI_STATIC);
	return true;
}

static void
cmd_static_step(struct cli_session *s, struct cli_job *job)
{
	struct static_job *j = container_of(job, struct static_job, job);
	const struct tern_view *v = tern_view_get(s->tern);
	const struct proto *p = cmd_static_at(j, v);

	while (cli_go_on(s) && j->names.pos < j->names.cnt) {
		if (p && cmd_static_put_route(s, p, j->route)) {
			j->route++;
			continue;
		}
		if (++j->names.pos < j->names.cnt)
			cli_put_line(s, CLI_STATIC, "");
		j->route = 0;
		p = cmd_static_at(j, v);
	}
	if (j->names.pos == j->names.cnt)
		cli_end(s, CLI_DONE, "%s", "");
}

static void
cmd_static_job_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct static_job *j = container_of(job, struct static_job, job);

	(void)s;
	cmd_names_fini(&j->names);
	mem_free(MEM_OTHER, j);
}

/* cmd_static_wanted - true: an instance with configured routes. @name NULL: any name. */
static bool
cmd_static_wanted(const struct proto *p, const void *arg)
{
	const char *name = arg;

	return p->cls->show.route && (!name || !strcmp(name, p->name));
}

static void
cmd_static_begin(struct cli_session *s, const char *name)
{
	struct static_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->job = (struct cli_job){ .step = cmd_static_step, .free = cmd_static_job_free };
	cmd_names_init(&j->names, tern_view_get(s->tern), cmd_static_wanted, name);
	if (j->names.cnt) {
		cli_run_job(s, &j->job);
		return;
	}
	cmd_static_job_free(s, &j->job);
	if (name)
		cli_end(s, CLI_BAD_COMMAND, "%s: Not a Static protocol", name);
	else
		cli_end(s, CLI_BAD_COMMAND, "There is no Static protocol running");
}

void
cmd_show_static(struct cli_session *s, struct cli_scan *sc)
{
	char *name = NULL;

	if (sc->tok != TOK_END &&
	    !cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
		"a name or the end of the command", &name))
		return;
	if (cli_at_end(s, sc))
		cmd_static_begin(s, name);
	mem_free(MEM_OTHER, name);
}
