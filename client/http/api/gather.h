/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that are gathered before the answer or the next question: the greatest values of
 * a list, and names to ask about. Pure functions.
 *
 * G1  Memory: GATHER_TOP_MAX lines, and the names of the sessions of one daemon. */
#ifndef TERN_CLIENT_HTTP_API_GATHER_H
#define TERN_CLIENT_HTTP_API_GATHER_H

#include "client/http/job/ask.h"
#include "lib/json/jview.h"
#include "client/http/job/request.h"
#include "lib/base/strbuf.h"

#define GATHER_TOP_MAX     100
#define GATHER_TOP_DEFAULT 10

/* A line with its value. Owner: struct gather. Life: until gather_reset. */
struct gather_line {
	double value;
	char *text; /* MEM_OTHER */
};

/* Owner: the job. Life: that of the job; zeros are the beginning. Freed by:
 * gather_reset. */
struct gather {
	struct gather_line top[GATHER_TOP_MAX]; /* the greatest value first */
	unsigned top_cnt;
	struct strbuf names; /* each with a line end */
	size_t at; /* of the next name */
	bool begun; /* names is initialised */
};

void gather_reset(struct gather *g);
/* gather_ask - the question whose lines have the values of @by. */
enum ask gather_ask(enum top by);
/* gather_top - take @line, if its value of @by belongs to the @max greatest values. A
 * line without a value, or with the value 0, is left out. */
void gather_top(struct gather *g, enum top by, unsigned max, struct jview line);
/* gather_name - take the name of the object @line. gather_next - the next name, into @to
 * of ASK_NAME_MAX + 1 octets. Returns: false: no name is left. */
void gather_name(struct gather *g, struct jview line);
bool gather_next(struct gather *g, char *to);

#endif
