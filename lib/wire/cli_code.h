/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codes of the lines of the control socket. The codes are BIRD's, because programs know
 * BIRD's codes: below 1000 a reply ends well; from 1000 on lines of tables; from 2000 on
 * headings of tables; from 8000 on errors of execution; from 9000 on errors of syntax.
 * Constants only; any thread. */
#ifndef TERN_LIB_WIRE_CLI_CODE_H
#define TERN_LIB_WIRE_CLI_CODE_H

enum cli_code {
	CLI_DONE = 0, /* the end of a reply whose lines said all */
	CLI_WELCOME = 1, /* the first line of a session */
	CLI_READING = 2, /* the configuration's file is named and read */
	CLI_RECONFIGURED = 3, /* at once; or `configure status`: nothing is under way */
	CLI_RECONFIGURING = 4, /* it takes effect when old instances are gone */
	CLI_IGNORED = 6, /* a request that came when the daemon was ending */
	CLI_SHUTDOWN = 7, /* `down` was heard */
	CLI_WAS_DISABLED = 8, /* the instance is disabled already */
	CLI_DISABLED = 9,
	CLI_WAS_ENABLED = 10, /* the instance is enabled already */
	CLI_ENABLED = 11,
	CLI_RESTARTED = 12,
	CLI_STATUS = 13, /* last line of `show status`: the state of the daemon */
	CLI_ROUTE_TOTAL = 14, /* routes of several tables */
	CLI_RELOADING = 15, /* the instance reloads its routes */
	CLI_RESTRICTED = 16, /* the session may only use show commands from now on */
	CLI_CONFIRMED = 18, /* no undo will follow */
	CLI_NOTHING_TO_DO = 19, /* nothing to undo or to confirm */
	CLI_CHECKED = 20, /* the configuration is valid */
	CLI_UNDO = 21, /* the previous configuration is restored */
	CLI_UNDO_LATER = 22, /* restored unless confirmed in time */
	CLI_VALUE = 23, /* the value of `eval` */
	CLI_RECOVERY = 24, /* lines of `show status` after `ternd -R` */
	CLI_GR_ORDERED = 25, /* `graceful restart` was accepted */
	CLI_FLUSHED = 30, /* stale routes are removed; not one of BIRD's */
	CLI_DRAINING = 31, /* the session ends soon; not one of BIRD's */
	CLI_UNDRAINED = 32, /* the drain has ended; not one of BIRD's */
	CLI_OVERRIDDEN = 33, /* an override is changed; not one of BIRD's */
	CLI_RELEASED = 34, /* a quarantine has ended; not one of BIRD's */

	CLI_VERSION = 1000,
	CLI_IFACE = 1001, /* an interface */
	CLI_PROTO = 1002, /* an instance */
	CLI_IFACE_ADDR = 1003, /* an address of an interface */
	CLI_IFACE_FLAGS = 1004,
	CLI_IFACE_SUMMARY = 1005,
	CLI_PROTO_DETAIL = 1006,
	CLI_ROUTE = 1007, /* a route, and counts of routes */
	CLI_ROUTE_TYPE = 1008,
	CLI_STATIC = 1009, /* a route of `show static` */
	CLI_SYMBOL = 1010,
	CLI_STATUS_LINE = 1011, /* lines of `show status` */
	CLI_ATTRIBUTE = 1012, /* of a route */
	CLI_MEMORY = 1018,
	CLI_BFD = 1020, /* sessions */
	CLI_ROA = 1019, /* VRPs and ASPAs, and results of checks */
	CLI_THREAD = 1027,
	CLI_SHADOW = 1101, /* lines of `show shadow`; not one of BIRD's */
	CLI_MEMBER = 1102, /* a member, and the sum of all; not one of BIRD's */
	CLI_EVENT = 1103, /* of `subscribe events`, `show diff`; not one of BIRD's */
	CLI_OVERRIDE = 1104, /* of `show overrides`; not one of BIRD's */
	CLI_PREVIEW = 1105, /* of `configure preview`; not one of BIRD's */
	CLI_QUARANTINE = 1106, /* of `show quarantine`; not one of BIRD's */
	CLI_LAN = 1107, /* of `show lan`; not one of BIRD's */
	CLI_HELP = 1099, /* not one of BIRD's; no other reply has the code */
	CLI_JSON = 1100, /* not one of BIRD's: an object of a reply to `json ...` */

	CLI_PROTO_HEAD = 2002,
	CLI_IFACE_HEAD = 2005,
	CLI_MEMBER_HEAD = 2102, /* not one of BIRD's */

	CLI_FAILED = 8000, /* an error of execution; alone: a line was too long */
	CLI_NO_ROUTE = 8001,
	CLI_BAD_CONF = 8002, /* the configuration has an error, or cannot take effect */
	CLI_NO_PROTO = 8003, /* no instance has the name */
	CLI_NO_RELOAD = 8006, /* the instance cannot reload its routes */
	CLI_DENIED = 8007, /* the session may only use show commands */
	CLI_EVAL_FAILED = 8008,
	CLI_OPEN_FAILED = 8009, /* a file */

	CLI_CONDITION = 8098, /* not one of BIRD's: a condition on a preview is met */
	CLI_UNHEALTHY = 8099, /* not one of BIRD's: `show health` found a problem */
	CLI_TOO_LONG = 9000, /* a command or its line is too long */
	CLI_BAD_COMMAND = 9001 /* an unexpected word, or a missing object */
};

#endif
