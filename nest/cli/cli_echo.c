/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that a client gets unasked, and log lines for clients with `echo`.
 *
 * I1  Log lines are read from the tap at intervals, whole, between lines of replies; not
 *     while CLI_OUT_PAUSE octets wait. The echo ends when a configuration takes the right
 *     from the socket.
 *
 * Loop: the session's. Tested by test/net/test_cli_rules.py and test/unit/test_cli.c. */
#include "nest/cli/cli_session.h"

#include "lib/base/strbuf.h"
#include "lib/wire/cli_frame.h"
#include "nest/cli/cmd_list.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "sysdep/log/log_tap.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>
#include <string.h>

/* Interval of looks at the log tap. */
#define ECHO_NS (50 * NS_PER_MS)

void
cli_put_unasked(struct cli_session *s, const char *text, size_t len)
{
	strbuf_addc(&s->out, '+');
	strbuf_add(&s->out, text, min_u64(len, CLI_LINE_MAX - 2));
	strbuf_addc(&s->out, '\n');
}

/* echo_fired - send log lines, also between whole lines of replies. */
static void
echo_fired(struct timer *t)
{
	struct cli_session *s = container_of(t, struct cli_session, echo.timer);
	uint64_t lost = 0;
	size_t len = 0;
	const char *p, *end;

	if (!s->echo.tap || s->end.begun)
		return;
	timer_set(t, loop_now_ns(&s->worker) + ECHO_NS);
	if (s->end.dead || cli_out_len(s) >= CLI_OUT_PAUSE)
		return;
	if (!cmd_is_granted(s, tern_view_get(s->tern)->conf->conf, "echo")) {
		static const char text[] = "No more log lines: echo is denied";

		cli_echo(s, 0, 0);
		cli_put_unasked(s, text, strlen(text));
		worker_again(&s->worker);
		return;
	}
	p = log_tap_take(s->echo.tap, &len, &lost);
	if (!len && !lost)
		return;
	for (end = p + len; p < end; p += strlen(p) + 1)
		cli_put_unasked(s, p, strlen(p));
	if (lost) {
		char text[64];
		int n = snprintf(
		    text, sizeof(text), "%llu log lines lost", (unsigned long long)lost);

		cli_put_unasked(s, text, (size_t)n);
	}
	worker_again(&s->worker);
}

void
cli_echo(struct cli_session *s, uint32_t classes, size_t size)
{
	if (s->echo.tap)
		log_tap_free(s->echo.tap);
	s->echo.tap = classes ? log_tap_new(classes, size) : NULL;
	s->echo.classes = classes;
	if (s->echo.tap)
		timer_set(&s->echo.timer, loop_now_ns(&s->worker) + ECHO_NS);
	else
		timer_cancel(&s->echo.timer);
}

void
cli_echo_init(struct cli_session *s)
{
	timer_init(&s->echo.timer, &s->worker, echo_fired);
}
