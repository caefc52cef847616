/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The visitor who sends a request: anyone, a member with its AS numbers, or the
 * exchange. Pure functions.
 *
 * G1  A visitor begins without a right, and visitor_add and visitor_add_text are the only
 *     functions that add a right. */
#ifndef TERN_CLIENT_HTTP_RIGHT_VISITOR_H
#define TERN_CLIENT_HTTP_RIGHT_VISITOR_H

#include "lib/base/check.h"

#define VISITOR_AS_MAX 32 /* AS numbers of one visitor */

/* Owner: the request. Life: by value; zeros are a visitor without a right. */
struct visitor {
	bool exchange; /* sees all */
	unsigned as_cnt;
	uint32_t as[VISITOR_AS_MAX];
};

/* visitor_sees - may @v see what belongs to @as alone? */
bool visitor_sees(const struct visitor *v, uint32_t as);
/* visitor_knows - has @v any right? */
bool visitor_knows(const struct visitor *v);
/* visitor_add - add the right of @as; 0: of the exchange. Returns: false: too many. */
MUST_CHECK bool visitor_add(struct visitor *v, uint32_t as);
/* visitor_add_text - add the rights of the list @s: `exchange`, or AS numbers with or
 * without "AS", separated by commas and blanks. Returns: false: another text; @v is
 * unchanged. An empty list adds nothing. */
MUST_CHECK bool visitor_add_text(struct visitor *v, const char *s);

#endif
