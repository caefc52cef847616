/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that show something (nest/cli/cmd_list.h). Loop: the session's. */
#ifndef TERN_NEST_CLI_SHOW_CMD_SHOW_H
#define TERN_NEST_CLI_SHOW_CMD_SHOW_H

#include "nest/cli/cmd.h"

struct tern_view;

/* in show status and show health, after exe_file_replaced */
#define CMD_PROGRAM_REPLACED                                                             \
	"The installed program is not the running program: restart the daemon to run "   \
	"the installed program"
#define CMD_PROGRAM_MISSING                                                              \
	"The installed program is missing: the daemon cannot be started again"
/* cmd_status.c */
void cmd_show_status(struct cli_session *s, struct cli_scan *sc);
/* cmd_conf_bad_len - octets of v->conf_bad that the session gets: at most @max; a
 * restricted session gets the place of the error, without words of the file. */
int cmd_conf_bad_len(
    const struct cli_session *s, const struct tern_view *v, unsigned max);
void cmd_show_threads(struct cli_session *s, struct cli_scan *sc);
/* cmd_memory.c */
void cmd_show_memory(struct cli_session *s, struct cli_scan *sc);
/* cmd_members.c */
void cmd_show_members(struct cli_session *s, struct cli_scan *sc);
/* cmd_diff.c */
void cmd_show_diff(struct cli_session *s, struct cli_scan *sc);
/* cmd_reasons.c */
void cmd_show_reasons(struct cli_session *s, struct cli_scan *sc);
/* cmd_table.c */
void cmd_show_table(struct cli_session *s, struct cli_scan *sc);
/* cmd_symbols.c */
void cmd_show_symbols(struct cli_session *s, struct cli_scan *sc);
/* cmd_health.c */
void cmd_show_health(struct cli_session *s, struct cli_scan *sc);
/* cmd_counters.c */
void cmd_subscribe_counters(struct cli_session *s, struct cli_scan *sc);
/* cmd_filter.c */
void cmd_show_filter(struct cli_session *s, struct cli_scan *sc);
/* cmd_show_filters - all filters, with code. */
void cmd_show_filters(struct cli_session *s, struct cli_scan *sc);
/* cmd_roa.c */
void cmd_show_roa_check(struct cli_session *s, struct cli_scan *sc);
/* cmd_iface.c */
void cmd_show_interfaces(struct cli_session *s, struct cli_scan *sc);
/* cmd_configurations.c */
void cmd_show_configurations(struct cli_session *s, struct cli_scan *sc);
/* cmd_bfd.c */
void cmd_show_bfd(struct cli_session *s, struct cli_scan *sc);
/* cmd_shadow.c: of ternshadow */
#define CMD_SHADOW_WORDS   "show shadow"
#define CMD_SHADOW_OPTIONS "all ="
extern const struct cmd cmd_shadow_list[];
/* cmd_protocols.c */
void cmd_show_protocols(struct cli_session *s, struct cli_scan *sc);
/* cmd_lan.c */
void cmd_show_lan(struct cli_session *s, struct cli_scan *sc);
/* cmd_route.c */
void cmd_show_overrides(struct cli_session *s, struct cli_scan *sc);
void cmd_show_quarantine(struct cli_session *s, struct cli_scan *sc);
void cmd_show_static(struct cli_session *s, struct cli_scan *sc);
void cmd_show_route(struct cli_session *s, struct cli_scan *sc);
/* cmd_route_live.c */
void cmd_subscribe_routes(struct cli_session *s, struct cli_scan *sc);
/* cmd_why.c: after `show route why` */
void cmd_show_route_why(struct cli_session *s, struct cli_scan *sc);
/* cmd_dump.c */
void cmd_dump(struct cli_session *s, struct cli_scan *sc);

#endif
