/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rights of the visitor who sends a request. Tested by test/unit/test_http_right.c. Pure
 * functions. */
#include "client/http/right/visitor.h"

#include "lib/base/scan.h"

#include <string.h>
#include <strings.h>

bool
visitor_sees(const struct visitor *v, uint32_t as)
{
	if (v->exchange)
		return true;
	for (unsigned i = 0; i < v->as_cnt; i++)
		if (v->as[i] == as)
			return true;
	return false;
}

bool
visitor_knows(const struct visitor *v)
{
	return v->exchange || v->as_cnt;
}

bool
visitor_add(struct visitor *v, uint32_t as)
{
	if (!as)
		v->exchange = true;
	else if (v->as_cnt == VISITOR_AS_MAX)
		return false;
	else
		v->as[v->as_cnt++] = as;
	return true;
}

bool
visitor_add_text(struct visitor *v, const char *s)
{
	struct visitor all = *v;
	char word[16];
	uint64_t as;

	for (;;) {
		size_t len;
		const char *digits;

		s += strspn(s, ", \t");
		if (!*s)
			break;
		len = strcspn(s, ", \t");
		if (len >= sizeof(word))
			return false;
		memcpy(word, s, len);
		word[len] = 0;
		s += len;
		digits = strncasecmp(word, "AS", 2) ? word : word + 2;
		if (!strcmp(word, "exchange"))
			as = 0;
		else if (strspn(digits, "0123456789") != strlen(digits) ||
			 scan_u64(&as, digits, UINT32_MAX) || !as)
			return false;
		if (!visitor_add(&all, (uint32_t)as))
			return false;
	}
	*v = all;
	return true;
}
