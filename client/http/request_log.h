/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of requests: a line for each request, when the request has ended.
 *
 *   2026-11-30T04:00:00.123Z 192.0.2.1 GET /v1/routes?as=64500 200 5120 0.004
 *
 * The fields are the time of the end in UTC, the client, the method, the path with its
 * query, the status, the octets of the answer's content and the duration in seconds. `-`
 * stands for a value that does not exist. `aborted` at the end: the connection ended
 * before the answer.
 *
 * G1  No credential reaches the log. The log never sees a header. Of the query the log
 *     has the values of the parameters that ternhttp knows; other values and 32 or more
 *     characters of a token in a row become `*`.
 * G2  A line holds printable ASCII alone. A client can write no second line.
 * G3  No call blocks. If nobody reads the log, lines are lost; the next line says how
 *     many.
 *
 * Loop: the only thread of ternhttp. */
#ifndef TERN_CLIENT_HTTP_REQUEST_LOG_H
#define TERN_CLIENT_HTTP_REQUEST_LOG_H

#include "lib/base/strbuf.h"
#include "lib/net/ip.h"

#define REQUEST_LOG_TARGET 512 /* octets of the path and the query in a line */

/* Owner: struct web. Life: that of the program. */
struct request_log {
	int fd; /* -1: no log */
	uint64_t lost; /* lines since the last line that was written */
};

/* The fields of a line of the log. Owner: the caller. Life: by value. */
struct request_log_line {
	uint64_t at_ms; /* Unix time */
	struct ip_addr client;
	const char *method, *target;
	unsigned status; /* 0: none */
	uint64_t octets;
	uint64_t took_ms;
	bool aborted;
};

/* request_log_open - @path: a file, which is created if absent; `stderr`. Returns: false:
 * errno says why. */
MUST_CHECK bool request_log_open(struct request_log *l, const char *path);
void request_log_close(struct request_log *l);
/* request_log_text - append the line to @o, with the line end. */
void request_log_text(struct strbuf *o, const struct request_log_line *line);
void request_log_put(struct request_log *l, const struct request_log_line *line);

#endif
