/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that ternhttp can send to a daemon: a closed list of templates. Pure
 * functions.
 *
 * G1  ask_text makes each command of the program, out of one row of ASK_TABLE and
 *     checked values. No function takes the text of a command from elsewhere.
 * G2  Each row begins with `json show `, `json subscribe ` or `json configure preview`.
 *     So no row changes a daemon.
 * G3  A value is a prefix, a time or a number in our own spelling, a name of letters,
 *     digits and `_.:-` in quotes, or an id of an event in quotes. A value holds no
 *     blank, no quote and no line end. */
#ifndef TERN_CLIENT_HTTP_JOB_ASK_H
#define TERN_CLIENT_HTTP_JOB_ASK_H

#include "lib/net/prefix.h"

#define ASK_NAME_MAX  64 /* octets of a name */
#define ASK_EVENT_MAX 44 /* octets of an id of an event */
#define ASK_TEXT_MAX  640
#define ASK_WITH_MAX  8 /* communities to try */
#define ASK_HOPS_MAX  16 /* AS numbers of a path */

/* X(name, size, template). KEPT: the reply has no parameter, and requests of one second
 * share the reply. LONG: the reply may have many thousands of lines. In a template %p is
 * the prefix, %i the address of the prefix, %a the AS number, %h the AS numbers of a
 * path, %n the name, %o the other
 * name, %x and %y the first two numbers of a large community, %c a community, %w
 * communities; %l is `for ` if the prefix is to match, or nothing; %f and %t are
 * ` from NAME` and ` to NAME`, or nothing; %s is the id of an
 * event, or `all`; %b is a time in seconds since 1970, %e is ` until TIME` or nothing,
 * and %m a blank and the AS number, or nothing. */
#define ASK_TABLE(X)                                                                     \
	X(STATUS, KEPT, "json show status")                                              \
	X(HEALTH, KEPT, "json show health")                                              \
	X(PROTOCOLS, KEPT, "json show protocols all")                                    \
	X(PROTOCOLS_SHORT, KEPT, "json show protocols")                                  \
	X(PIPES, KEPT, "json show protocols all where protocol = Pipe")                  \
	X(MEMBERS, KEPT, "json show members")                                            \
	X(TABLES, KEPT, "json show table")                                               \
	X(SYMBOLS, KEPT, "json show symbols")                                            \
	X(REASONS, KEPT, "json show reasons")                                            \
	X(THREADS, KEPT, "json show threads")                                            \
	X(MEMORY, KEPT, "json show memory")                                              \
	X(BFD, KEPT, "json show bfd sessions")                                           \
	X(CONFIGURATIONS, KEPT, "json show configurations")                              \
	X(OVERRIDES, KEPT, "json show overrides")                                        \
	X(PREVIEW, LONG, "json configure preview")                                       \
	X(RPKI, KEPT, "json show protocols all where protocol = RPKI")                   \
	X(MEMBERS_OF, SHORT, "json show members %a")                                     \
	X(PROTOCOL, SHORT, "json show protocols all %n")                                 \
	X(ACCEPTED, LONG, "json show route protocol %n all")                             \
	X(FILTERED, LONG, "json show route filtered reasons protocol %n all")            \
	X(EXPORTED, LONG, "json show route export %n all")                               \
	X(NOT_EXPORTED, LONG, "json show route noexport %n reasons all")                 \
	X(NO_EXPORT, LONG, "json show route noexport %n all")                            \
	X(TABLE_ROUTES, LONG, "json show route table %n all")                            \
	X(TABLE_FILTERED, LONG, "json show route filtered reasons table %n all")         \
	X(TABLE_FROM, LONG, "json show route table %n all where from = %i")              \
	X(PIPE_NOT_EXPORTED, LONG, "json show route table %n noexport %o all")           \
	X(PIPE_COUNT, LONG,                                                              \
	    "json show route table %n noexport %o count where from = %i")                \
	X(PROTOCOL_COUNT, LONG, "json show route count protocol %n")                     \
	X(TABLE_COUNT, LONG, "json show route count table %n")                           \
	X(EXPORT_COUNT, LONG, "json show route count export %n")                         \
	X(LARGE_COMMUNITY, LONG,                                                         \
	    "json show route protocol %n all where bgp_large_community ~ [(%x, %y, *)]") \
	X(FOR, SHORT, "json show route for %p all")                                      \
	X(FOR_PROTOCOL, SHORT, "json show route for %p protocol %n all")                 \
	X(FOR_TABLE, SHORT, "json show route for %p table %n all")                       \
	X(FOR_EXPORT, SHORT, "json show route for %p export %n all")                     \
	X(COMMUNITY, LONG,                                                               \
	    "json show route all where source = RTS_BGP && %c ~ bgp_community")          \
	X(COMMUNITY_LARGE, LONG,                                                         \
	    "json show route all where source = RTS_BGP && %c ~ bgp_large_community")    \
	X(PATH, LONG, "json show route all where source = RTS_BGP && bgp_path ~ [%a]")   \
	X(ROUTE, SHORT, "json show route %p all table all")                              \
	X(LONGEST, SHORT, "json show route for %p all table all")                        \
	X(EVENTS, SHORT, "json subscribe events since %s")                               \
	X(LIVE_NET, SHORT, "json subscribe routes %p all table all")                     \
	X(LIVE_AS, SHORT,                                                                \
	    "json subscribe routes all where source = RTS_BGP && bgp_path.first = %a")   \
	X(COUNTERS, SHORT, "json subscribe counters")                                    \
	X(DIFF, LONG, "json show diff since %b%e%m")                                     \
	X(WHY, SHORT, "json show route why %l%p%f%t")                                    \
	X(WHY_WITH, SHORT, "json show route why %l%p%f%t with %w")                       \
	X(WHY_ANY, SHORT, "json show route why%f%t with %w")                             \
	X(PATH_CHECK, SHORT, "json show roa check %p path %h")

enum ask_size { ASK_SHORT, ASK_LONG, ASK_KEPT };
#define ASK_ENUM(name, size, text) ASK_##name,
enum ask { ASK_TABLE(ASK_ENUM) ASK_CNT };

/* Checked values of a command. Owner: the holder. Life: by value. */
struct ask_args {
	struct prefix prefix;
	uint32_t as;
	bool has_prefix, has_as;
	bool longest; /* the longest match of the prefix */
	uint32_t large[2]; /* the first two numbers of a large community */
	unsigned large_cnt;
	uint32_t comm[3]; /* a community: of two numbers, or a large community */
	unsigned comm_cnt;
	char with[ASK_WITH_MAX * 40]; /* communities for %w, in our spelling; "": none */
	uint32_t hop[ASK_HOPS_MAX]; /* AS numbers of a path, the origin last */
	unsigned hop_cnt;
	char name[ASK_NAME_MAX + 1]; /* "": none */
	char other[ASK_NAME_MAX + 1];
	char from[ASK_NAME_MAX + 1];
	char to[ASK_NAME_MAX + 1];
	char event[ASK_EVENT_MAX + 1]; /* "": none */
	uint64_t since_s, until_s; /* since 1970; until_s 0: now */
};

/* ask_name - is @s a name that a command may hold? ask_set_name - copy @s to @to of
 * ASK_NAME_MAX + 1 octets. Returns: false: @s is no such name, and @to is empty. */
bool ask_name(const char *s);
MUST_CHECK bool ask_set_name(char *to, const char *s);
/* ask_set_event - copy the id @s of an event, BOOT-N, to @to of ASK_EVENT_MAX + 1 octets.
 * Returns: as ask_set_name. */
MUST_CHECK bool ask_set_event(char *to, const char *s);
/* ask_set_prefix - a prefix, or an address with the length of its family; host bits are
 * cleared. ask_set_as - a number from 1 to 4294967295, with or without "AS". Returns:
 * false: no such value. */
MUST_CHECK bool ask_set_prefix(struct ask_args *a, const char *s);
MUST_CHECK bool ask_set_as(struct ask_args *a, const char *s);
/* ask_set_large - the next number of a large community, from 0 to 4294967295. Returns:
 * false: no such number, or both numbers are there. */
MUST_CHECK bool ask_set_large(struct ask_args *a, const char *s);

/* ask_set_community - "65000:1" or "65000:1:2". Returns: false: no community. */
MUST_CHECK bool ask_set_community(struct ask_args *a, const char *s);
/* ask_set_with - a list of communities, separated by commas. */
MUST_CHECK bool ask_set_with(struct ask_args *a, const char *s);

/* ask_text - the command @ask with the values @a in @to of ASK_TEXT_MAX octets. Returns:
 * false: a value that the command needs is absent. */
MUST_CHECK bool ask_text(char *to, enum ask ask, const struct ask_args *a);
/* ask_private - does each route of the reply belong to one member alone? */
bool ask_private(enum ask ask);
/* ask_why - does the reply tell the fate of routes, those of members alone among them? */
bool ask_why(enum ask ask);
/* ask_kept, ask_long - see ASK_TABLE. */
bool ask_kept(enum ask ask);
bool ask_long(enum ask ask);

#endif
