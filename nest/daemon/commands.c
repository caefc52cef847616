/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of commands, as the control plane gives the list to sessions
 * (nest/cli/cmd_list.h). Tested by test/unit/test_cli.c. */
#include "nest/daemon/commands.h"

#include "nest/cli/act/cmd_act.h"
#include "nest/cli/show/cmd_show.h"

/* A longer command precedes a command that is its beginning. */
const struct cmd daemon_commands[] = {
	{ "show status", cmd_show_status, false, "Version, router id, times", NULL },
	{ "show health", cmd_show_health, false, "Is something wrong?", NULL },
	{ "show protocols", cmd_show_protocols, false, "State of the protocols", NULL },
	{ "show route", cmd_show_route, false, "Routes", NULL },
	{ "show reasons", cmd_show_reasons, false, "Why routes were kept back", NULL },
	{ "show members", cmd_show_members, false, "Members and their routes", NULL },
	{ "show memory", cmd_show_memory, false, "What memory is used for", NULL },
	{ "show threads", cmd_show_threads, false, "Threads and what they cost", NULL },
	{ "show table", cmd_show_table, false, "Counters of routing tables", NULL },
	{ "show symbols", cmd_show_symbols, false, "Names of the configuration", NULL },
	{ "show filter", cmd_show_filter, false, "What is known of a filter or function",
	    NULL },
	{ "show roa check", cmd_show_roa_check, false, "Validity of a route, and why",
	    NULL },
	{ "show interfaces", cmd_show_interfaces, false, "Network interfaces", NULL },
	{ "show bfd sessions", cmd_show_bfd, false, "BFD sessions", NULL },
	{ "show ospf", cmd_ospf, false, NULL, NULL },
	{ "show rip", cmd_rip, false, NULL, NULL },
	{ "show babel", cmd_babel, false, NULL, NULL },
	{ "show static", cmd_show_static, false, "Static routes", NULL },
	{ "configure", cmd_configure, true, "Read the configuration again", "status" },
	{ "enable", cmd_enable, true, "Start protocols", NULL },
	{ "disable", cmd_disable, true, "Stop protocols", NULL },
	{ "restart", cmd_restart, true, "Stop protocols and start them again", NULL },
	{ "reload", cmd_reload, true, "Run filters over all routes again", NULL },
	{ "flush stale", cmd_flush_stale, true,
	    "Let routes go that are kept of BGP peers", NULL },
	{ "restrict", cmd_restrict, false, "Only look from now on", NULL },
	{ "down", cmd_down, true, "Stop the daemon", NULL },
	{ "eval", cmd_eval, true, "Evaluate an expression", NULL },
	{ "timeformat", cmd_timeformat, false, "How this session shows times", NULL },
	{ "echo", cmd_echo, true, "Log lines come to this session, too", NULL },
	{ "log reopen", cmd_log_reopen, true, "Make log files anew that were moved away",
	    NULL },
	{ "debug", cmd_debug, true, "What of a protocol is traced in the log", NULL },
	{ "mrtdump", cmd_mrtdump, true, "What of a protocol goes to the MRT file", NULL },
	{ "mrt dump", cmd_mrt_dump, true, "Write a table to a file in MRT format", NULL },
	{ "dump", cmd_dump, true, "What there is, to a file or to the log", NULL },
	{ "graceful restart", cmd_graceful_restart, true,
	    "Stop the daemon, peers keep its routes", NULL },
	{ "help", cmd_help, false, "This list, or the commands that begin with a word",
	    NULL },
	{ "quit", cmd_quit, false, "Leave", NULL },
	{ "exit", cmd_quit, false, NULL, NULL },
	{ NULL, NULL, false, NULL, NULL },
};

_Static_assert(ARRAY_LEN(daemon_commands) <= CMD_MAX - CMD_PART_MAX,
    "no_command has room for CMD_MAX");
