/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests for previews: the control worker describes the instances under the new
 * configuration (commit/plan.c); the asker looks at the routes (nest/preview).
 *
 * I1  Nothing of the daemon changes: the filters of the new configuration query the
 *     present indices of VRPs and ASPAs.
 *
 * Loop: the control worker's. Tested by test/net/test_preview.py. */
#include "nest/daemon/control_preview.h"
#include "nest/daemon/order/control_orders.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/list.h"
#include "lib/base/scan.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/preview/preview.h"

/* preview_guards - the guards on input: a preview shows a refusal as a line. */
static void
preview_guards(struct control *c, const struct config *conf, struct control_req *r)
{
	if (!control_guard_check(c, conf, r))
		r->answer.line[r->answer.cnt - 1].code = CLI_READING;
}

void
control_preview_start(struct control *c, struct control_req *r)
{
	struct config_ref *next = config_ref_new(r->conf);

	r->conf = NULL;
	commit_tables_lend(c, next->conf);
	r->preview = preview_new(c->tern, c->conf, next);
	config_ref_put(next);
}

void
control_preview_release(struct control *c, struct control_req *r)
{
	struct list *n;

	r->preview = preview_new(c->tern, c->conf, c->conf);
	control_plan(c, c->conf->conf, false, r);
	c->planned = NULL;
	control_answer_cut(r, 0);
	list_for_each (n, &c->instances) {
		const struct instance *in = container_of(n, struct instance, link);

		if (quarantine_runs(in) &&
		    (!r->pattern || scan_glob(r->pattern, in->name)))
			preview_release(r->preview, in->name);
	}
	control_answer(r, CLI_DONE, "%s", "");
}

void
control_preview(struct control *c, struct control_req *r)
{
	struct strbuf b;

	strbuf_init(&b);
	if (r->answer.withheld) {
		control_answer(r, CLI_DENIED,
		    "A preview needs a file that is open to the client, and of an "
		    "unrestricted session");
	} else if (commit_check(c, r->conf, &b)) {
		control_answer(r, CLI_BAD_CONF, "%s", b.s);
	} else {
		preview_guards(c, r->conf, r);
		control_preview_start(c, r);
		control_plan(c, preview_next(r->preview)->conf, false, r);
		c->planned = NULL;
		control_answer(r, CLI_CHECKED, "Configuration OK");
	}
	strbuf_fini(&b);
}
