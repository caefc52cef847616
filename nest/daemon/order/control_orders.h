/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders of operators that last: drains (RFC 8326), overrides (nest/core/override.h) and
 * quarantines.
 * The structs are in control_priv.h.
 *
 * Loop: the control worker's. */
#ifndef TERN_NEST_DAEMON_ORDER_CONTROL_ORDERS_H
#define TERN_NEST_DAEMON_ORDER_CONTROL_ORDERS_H

#include "nest/daemon/control_priv.h"

/* ---- drain.c ---- */
void drain_init(struct control *c);
/* drain_begin, drain_end - the commands `drain` and `undrain` about @in. drain_enabled,
 * drain_closed - `enable`, `disable` of @in. */
void drain_begin(struct control *c, struct control_req *r, struct instance *in);
void drain_end(struct control *c, struct control_req *r, struct instance *in);
void drain_enabled(struct control *c, struct instance *in);
void drain_closed(struct control *c, struct instance *in);
/* drain_run - a step of a look at the tables, if a look is under way. */
void drain_run(struct control *c);
/* drain_plan - write to @r a line for each drain that @conf leaves. */
void drain_plan(
    const struct control *c, const struct config *conf, struct control_req *r);

/* ---- drain_state.c ---- */
/* drain_runs - true: @in drains, and its session is not closed yet. drain_text - the text
 * of the Cease. */
bool drain_runs(const struct instance *in);
const char *drain_text(const struct instance *in);
/* drain_forget - @in has no drain any more. drain_watch - a further instance drains.
 * drain_publish - show the drain of @in at its struct proto. */
void drain_forget(struct control *c, struct instance *in);
void drain_watch(struct control *c);
void drain_publish(const struct instance *in);
/* drain_time_text - the local time @at_s. */
#define DRAIN_TIME_MAX 32
void drain_time_text(char text[DRAIN_TIME_MAX], uint32_t at_s);

/* ---- quarantine.c ---- */
/* quarantine_configured - @cf is in force: a quarantine begins or ends. When an instance
 * is launched, and with each configuration; control_state_note follows.
 * quarantine_post - the running instance follows the state of @in.
 * quarantine_forget - @in is removed. */
void quarantine_configured(
    struct control *c, struct instance *in, const struct conf_proto *cf);
void quarantine_post(struct instance *in);
void quarantine_forget(struct instance *in);
/* quarantine_plan - write to @r a line for each session that @conf leaves in
 * quarantine. */
void quarantine_plan(
    const struct control *c, const struct config *conf, struct control_req *r);
/* quarantine_release - the command about @in. */
void quarantine_release(struct control *c, struct control_req *r, struct instance *in);
/* quarantine_runs - true: @in is in quarantine. */
static inline bool
quarantine_runs(const struct instance *in)
{
	return in->quarantine.since_s && !in->quarantine.released_s;
}

/* ---- lan.c ---- */
void lan_init(struct control *c);
void lan_fini(struct control *c);
/* lan_configured - a configuration is in force. */
void lan_configured(struct control *c);

/* ---- override_act.c ---- */
/* control_overrides_load - apply the records of the state file, before the first commit.
 * control_overrides_fini - at the end. */
void control_overrides_load(struct control *c);
void control_overrides_fini(struct control *c);
/* control_overrides_act - carry out @r, a command about overrides. */
void control_overrides_act(struct control *c, TAKE struct control_req *r);

/* ---- override_plan.c ---- */
/* control_overrides_plan - write to @r a line for each override, and for each conflict of
 * an override with @conf. control_override_meets - true: the override @o is about the
 * instance @in. */
void control_overrides_plan(
    const struct control *c, const struct config *conf, struct control_req *r);
bool control_override_meets(const struct override *o, const struct instance *in);

#endif
