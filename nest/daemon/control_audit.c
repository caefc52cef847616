/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit trail of configurations: a line of class audit for each `configure`, `undo`
 * and `confirm` that reached the control worker, with the digests of the configurations
 * and the plan. The session of the client logs the command itself (nest/cli/cli_audit.c).
 * Tested by test/net/test_audit.py.
 *
 * Loop: the control worker's. */
#include "lib/base/plural.h"
#include "nest/daemon/control_preview.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "sysdep/log/log.h"

#include <stdio.h>
#include <string.h>

/* octets of the plan in its line: the log truncates lines */
#define PLAN_MAX 400u

static const char *
audit_kind_name(const struct control_req *r)
{
	switch (r->kind) {
	case CTL_CONFIGURE:
		return r->force ? "configure force" : "configure";
	case CTL_CHECK:
		return "configure check";
	case CTL_PREVIEW:
		return "configure preview";
	case CTL_UNDO:
		return "configure undo";
	case CTL_CONFIRM:
		return "configure confirm";
	default:
		return NULL;
	}
}

void
control_audit_begin(
    struct control_audit *au, const struct control *c, const struct control_req *r)
{
	const struct config *conf = control_result_conf(r);

	*au = (struct control_audit){ .name = log_takes(LOG_C_AUDIT) ? audit_kind_name(r)
								     : NULL };
	if (!au->name)
		return;
	if (r->kind == CTL_UNDO)
		conf = c->undo.prev ? c->undo.prev->conf : NULL;
	snprintf(au->before, sizeof(au->before), "%s", c->conf->conf->digest);
	snprintf(au->file, sizeof(au->file), "%s", conf ? conf->digest : "-");
	snprintf(au->path, sizeof(au->path), "%s",
	    r->path ? r->path
	    : conf  ? conf->path
		    : "-");
}

/* audit_put_plan - the lines of @r's answer that show the plan, or the reason of a
 * refusal. */
static void
audit_put_plan(struct strbuf *b, const struct control_req *r)
{
	unsigned left = 0;

	for (unsigned i = 0; i < r->answer.cnt; i++) {
		const struct control_line *l = &r->answer.line[i];

		if (l->code == CLI_READING && !strncmp(l->text, "Reading ", 8))
			continue;
		if (b->len + strlen(l->text) > PLAN_MAX && i + 1 < r->answer.cnt)
			left++;
		else
			strbuf_addf(b, "%s%s", b->len ? "; " : "", l->text);
	}
	if (left)
		strbuf_addf(b, "; %u line%s more", left, plural(left, "", "s"));
}

void
control_audit_end(
    const struct control_audit *au, const struct control *c, const struct control_req *r)
{
	struct strbuf plan;

	if (!au->name)
		return;
	strbuf_init(&plan);
	audit_put_plan(&plan, r);
	log_msg(LOG_C_AUDIT, "%s %s \"%s\" digest %s before %s after %s: %s",
	    r->client.who ? r->client.who : "signal", au->name, au->path, au->file,
	    au->before, c->conf->conf->digest, plan.s);
	strbuf_fini(&plan);
}

void
control_audit_timeout(const struct control *c, const char *before)
{
	if (log_takes(LOG_C_AUDIT))
		log_msg(LOG_C_AUDIT,
		    "timeout configure undo \"%s\" digest %s before %s after %s: not "
		    "confirmed in time",
		    c->conf->conf->path, c->conf->conf->digest, before,
		    c->conf->conf->digest);
}
