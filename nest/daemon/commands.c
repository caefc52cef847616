/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of commands, as the control plane gives the list to sessions
 * (nest/cli/cmd_list.h). Loop: the session's reads the list; the thread that parses
 * calls daemon_cli_rule. Tested by test/unit/test_cli.c. */
#include "nest/daemon/commands.h"

#include "nest/cli/act/cmd_act.h"
#include "nest/cli/cli_rules.h"
#include "nest/cli/cmd.h"
#include "nest/cli/cmd_list.h"
#include "nest/cli/show/cmd_show.h"

/* A longer command precedes a command that is its beginning. */
const struct cmd daemon_commands[] = {
	{ "show status", cmd_show_status, false, "Version, router id, times", NULL,
	    NULL },
	{ "show health", cmd_show_health, false, "Problems of the daemon", NULL, NULL },
	{ "show protocols", cmd_show_protocols, false, "State of the protocols", NULL,
	    "all where sort =" },
	{ "show route", cmd_show_route, false, "Routes", NULL,
	    "all primary filtered reasons stale count stats aspa for in table protocol "
	    "export/exported noexport preexport import where filter why from to with max "
	    "as" },
	{ "show reasons", cmd_show_reasons, false, "Why routes were kept back", NULL,
	    "where sort =" },
	{ "show members", cmd_show_members, false, "Members and their routes", NULL,
	    "down filtered near limit =" },
	{ "show diff", cmd_show_diff, false, "Changes since a time", NULL,
	    "since until =" },
	{ "show memory", cmd_show_memory, false, "Use of memory", NULL, "tables table" },
	{ "show threads", cmd_show_threads, false, "Threads and their cost", NULL,
	    "=all" },
	{ "show table", cmd_show_table, false, "Counters of routing tables", NULL, "=" },
	{ "show symbols", cmd_show_symbols, false, "Names of the configuration", NULL,
	    "table filter function protocol template =" },
	{ "show filter", cmd_show_filter, false, "Properties of a filter or function",
	    NULL, "code =" },
	{ "show roa check", cmd_show_roa_check, false, "Validity of a route, and why",
	    NULL, "as path table aspa" },
	{ "show interfaces", cmd_show_interfaces, false, "Network interfaces", NULL,
	    "summary" },
	{ "show bfd sessions", cmd_show_bfd, false, "BFD sessions", NULL,
	    "address interface/dev ipv4 ipv6 direct multihop all" },
	{ "show ospf", cmd_ospf, false, NULL, NULL, NULL },
	{ "show rip", cmd_rip, false, NULL, NULL, "interfaces neighbors" },
	{ "show babel", cmd_babel, false, NULL, NULL,
	    "interfaces neighbors entries routes" },
	{ "show configurations", cmd_show_configurations, false,
	    "The last configurations, their plans and results", NULL, NULL },
	{ "show overrides", cmd_show_overrides, false,
	    "Orders of operators beside the configuration", NULL, NULL },
	{ "show lan", cmd_show_lan, false,
	    "MAC addresses of the LAN, and the expected list", NULL, NULL },
	{ "show quarantine", cmd_show_quarantine, false,
	    "Members in quarantine, and the effect of a release", NULL, "= limit" },
	{ "show static", cmd_show_static, false, "Static routes", NULL, "=" },
	{ "subscribe events", cmd_subscribe_events, false, "Live events", NULL,
	    "since all" },
	{ "subscribe routes", cmd_subscribe_routes, false,
	    "Routes of a query, then their changes", NULL,
	    "all primary filtered stale aspa for in table protocol "
	    "export/exported noexport preexport import where filter" },
	{ "subscribe counters", cmd_subscribe_counters, false,
	    "A page of counters in shared memory", NULL, NULL },
	{ "configure preview", cmd_configure_preview, true,
	    "Effect of a configuration on the routes of all sessions", CMD_LOOKS,
	    "for limit fail if" },
	{ "configure", cmd_configure, true, "Read the configuration again", "status",
	    "check confirm undo status force soft timeout" },
	{ "enable", cmd_enable, true, "Start protocols", NULL, "= =all" },
	{ "disable", cmd_disable, true, "Stop protocols", NULL, "hold = =all" },
	{ "drain", cmd_drain, true,
	    "Move traffic away from BGP sessions, then close the sessions", NULL,
	    "for = =all" },
	{ "undrain", cmd_undrain, true, "End a drain, and open the sessions again", NULL,
	    "= =all" },
	{ "quarantine release", cmd_quarantine_release, true,
	    "Let a member out of quarantine", NULL, "= =all" },
	{ "override add", cmd_override_add, true,
	    "Override the configuration for some routes of a session, until a time", NULL,
	    "block accept limit no export from to for reason =" },
	{ "override remove", cmd_override_remove, true, "End an override", NULL, "=" },
	{ "override extend", cmd_override_extend, true, "Let an override last longer",
	    NULL, "= for" },
	{ "restart", cmd_restart, true, "Stop protocols and start the protocols again",
	    NULL, "= =all" },
	{ "reload", cmd_reload, true, "Run filters over all routes again", NULL,
	    "bgp partial = =all =filters =in =out" },
	{ "flush stale", cmd_flush_stale, true,
	    "Remove stale routes of BGP peers that restart", NULL, "= =all" },
	{ "restrict", cmd_restrict, false, "Allow this session only to look, from now on",
	    NULL, NULL },
	{ "down", cmd_down, true, "Stop the daemon", NULL, NULL },
	{ "eval", cmd_eval, true, "Evaluate an expression", NULL, NULL },
	{ "timeformat", cmd_timeformat, false, "How this session shows times", NULL,
	    "iso short long ms us limit" },
	{ "echo", cmd_echo, true, "Show log lines in this session, too", NULL, NULL },
	{ "log reopen", cmd_log_reopen, true,
	    "Create the log files again, after a rotation of the files", NULL, NULL },
	{ "debug", cmd_debug, true, "Events of a protocol to trace in the log", NULL,
	    "= =all =off" },
	{ "mrtdump", cmd_mrtdump, true, "Events of a protocol for the MRT file", NULL,
	    "= =all =off" },
	{ "mrt dump", cmd_mrt_dump, true, "Write a table to a file in MRT format", NULL,
	    "table to where filter always add path received" },
	{ "dump", cmd_dump, true, "Write the daemon's state to a file or to the log",
	    NULL,
	    "resources sockets events interfaces attributes routes tables protocols "
	    "filter all" },
	{ "graceful restart", cmd_graceful_restart, true,
	    "Stop the daemon, but let BGP peers keep the daemon's routes", NULL,
	    "check" },
	{ "help", cmd_help, false, "This list, or the commands that begin with a word",
	    NULL, NULL },
	{ "quit", cmd_quit, false, "Leave", NULL, NULL },
	{ "exit", cmd_quit, false, NULL, NULL, NULL },
	{ NULL, NULL, false, NULL, NULL, NULL },
};

_Static_assert(ARRAY_LEN(daemon_commands) <= CMD_MAX - CMD_PART_MAX,
    "no_command has room for CMD_MAX");

/* The commands of ternshadow: ternd and ternshadow read one file, and rules of the file
 * may name these commands. ternd has the words alone. */
static const struct cmd part_commands[] = {
	{ CMD_SHADOW_WORDS, NULL, false, NULL, NULL, CMD_SHADOW_OPTIONS },
	{ NULL, NULL, false, NULL, NULL, NULL },
};

bool
daemon_cli_rule(
    struct strbuf *out, const struct conf_cli_rule *r, const struct sym_table *names)
{
	static const struct cmd *const list[] = { daemon_commands, part_commands };

	return cli_rules_check(out, r, names, list, ARRAY_LEN(list));
}
