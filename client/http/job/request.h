/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the request target of HTTP (path and query, as received) to a page and checked
 * values. Nothing but the values of struct request leaves this file. Pure functions. */
#ifndef TERN_CLIENT_HTTP_JOB_REQUEST_H
#define TERN_CLIENT_HTTP_JOB_REQUEST_H

#include "client/http/job/ask.h"

#define REQUEST_TARGET_MAX 2048 /* octets of the request target */
#define REQUEST_WHY_MAX    160 /* octets of struct request.why */
#define REQUEST_SINCE_MAX  127 /* octets of the parameter `since` */
#define REQUEST_UNTIL_MAX  31 /* octets of the parameter `until` */
#define REQUEST_SERVER_MAX 32 /* octets of the name of a server */
#define REQUEST_CURSOR_MAX 1024
#define REQUEST_LIMIT_MAX  10000
#define REQUEST_TOP_MAX    100

/* Parameters of the query; a page takes the parameters of its row. */
enum {
	TAKES_SERVER = 1,
	TAKES_PREFIX = 2,
	TAKES_LONGEST = 4,
	TAKES_FROM = 8,
	TAKES_TO = 16,
	TAKES_Q = 32,
	TAKES_METRICS = 64, /* format: `new` or `old`; collect[]: COLLECT_TABLE, `all` */
	TAKES_PIPE = 128, /* `table`, `pipe`, `address` */
	TAKES_ANY = 256, /* further parameters are ignored, as other servers do */
	TAKES_PAGE = 512, /* limit, cursor */
	TAKES_SINCE = 1024, /* of events: an id; of changes: a time */
	TAKES_AS = 2048,
	TAKES_COMMUNITY = 4096,
	TAKES_BY = 8192, /* by, limit */
	TAKES_VALUE = 16384, /* communities to try */
	TAKES_UNTIL = 32768
};

/* X(page, path, takes). In a path `*as`, `*net`, `*name` and `*kind` stand for a value;
 * `*net` is one segment, or an address and a length in two. `*server` is a name,
 * `*number` a part of a large community, `*comm` a community. */
#define PAGE_TABLE(X)                                                                    \
	X(HOME, "/", TAKES_SERVER)                                                       \
	X(MEMBER, "/member/*as", TAKES_SERVER)                                           \
	X(MEMBER_LIST, "/member/*as/*kind", TAKES_SERVER)                                \
	X(NET, "/prefix/*net", TAKES_SERVER | TAKES_TO)                                  \
	X(COMMUNITY, "/community/*comm", TAKES_SERVER)                                   \
	X(SEARCH, "/search", TAKES_Q)                                                    \
	X(LOGIN, "/login", TAKES_AS)                                                     \
	X(RPKI, "/rpki", TAKES_SERVER)                                                   \
	X(OVERRIDES, "/overrides", TAKES_SERVER)                                         \
	X(CHANGES, "/changes", TAKES_SERVER | TAKES_SINCE | TAKES_UNTIL | TAKES_AS)      \
	X(STYLE, "/style.css", 0)                                                        \
	X(SCRIPT, "/live.js", 0)                                                         \
	X(METRICS, "/metrics", TAKES_SERVER | TAKES_METRICS)                             \
	X(API_STATUS, "/v1/status", TAKES_SERVER)                                        \
	X(API_HEALTH, "/v1/health", TAKES_SERVER)                                        \
	X(API_PROTOCOLS, "/v1/protocols", TAKES_SERVER)                                  \
	X(API_MEMBERS, "/v1/members", TAKES_SERVER)                                      \
	X(API_MEMBER, "/v1/members/*as", TAKES_SERVER)                                   \
	X(API_MEMBER_ROUTES, "/v1/members/*as/routes/*kind", TAKES_SERVER | TAKES_PAGE)  \
	X(API_TABLES, "/v1/tables", TAKES_SERVER)                                        \
	X(API_ROUTES, "/v1/routes",                                                      \
	    TAKES_SERVER | TAKES_PREFIX | TAKES_LONGEST | TAKES_COMMUNITY | TAKES_AS |   \
		TAKES_PAGE)                                                              \
	X(API_WHO, "/v1/prefix/*net/who-gets-it", TAKES_SERVER)                          \
	X(API_COMMUNITIES, "/v1/communities",                                            \
	    TAKES_SERVER | TAKES_VALUE | TAKES_PREFIX | TAKES_FROM)                      \
	X(API_TOP, "/v1/top", TAKES_SERVER | TAKES_BY)                                   \
	X(API_ASPA, "/v1/aspa", TAKES_SERVER)                                            \
	X(API_WHY, "/v1/why",                                                            \
	    TAKES_SERVER | TAKES_PREFIX | TAKES_LONGEST | TAKES_FROM | TAKES_TO)         \
	X(API_RPKI, "/v1/rpki", TAKES_SERVER)                                            \
	X(API_CONFIGURATIONS, "/v1/configurations", TAKES_SERVER)                        \
	X(API_OVERRIDES, "/v1/overrides", TAKES_SERVER)                                  \
	X(API_PREVIEW, "/v1/preview", TAKES_SERVER)                                      \
	X(API_DIFF, "/v1/diff", TAKES_SERVER | TAKES_SINCE | TAKES_UNTIL | TAKES_AS)     \
	X(API_EVENTS, "/v1/events",                                                      \
	    TAKES_SERVER | TAKES_SINCE | TAKES_PREFIX | TAKES_AS)                        \
	X(BW_STATUS, "/birdwatcher/*server/status", TAKES_ANY)                           \
	X(BW_PROTOCOLS, "/birdwatcher/*server/protocols", TAKES_ANY)                     \
	X(BW_BGP, "/birdwatcher/*server/protocols/bgp", TAKES_ANY)                       \
	X(BW_PROTOCOL, "/birdwatcher/*server/routes/protocol/*name", TAKES_ANY)          \
	X(BW_FILTERED, "/birdwatcher/*server/routes/filtered/*name", TAKES_ANY)          \
	X(BW_NOEXPORT, "/birdwatcher/*server/routes/noexport/*name", TAKES_ANY)          \
	X(BW_TABLE, "/birdwatcher/*server/routes/table/*name", TAKES_ANY)                \
	X(BW_SHORT, "/birdwatcher/*server/protocols/short", TAKES_ANY)                   \
	X(BW_TABLE_FILTERED, "/birdwatcher/*server/routes/table/*name/filtered",         \
	    TAKES_ANY)                                                                   \
	X(BW_TABLE_PEER, "/birdwatcher/*server/routes/table/*name/peer/*address",        \
	    TAKES_ANY)                                                                   \
	X(BW_PEER, "/birdwatcher/*server/routes/peer/*address", TAKES_ANY)               \
	X(BW_PIPE, "/birdwatcher/*server/routes/pipe/filtered", TAKES_ANY | TAKES_PIPE)  \
	X(BW_PIPE_COUNT, "/birdwatcher/*server/routes/pipe/filtered/count",              \
	    TAKES_ANY | TAKES_PIPE)                                                      \
	X(BE_STATUS, "/birdseye/*server/api/status", TAKES_ANY)                          \
	X(BE_BGP, "/birdseye/*server/api/protocols/bgp", TAKES_ANY)                      \
	X(BE_PROTOCOL, "/birdseye/*server/api/protocol/*name", TAKES_ANY)                \
	X(BE_SYMBOLS, "/birdseye/*server/api/symbols", TAKES_ANY)                        \
	X(BE_TABLES, "/birdseye/*server/api/symbols/tables", TAKES_ANY)                  \
	X(BE_NAMES, "/birdseye/*server/api/symbols/protocols", TAKES_ANY)                \
	X(BE_ROUTES, "/birdseye/*server/api/routes/protocol/*name", TAKES_ANY)           \
	X(BE_TABLE, "/birdseye/*server/api/routes/table/*name", TAKES_ANY)               \
	X(BE_EXPORT, "/birdseye/*server/api/routes/export/*name", TAKES_ANY)             \
	X(BE_ROUTES_COUNT, "/birdseye/*server/api/routes/count/protocol/*name",          \
	    TAKES_ANY)                                                                   \
	X(BE_TABLE_COUNT, "/birdseye/*server/api/routes/count/table/*name", TAKES_ANY)   \
	X(BE_EXPORT_COUNT, "/birdseye/*server/api/routes/count/export/*name", TAKES_ANY) \
	X(BE_LARGE,                                                                      \
	    "/birdseye/*server/api/routes/lc-zwild/protocol/*name/*number/*number",      \
	    TAKES_ANY)                                                                   \
	X(BE_FOR, "/birdseye/*server/api/route/*net", TAKES_ANY)                         \
	X(BE_FOR_PROTOCOL, "/birdseye/*server/api/route/*net/protocol/*name", TAKES_ANY) \
	X(BE_FOR_TABLE, "/birdseye/*server/api/route/*net/table/*name", TAKES_ANY)       \
	X(BE_FOR_EXPORT, "/birdseye/*server/api/route/*net/export/*name", TAKES_ANY)

#define PAGE_ENUM(page, path, takes) PAGE_##page,
enum page { PAGE_TABLE(PAGE_ENUM) PAGE_CNT };

/* Which routes of a member. */
#define KIND_TABLE(X)                                                                    \
	X(RECEIVED, "received")                                                          \
	X(ACCEPTED, "accepted")                                                          \
	X(FILTERED, "filtered")                                                          \
	X(EXPORTED, "exported")                                                          \
	X(NOT_EXPORTED, "notexported")
#define KIND_ENUM(name, word) KIND_##name,
enum kind { KIND_TABLE(KIND_ENUM) KIND_CNT };

/* Groups of metrics: X(name, word, usual). A request without `collect[]` and `format` has
 * the usual groups. With 1,000 members the usual groups take less than 1 MB. */
#define COLLECT_TABLE(X)                                                                 \
	X(PROTOCOLS, "protocols", 1)                                                     \
	X(CHANGES, "changes", 0)                                                         \
	X(MEMBERS, "members", 1)                                                         \
	X(WORK, "work", 0)                                                               \
	X(SERVER, "server", 1)
#define COLLECT_ENUM(name, word, usual) COLLECT_##name,
enum collect { COLLECT_TABLE(COLLECT_ENUM) COLLECT_CNT };

/* The values of which /v1/top shows the greatest. */
#define TOP_TABLE(X)                                                                     \
	X(FILTERED, "filtered")                                                          \
	X(LIMIT, "limit")                                                                \
	X(FLAPS, "flaps")                                                                \
	X(CPU, "cpu")
#define TOP_ENUM(name, word) TOP_##name,
enum top { TOP_TABLE(TOP_ENUM) TOP_CNT };

/* Owner: the job of the request. Life: by value. */
struct request {
	enum page page; /* PAGE_CNT: none */
	enum kind kind; /* KIND_CNT: none */
	enum top by; /* TOP_CNT: none */
	bool form; /* the query has the form of metrics */
	bool old; /* the old form of metrics */
	unsigned collect; /* bits of groups of metrics; 0: no collect[] */
	bool openmetrics; /* the client prefers OpenMetrics (request_openmetrics) */
	struct ask_args args;
	unsigned limit; /* routes of a page; 0: all */
	char cursor[REQUEST_CURSOR_MAX]; /* "": the first page */
	char server[REQUEST_SERVER_MAX + 1]; /* ""; all */
	char since[REQUEST_SINCE_MAX + 1]; /* not checked; "": none */
	char until[REQUEST_UNTIL_MAX + 1]; /* not checked; "": none */
	char location[REQUEST_TARGET_MAX]; /* of status 303 */
	char why[REQUEST_WHY_MAX]; /* of an error, for the client: ASCII */
};

/* request_parse - parse the request target @target.
 * Returns: the status of HTTP: 200, 303 (@r has the location), 400, 404, 414 (@r has the
 * reason, and the page if the path has one). */
MUST_CHECK int request_parse(struct request *r, const char *target);
/* request_collects - does the request want the metrics of the group @which? */
bool request_collects(const struct request *r, enum collect which);
/* request_openmetrics - does a client with the header `Accept: @accept` (NULL: no such
 * header) prefer OpenMetrics to the text format? */
bool request_openmetrics(const char *accept);
/* request_is_key - is the text of @len octets at @s the name of a parameter? */
bool request_is_key(const char *s, size_t len);
/* request_kind - the word of @kind in addresses. */
const char *request_kind(enum kind kind);

#endif
