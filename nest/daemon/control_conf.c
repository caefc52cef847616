/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports about configurations, other than the lines of a commit.
 *
 * Loop: the control worker's; for warnings, the reader's. Tested by
 * test/net/test_configure.py and test/net/test_conf_errors.py. */
#include "nest/daemon/control_priv.h"

#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/core/control.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <string.h>

void
control_conf_failed(struct control *c, const struct control_req *r)
{
	mem_free(MEM_CONFIG, c->bad.text);
	c->bad.text = mem_strdup(MEM_CONFIG, r->answer.line[r->answer.cnt - 1].text);
	c->bad.place_len = r->answer.place_len;
	c->bad.time_ns = clock_now_ns();
	publish_view(c);
	control_event_failed(c, r);
}

void
control_conf_warn(struct control_req *r, const char *text)
{
	struct strbuf b;

	strbuf_init(&b);
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		strbuf_reset(&b);
		strbuf_add(&b, text, (size_t)(end - text));
		control_answer(r, CLI_READING, "Warning: %s", b.s);
		log_msg(LOG_C_WARN, "%s", b.s);
	}
	strbuf_fini(&b);
}

void
control_conf_status(struct control *c, struct control_req *r)
{
	control_answer(r, CLI_RECONFIGURED, "Daemon is up and running");
	if (timer_active(&c->undo.timer))
		control_answer(r, CLI_UNDO_LATER,
		    "Configuration unconfirmed, undo in %.3f s",
		    (double)(timer_at_ns(&c->undo.timer) - loop_now_ns(&c->worker)) /
			1e9);
	control_answer(r, CLI_DONE, "%s", "");
}
