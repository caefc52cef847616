/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that change something (nest/cli/cmd_list.h). Loop: the session's. */
#ifndef TERN_NEST_CLI_ACT_CMD_ACT_H
#define TERN_NEST_CLI_ACT_CMD_ACT_H

#include "nest/cli/cli_session.h"

/* cmd_control.c */
void cmd_configure_preview(struct cli_session *s, struct cli_scan *sc);
void cmd_configure(struct cli_session *s, struct cli_scan *sc);
void cmd_down(struct cli_session *s, struct cli_scan *sc);
void cmd_flush_stale(struct cli_session *s, struct cli_scan *sc);
void cmd_graceful_restart(struct cli_session *s, struct cli_scan *sc);
void cmd_enable(struct cli_session *s, struct cli_scan *sc);
void cmd_disable(struct cli_session *s, struct cli_scan *sc);
void cmd_log_reopen(struct cli_session *s, struct cli_scan *sc);
void cmd_drain(struct cli_session *s, struct cli_scan *sc);
void cmd_undrain(struct cli_session *s, struct cli_scan *sc);
void cmd_quarantine_release(struct cli_session *s, struct cli_scan *sc);
/* cmd_override.c */
void cmd_override_add(struct cli_session *s, struct cli_scan *sc);
void cmd_override_remove(struct cli_session *s, struct cli_scan *sc);
void cmd_override_extend(struct cli_session *s, struct cli_scan *sc);
/* cmd_control.c */
void cmd_restart(struct cli_session *s, struct cli_scan *sc);
void cmd_reload(struct cli_session *s, struct cli_scan *sc);
/* cmd_subscribe.c */
void cmd_subscribe_events(struct cli_session *s, struct cli_scan *sc);
/* cmd_misc.c */
void cmd_eval(struct cli_session *s, struct cli_scan *sc);
void cmd_timeformat(struct cli_session *s, struct cli_scan *sc);
void cmd_echo(struct cli_session *s, struct cli_scan *sc);
void cmd_mrtdump(struct cli_session *s, struct cli_scan *sc);
void cmd_mrt_dump(struct cli_session *s, struct cli_scan *sc);
void cmd_debug(struct cli_session *s, struct cli_scan *sc);
struct event;
/* cmd_put_event - the line or the object of @e, with the rights as event_face has. */
void cmd_put_event(
    struct cli_session *s, const struct event *e, bool restricted, bool plans);

#endif
