/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of the control socket. Each function reads what follows its words, and
 * ends the reply, leaves a job or asks the control plane (nest/cli/cli_session.h). */
#ifndef TERN_NEST_CMD_LIST_H
#define TERN_NEST_CMD_LIST_H

#include "nest/cli/cli_session.h"

/* What tools take us for; only digits and dots (the dialect that we speak). */
#define CMD_BIRD_VERSION "2.0.12"

struct cmd {
	const char *words;
	void (*fn)(struct cli_session *s, struct cli_scan *sc);
	bool denied; /* to restricted sessions */
	const char *help; /* NULL: not listed */
};

#define CMD_PART_MAX 8 /* commands that a part of the daemon (struct tern_part) has */

/* cmd_execute - begin the command @line. */
void cmd_execute(struct cli_session *s, const char *line);

/* cmd_status.c */
void cmd_show_status(struct cli_session *s, struct cli_scan *sc);
void cmd_show_threads(struct cli_session *s, struct cli_scan *sc);
/* cmd_memory.c */
void cmd_show_memory(struct cli_session *s, struct cli_scan *sc);
/* cmd_members.c */
void cmd_show_members(struct cli_session *s, struct cli_scan *sc);
void cmd_show_reasons(struct cli_session *s, struct cli_scan *sc);
/* cmd_table.c */
void cmd_show_table(struct cli_session *s, struct cli_scan *sc);
/* cmd_symbols.c */
void cmd_show_symbols(struct cli_session *s, struct cli_scan *sc);
/* cmd_health.c */
void cmd_show_health(struct cli_session *s, struct cli_scan *sc);
/* cmd_filter.c */
void cmd_show_filter(struct cli_session *s, struct cli_scan *sc);
/* cmd_show_filters - of all there are, with their code. */
void cmd_show_filters(struct cli_session *s, struct cli_scan *sc);
/* cmd_roa.c */
void cmd_show_roa_check(struct cli_session *s, struct cli_scan *sc);
/* cmd_iface.c */
void cmd_show_interfaces(struct cli_session *s, struct cli_scan *sc);
/* cmd_bfd.c */
void cmd_show_bfd(struct cli_session *s, struct cli_scan *sc);
/* cmd_shadow.c: of ternshadow */
extern const struct cmd cmd_shadow_list[];
/* cmd_protocols.c */
void cmd_show_protocols(struct cli_session *s, struct cli_scan *sc);
/* cmd_route.c */
void cmd_show_static(struct cli_session *s, struct cli_scan *sc);
void cmd_show_route(struct cli_session *s, struct cli_scan *sc);
/* cmd_why.c: behind `show route why` */
void cmd_show_route_why(struct cli_session *s, struct cli_scan *sc);
/* cmd_control.c */
void cmd_configure(struct cli_session *s, struct cli_scan *sc);
void cmd_down(struct cli_session *s, struct cli_scan *sc);
void cmd_flush_stale(struct cli_session *s, struct cli_scan *sc);
void cmd_graceful_restart(struct cli_session *s, struct cli_scan *sc);
void cmd_enable(struct cli_session *s, struct cli_scan *sc);
void cmd_disable(struct cli_session *s, struct cli_scan *sc);
void cmd_log_reopen(struct cli_session *s, struct cli_scan *sc);
void cmd_restart(struct cli_session *s, struct cli_scan *sc);
void cmd_reload(struct cli_session *s, struct cli_scan *sc);
/* cmd_dump.c */
void cmd_dump(struct cli_session *s, struct cli_scan *sc);
/* cmd_misc.c */
void cmd_eval(struct cli_session *s, struct cli_scan *sc);
void cmd_timeformat(struct cli_session *s, struct cli_scan *sc);
void cmd_echo(struct cli_session *s, struct cli_scan *sc);
void cmd_mrtdump(struct cli_session *s, struct cli_scan *sc);
void cmd_mrt_dump(struct cli_session *s, struct cli_scan *sc);
void cmd_debug(struct cli_session *s, struct cli_scan *sc);

#endif
