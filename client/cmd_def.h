/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of commands: words, arguments, options, help.
 *
 * CMD_TABLE(X): X(words, arguments as shown, options, help)
 *      options: keywords among the arguments with possible abbreviations
 *        w      the word alone
 *        w=     a value follows: w=p the name of a protocol, w=t of a table, w=* anything
 *        w!     the rest is an expression
 *        w.     completed, but never taken for an abbreviation (likewise w=p.), because a
 *               name or a further option may stand there
 *        =p     a name of a protocol without a keyword; =* any name
 *        ~      as first option: tern's own command: the last word may be abbreviated
 *               only to letters with which no command of BIRD begins
 *        .      as first option: the last word must be whole, because the word's first
 *               letters have long meant another command
 *      arguments "...": a group of commands, and no command alone
 *      help "": expanded but not listed, because ternd does not answer the command yet
 *
 * Loop: the only thread of ternc. */
#ifndef TERN_CLIENT_CMD_DEF_H
#define TERN_CLIENT_CMD_DEF_H

#define CMD_TABLE(X)                                                                     \
	X("quit", "", "", "Leave ternc")                                                 \
	X("exit", "", "", "Leave ternc")                                                 \
	X("help", "[<command>]", "", "Say how to get help, or describe a command")       \
	X("show", "...", "", "Look at the daemon's state")                               \
	X("show status", "", "", "Version, router id, times, and state of the daemon")   \
	X("show health", "", "",                                                         \
	    "Problems of the daemon; with a problem the exit status is 1")               \
	X("show memory", "[tables | table <table>]", "tables table=t", "Use of memory")  \
	X("show protocols",                                                              \
	    "[all] [<protocol> | \"<pattern>\"] [where <field> <op> <value>] "           \
	    "[sort <field>]",                                                            \
	    "all where. sort. =p", "State of the protocols")                             \
	X("show protocols all",                                                          \
	    "[<protocol> | \"<pattern>\"] [where <field> <op> <value>] [sort <field>]",  \
	    "where. sort. =p", "All details of the protocols")                           \
	X("show reasons",                                                                \
	    "[<protocol> | \"<pattern>\"] [where <field> <op> <value>] [sort <field>]",  \
	    ". where. sort. =p", "Why routes were kept back, and how many")              \
	X("show members",                                                                \
	    "[<protocol> | \"<pattern>\" | <AS number>] [down | filtered | near limit]", \
	    "~ down. filtered. near. limit. =p", "Members and their routes")             \
	X("show diff",                                                                   \
	    "since <time> [until <time>] [<protocol> | \"<pattern>\" | <AS number>]",    \
	    "~ since=*. until=*. =p",                                                    \
	    "Changes since a time: sessions, reloads, routes gained and lost")           \
	X("show table", "[<table>]", "=t", "Counters of the routing tables")             \
	X("show interfaces", "[summary]", "summary", "Network interfaces")               \
	X("show route",                                                                  \
	    "[<prefix> | for <prefix or address> | in <prefix> | aspa <number> | "       \
	    "why <prefix> [from <protocol>] [to <protocol> [with <communities>]] "       \
	    "[table <table>]] "                                                          \
	    "[table (<table> | all)] [import table <protocol>.<channel>] "               \
	    "[export table <protocol>.<channel>] [protocol <protocol>] "                 \
	    "[export <protocol>] [exported <protocol>] [noexport <protocol>] "           \
	    "[preexport <protocol>] "                                                    \
	    "[filter <filter> | where <condition>] [all] [primary] "                     \
	    "[filtered [reasons]] "                                                      \
	    "[stale] [count] [stats]",                                                   \
	    "all primary filtered reasons. stale count stats aspa=* for=* in=* table=t " \
	    "protocol=p "                                                                \
	    "export=p "                                                                  \
	    "noexport=p preexport=p exported=p import=* where! filter! why=*. from=p. "  \
	    "to=p.",                                                                     \
	    "Routes; `why` explains the decisions about a route")                        \
	X("show symbols", "[table | filter | function | protocol | template | <name>]",  \
	    "table. filter. function. protocol. template. =*",                           \
	    "Names of the configuration")                                                \
	X("show filter", "<filter, function or protocol> [code]", "=* code",             \
	    "Properties of a filter or function, such as the attributes read and "       \
	    "written")                                                                   \
	X("show roa", "...", ".", "Why routes are valid or invalid")                     \
	X("show roa check",                                                              \
	    "<prefix> [as <number>] [path <number> ...] [table <table>] "                \
	    "[aspa table <table>]",                                                      \
	    "as=* path=* table=t aspa", "Whether a route is valid, and why")             \
	X("show threads", "[all]", "all", "Workers, their threads and their cost")       \
	X("show shadow", "[<protocol>] [all]", "=p all",                                 \
	    "Differences between the routes of the live server and of this shadow")      \
	X("show configurations", "", "~",                                                \
	    "The last ten configurations, their plans and results")                      \
	X("show overrides", "", "~", "Orders of operators beside the configuration")     \
	X("show lan", "", "~", "MAC addresses of the LAN, and the expected list")        \
	X("show quarantine", "[<protocol> | \"<pattern>\"] [limit <number>]",            \
	    "~ limit=* =p", "Members in quarantine, and the effect of a release")        \
	X("show static", "[<protocol>]", "=p", "Static routes, as configured")           \
	X("show bfd", "...", ".", "BFD sessions")                                        \
	X("show bfd sessions",                                                           \
	    "[<protocol>] [address <prefix>] [interface \"<pattern>\"] [ipv4 | ipv6] "   \
	    "[direct | multihop] [all]",                                                 \
	    "address=* interface=* ipv4 ipv6 direct multihop all =p",                    \
	    "BFD sessions and their states")                                             \
	X("show ospf", "[<protocol>]", "", "")                                           \
	X("show rip", "...", "", "")                                                     \
	X("show rip interfaces", "[<protocol>]", "=p", "")                               \
	X("show rip neighbors", "[<protocol>]", "=p", "")                                \
	X("show babel", "...", "", "")                                                   \
	X("show babel interfaces", "[<protocol>]", "=p", "")                             \
	X("show babel neighbors", "[<protocol>]", "=p", "")                              \
	X("show babel entries", "[<protocol>]", "=p", "")                                \
	X("show babel routes", "[<protocol>]", "=p", "")                                 \
	X("show mpls", "...", "", "")                                                    \
	X("show mpls ranges", "", "", "")                                                \
	X("json", "(show | subscribe) ...", "",                                          \
	    "The same reply as JSON, an object a line")                                  \
	X("subscribe", "...", "~", "Live events, until ternc ends")                      \
	X("subscribe events", "[since (all | \"<id>\")]", "~ since. all.",               \
	    "Sessions, limits, reloads, configurations, RPKI, health")                   \
	X("subscribe routes", "<query of show route>",                                   \
	    "~ all primary filtered stale table=t protocol=p export=p for=* in=* "       \
	    "where!",                                                                    \
	    "Routes of a query of show route, then their changes, as JSON")              \
	X("subscribe counters", "", "~", "A page of counters in shared memory")          \
	X("configure", "[soft] [\"<file>\"] [timeout [<seconds>]]", "timeout=*",         \
	    "Read the configuration again and apply the changes")                        \
	X("configure soft", "[\"<file>\"] [timeout [<seconds>]]", "timeout=*",           \
	    "Like configure, without running changed filters over the routes at hand")   \
	X("configure force", "[soft] [\"<file>\"] [timeout [<seconds>]]", "timeout=*",   \
	    "Like configure, also if a guard of the configuration refuses the change")   \
	X("configure check", "[soft] [\"<file>\"]", "soft",                              \
	    "Only read the configuration, and report errors and pending changes")        \
	X("configure preview",                                                           \
	    "[\"<file>\"] [for (<protocol> | \"<pattern>\")] [limit <number>] "          \
	    "[fail if \"<conditions>\"]",                                                \
	    "~ for=p limit=* fail.",                                                     \
	    "Effect of a configuration on the routes of all sessions")                   \
	X("configure timeout", "[<seconds>]", "",                                        \
	    "Go back after this time, unless confirmed")                                 \
	X("configure confirm", "", "", "Keep the configuration of configure timeout")    \
	X("configure undo", "", "", "Back to the configuration before the last change")  \
	X("configure status", "", "", "Is a change waiting to be confirmed?")            \
	X("enable", "(<protocol> | \"<pattern>\" | all) [\"<message>\"]", "all. =p",     \
	    "Start protocols that are disabled")                                         \
	X("disable", "(<protocol> | \"<pattern>\" | all) [hold] [\"<message>\"]",        \
	    "all. hold. =p", "Stop protocols; the message goes to the peer")             \
	X("drain", "(<protocol> | \"<pattern>\" | all) [for <time>] [\"<message>\"]",    \
	    "~ all. for=*. =p",                                                          \
	    "Move traffic away from BGP sessions, then close the sessions (RFC 8326)")   \
	X("undrain", "(<protocol> | \"<pattern>\" | all)", "~ all. =p",                  \
	    "End a drain, and open the sessions again")                                  \
	X("quarantine", "...", "~", "Let a member out of quarantine")                    \
	X("quarantine release", "(<protocol> | \"<pattern>\" | all)", "~ all. =p",       \
	    "Let a member out of quarantine")                                            \
	X("override", "...", "~", "Override the configuration for some routes")          \
	X("override add",                                                                \
	    "(block <prefix>[+] from | accept <prefix>[+] from | limit <number> from | " \
	    "no export [<prefix>[+]] to) "                                               \
	    "(as<number> | <protocol>) [for <time>] reason \"<text>\"",                  \
	    "~ block. accept. limit. no. export. from. to. for. reason. =p",             \
	    "Override the configuration for some routes of a session, until a time")     \
	X("override remove", "<number>", "~", "End an override")                         \
	X("override extend", "<number> for <time>", "~ for.",                            \
	    "Let an override last longer")                                               \
	X("restart", "(<protocol> | \"<pattern>\" | all) [\"<message>\"]", "all. =p",    \
	    "Stop protocols and start the protocols again")                              \
	X("reload", "(<protocol> | \"<pattern>\" | all)", "all. =p",                     \
	    "Run the filters over all routes again, both ways")                          \
	X("reload in", "(<protocol> | \"<pattern>\" | all)", "all. =p",                  \
	    "Run the import filters again")                                              \
	X("reload out", "(<protocol> | \"<pattern>\" | all)", "all. =p",                 \
	    "Run the export filters again")                                              \
	X("reload filters", "[in | out] (<protocol> | \"<pattern>\" | all)",             \
	    "in. out. all. =p", "")                                                      \
	X("reload bgp", "[in | out] (<protocol> | \"<pattern>\" | all)",                 \
	    "in. out. all. =p", "Ask BGP peers for all routes, send all routes again")   \
	X("flush", "...", "", "Remove stale routes of BGP peers that restart")           \
	X("flush stale", "(<protocol> | \"<pattern>\" | all)", "all. =p",                \
	    "Remove stale routes of BGP peers that restart")                             \
	X("support", "<file>.tar [<configuration>]", ".",                                \
	    "From the shell: pack the data for a report of a fault")                     \
	X("restrict", "", "", "Allow this session only to look, from now on")            \
	X("down", "", "", "Stop the daemon")                                             \
	X("graceful", "...", "",                                                         \
	    "Stop the daemon, but let BGP peers keep the daemon's routes")               \
	X("graceful restart", "[check]", "check.",                                       \
	    "Stop the daemon, but let BGP peers keep the daemon's routes; check: list "  \
	    "the peers that keep no routes")                                             \
	X("debug",                                                                       \
	    "(<protocol>[.<channel>] | \"<pattern>\" | all) (all | off | { states, "     \
	    "routes, "                                                                   \
	    "filters, interfaces, events, packets })",                                   \
	    "all. off. states. routes. filters. interfaces. events. packets. =p",        \
	    "Events of a protocol to trace in the log")                                  \
	X("log", "...", "", "Create the log files again, after a rotation of the files") \
	X("log reopen", "", "",                                                          \
	    "Create the log files again, after a rotation of the files")                 \
	X("mrtdump",                                                                     \
	    "(<protocol> | \"<pattern>\" | all) (all | off | { states, messages })",     \
	    "all. off. states. messages. =p", "Events of a protocol for the MRT file")   \
	X("mrt", "...", "", "Write a table to a file in MRT format")                     \
	X("mrt dump",                                                                    \
	    "table (<table> | \"<pattern>\") to \"<file>\" [always add path] "           \
	    "[received] [filter <filter> | where <condition>]",                          \
	    "table=t to=* always. add. path. received where! filter!",                   \
	    "Write a table to a file in MRT format")                                     \
	X("echo", "(all | off | { <class>, ... }) [<octets>]", "all. off.",              \
	    "Show log lines in this session, too")                                       \
	X("dump", "...", "", "Write the daemon's state to a file or to the log")         \
	X("dump resources", "[\"<file>\"]", "", "Memory")                                \
	X("dump sockets", "[\"<file>\"]", "", "Sockets")                                 \
	X("dump events", "[\"<file>\"]", "", "Threads")                                  \
	X("dump interfaces", "[\"<file>\"]", "", "Interfaces")                           \
	X("dump attributes", "[\"<file>\"]", "", "Number of sets of attributes")         \
	X("dump routes", "[\"<file>\"]", "", "All routes of all tables")                 \
	X("dump tables", "[\"<file>\"]", "", "Counters of the routing tables")           \
	X("dump protocols", "[\"<file>\"]", "", "All details of the protocols")          \
	X("dump filter", "all [\"<file>\"]", "all", "All filters, with their code")      \
	X("timeformat",                                                                  \
	    "(\"<format>\" [limit \"<format>\"] | iso (short | long) [ms | us])", "",    \
	    "How this session shows times")                                              \
	X("watch", "<seconds> <command>", "!",                                           \
	    "Show the command's reply again and again, until interrupted")               \
	X("eval", "<expression>", "!", "Evaluate an expression")

#endif
