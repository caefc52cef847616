/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of the control plane: start, configurations, reloads by command.
 *
 * I1  A restricted client gets no words of the files of a configuration: of an error only
 *     its place, as from `show status`; of a plan the number of lines, because the lines
 *     name changed values, filters and functions. Of a withheld configuration no client
 *     gets a plan.
 *
 * Loop: the control worker's. Tested by test/net/test_subscribe.py. */
#include "nest/daemon/control_priv.h"

#include "lib/json/json.h"
#include "lib/wire/cli_code.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/core/tern.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"

#include <string.h>

#define EVENT_PLAN_LINES  50
#define EVENT_PLAN_OCTETS 8000

static const char *
control_events_command(const struct control_req *r)
{
	if (!r)
		return "timeout";
	switch (r->kind) {
	case CTL_UNDO:
		return "undo";
	case CTL_CONFIRM:
		return "confirm";
	default:
		return r->force ? "configure force" : "configure";
	}
}

void
control_event_started(const struct control *c, const struct config *conf)
{
	struct event *e = event_new(c->tern, EVENT_STARTED);

	if (!e)
		return;
	json_str(&e->open.json, "sha256", conf->digest);
	event_text(e, "The daemon starts");
	event_post(e);
}

/* events_put_changes - the lines of @r's answer that show the plan. Splits the event. */
static void
events_put_changes(struct event *e, const struct control_req *r)
{
	struct json *j = &e->open.json;
	unsigned cnt = 0, left = 0;
	size_t octets = 0;

	event_split(e);
	json_list(j, "plan");
	for (uint32_t i = 0; i < r->answer.cnt; i++) {
		const struct control_line *l = &r->answer.line[i];

		if (l->code != CLI_READING || !strncmp(l->text, "Reading ", 8))
			continue;
		if (cnt == EVENT_PLAN_LINES || octets > EVENT_PLAN_OCTETS) {
			left++;
			continue;
		}
		json_str(j, NULL, l->text);
		octets += strlen(l->text);
		cnt++;
	}
	json_close(j);
	if (left)
		json_u64(j, "plan_lines_more", left);
	if (cnt + left)
		json_u64(&e->shut.json, "plan_lines_more", cnt + left);
}

void
control_event_configured(const struct control *c, const struct control_req *r)
{
	struct event *e = event_new(c->tern, EVENT_CONFIGURED);
	const char *command = control_events_command(r);

	if (!e)
		return;
	json_str(&e->open.json, "command", command);
	json_str(&e->open.json, "sha256", c->conf->conf->digest);
	if (r && r->timeout_s)
		json_u64(&e->open.json, "undo_in_s", r->timeout_s);
	event_text(e, "%s: the configuration has changed", command);
	if (r && !r->answer.withheld)
		events_put_changes(e, r);
	event_post(e);
}

void
control_event_failed(const struct control *c, const struct control_req *r)
{
	struct event *e = event_new(c->tern, EVENT_CONFIGURE_FAILED);
	const char *why = r->answer.line[r->answer.cnt - 1].text;
	size_t len = r->answer.place_len ? r->answer.place_len : strlen(why); /* I1 */

	if (!e)
		return;
	json_str(&e->open.json, "command", control_events_command(r));
	event_text(e, "configure has failed: %.*s", (int)len, why);
	event_split(e);
	json_str(&e->open.json, "text", why);
	json_text(&e->shut.json, "text", why, len);
	event_text(e, "configure has failed: %s", why);
	event_post(e);
}

void
control_event_reload(const struct control *c, const struct control_req *r)
{
	struct event *e = event_new(c->tern, EVENT_RELOAD);
	const char *direction = r->kind == CTL_RELOAD_IN    ? "import"
				: r->kind == CTL_RELOAD_OUT ? "export"
							    : "both";

	if (!e)
		return;
	json_str(&e->open.json, "protocols", r->pattern);
	json_str(&e->open.json, "direction", direction);
	if (r->refresh)
		json_bool(&e->open.json, "refresh", true);
	if (r->pick)
		json_bool(&e->open.json, "partial", true);
	event_text(e, "reload of %s, %s", r->pattern, direction);
	event_post(e);
}
