/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Codes of the lines that the control socket answers with. They are BIRD's, which
 * programs know: below 1000 a reply ends well, from 1000 on there are lines of tables,
 * from 2000 on their headings, from 8000 on what failed when it was done, from 9000 on
 * what wasn't understood. */
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
	CLI_STATUS = 13, /* the end of `show status`: what the daemon is about */
	CLI_ROUTE_TOTAL = 14, /* routes of several tables */
	CLI_RELOADING = 15, /* the instance's routes come anew */
	CLI_RESTRICTED = 16, /* the session may only look from now on */
	CLI_CONFIRMED = 18, /* no undo will follow */
	CLI_NOTHING_TO_DO = 19, /* nothing to undo or to confirm */
	CLI_CHECKED = 20, /* the configuration could be read */
	CLI_UNDO = 21, /* the configuration before comes back */
	CLI_UNDO_LATER = 22, /* unless it is confirmed before */
	CLI_VALUE = 23, /* what `eval` came to */
	CLI_RECOVERY = 24, /* lines of `show status` after `ternd -R` */
	CLI_GR_ORDERED = 25, /* `graceful restart` was heard */
	CLI_FLUSHED = 30, /* stale routes go; not one of BIRD's */

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
	CLI_ROA = 1019, /* VRPs, and what they say */
	CLI_THREAD = 1027,
	CLI_SHADOW = 1101, /* lines of `show shadow`; not one of BIRD's */
	CLI_HELP = 1099, /* not one of BIRD's: no other reply has it */
	CLI_JSON = 1100, /* likewise: an object of a reply to `json show ...` */

	CLI_PROTO_HEAD = 2002,
	CLI_IFACE_HEAD = 2005,

	CLI_FAILED = 8000, /* codes from here on: it failed; alone: a line was too long */
	CLI_NO_ROUTE = 8001,
	CLI_BAD_CONF = 8002, /* the configuration has an error, or can't take effect */
	CLI_NO_PROTO = 8003, /* no instance is called so */
	CLI_NO_RELOAD = 8006, /* the instance's routes can't be had again */
	CLI_DENIED = 8007, /* the session may only look */
	CLI_EVAL_FAILED = 8008,
	CLI_OPEN_FAILED = 8009, /* a file */

	CLI_UNHEALTHY = 8099, /* not one of BIRD's: `show health` has found something */
	CLI_TOO_LONG = 9000, /* a command, or its line */
	CLI_BAD_COMMAND =
	    9001 /* a word of it wasn't expected, or asks for what there isn't */
};

#endif
