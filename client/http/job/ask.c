/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the commands that ternhttp sends to a daemon. Tested by
 * test/unit/test_http_ask.c. Pure functions. */
#include "client/http/job/ask.h"

#include "lib/net/ip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ASK_ROW(name, size, text) { text, ASK_##size },
static const struct {
	const char *text;
	enum ask_size size;
} ask_row[ASK_CNT] = { ASK_TABLE(ASK_ROW) };

bool
ask_name(const char *s)
{
	size_t len = strlen(s);

	return len > 0 && len <= ASK_NAME_MAX &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789_.:-") == len;
}

bool
ask_set_name(char *to, const char *s)
{
	*to = 0;
	if (!ask_name(s))
		return false;
	memcpy(to, s, strlen(s) + 1);
	return true;
}

/* ask_event - is @s an id of an event? */
static bool
ask_event(const char *s)
{
	size_t len = strlen(s), boot = strspn(s, "0123456789");

	return len <= ASK_EVENT_MAX && boot && s[boot] == '-' && s[boot + 1] &&
	       boot + 1 + strspn(s + boot + 1, "0123456789") == len;
}

bool
ask_set_event(char *to, const char *s)
{
	*to = 0;
	if (!ask_event(s))
		return false;
	memcpy(to, s, strlen(s) + 1);
	return true;
}

bool
ask_set_prefix(struct ask_args *a, const char *s)
{
	struct prefix p;
	struct ip_addr addr;
	const char *end = prefix_scan(&p, s);

	if (end && !*end) {
		a->prefix = prefix_make(p.addr, p.len, (enum family)p.fam);
	} else if (!ip_parse(&addr, s)) {
		enum family fam = family_of_ip(addr);

		a->prefix = prefix_make(addr, family_bits(fam), fam);
	} else {
		return false;
	}
	a->has_prefix = true;
	return true;
}

/* ask_number - @s as a number of 32 bits. */
static bool
ask_number(uint32_t *to, const char *s)
{
	size_t len = strlen(s);
	uint64_t n;

	if (!len || len > 10 || strspn(s, "0123456789") != len)
		return false;
	n = strtoull(s, NULL, 10);
	*to = (uint32_t)n;
	return n <= UINT32_MAX;
}

bool
ask_set_as(struct ask_args *a, const char *s)
{
	if (!strncasecmp(s, "AS", 2))
		s += 2;
	a->has_as = ask_number(&a->as, s) && a->as;
	return a->has_as;
}

bool
ask_set_large(struct ask_args *a, const char *s)
{
	if (a->large_cnt == 2 || !ask_number(&a->large[a->large_cnt], s))
		return false;
	a->large_cnt++;
	return true;
}

bool
ask_set_community(struct ask_args *a, const char *s)
{
	char copy[40], *next = copy, *part;
	uint32_t n[3];
	unsigned cnt = 0;

	if (strlen(s) >= sizeof(copy))
		return false;
	memcpy(copy, s, strlen(s) + 1);
	while ((part = strsep(&next, ":")))
		if (cnt == 3 || !ask_number(&n[cnt++], part))
			return false;
	if (cnt < 2 || (cnt == 2 && (n[0] > UINT16_MAX || n[1] > UINT16_MAX)))
		return false;
	memcpy(a->comm, n, cnt * sizeof(n[0]));
	a->comm_cnt = cnt;
	return true;
}

/* ask_hops - the AS numbers of the path. Returns: false: no path. */
static bool
ask_hops(char *to, size_t size, const struct ask_args *a)
{
	size_t len = 0;

	for (unsigned i = 0; i < a->hop_cnt && i < ASK_HOPS_MAX && len < size; i++)
		len += (size_t)snprintf(
		    to + len, size - len, "%s%u", i ? " " : "", a->hop[i]);
	return a->hop_cnt && len < size;
}

/* ask_value - the value that stands for the letter @c. Returns: false: absent. */
static bool
ask_value(char *to, size_t size, char c, const struct ask_args *a)
{
	char text[PREFIX_STR_MAX];
	const char *name = c == 'f'   ? a->from
			   : c == 't' ? a->to
			   : c == 'o' ? a->other
				      : a->name;

	*to = 0;
	switch (c) {
	case 'p':
		if (a->has_prefix)
			snprintf(to, size, "%s", prefix_str(text, &a->prefix));
		return a->has_prefix;
	case 'l':
		if (a->longest)
			snprintf(to, size, "for ");
		return true;
	case 'i':
		if (a->has_prefix)
			snprintf(to, size, "%s", ip_str(text, a->prefix.addr));
		return a->has_prefix;
	case 'x':
	case 'y':
		snprintf(to, size, "%u", a->large[c == 'y']);
		return a->large_cnt == 2;
	case 'c':
		if (a->comm_cnt == 2)
			snprintf(to, size, "(%u, %u)", a->comm[0], a->comm[1]);
		else if (a->comm_cnt == 3)
			snprintf(
			    to, size, "(%u, %u, %u)", a->comm[0], a->comm[1], a->comm[2]);
		return a->comm_cnt == 2 || a->comm_cnt == 3;
	case 'w':
		snprintf(to, size, "%s", a->with);
		return *a->with && strspn(a->with, "0123456789(), ") == strlen(a->with);
	case 'a':
		if (a->has_as)
			snprintf(to, size, "%u", a->as);
		return a->has_as;
	case 'h':
		return ask_hops(to, size, a);
	case 'b':
		snprintf(to, size, "%llu", (unsigned long long)a->since_s);
		return true;
	case 'e':
		if (a->until_s)
			snprintf(to, size, " until %llu", (unsigned long long)a->until_s);
		return true;
	case 'm':
		if (a->has_as)
			snprintf(to, size, " %u", a->as);
		return true;
	case 's':
		if (*a->event && !ask_event(a->event))
			return false;
		snprintf(to, size, *a->event ? "\"%s\"" : "all", a->event);
		return true;
	case 'n':
	case 'o':
		if (!ask_name(name))
			return false;
		snprintf(to, size, "'%s'", name);
		return true;
	default: /* f, t */
		if (!*name)
			return true;
		if (!ask_name(name))
			return false;
		snprintf(to, size, " %s '%s'", c == 'f' ? "from" : "to", name);
		return true;
	}
}

bool
ask_set_with(struct ask_args *a, const char *s)
{
	struct ask_args one = { 0 };
	char copy[256], *next = copy, *part, text[64];
	unsigned cnt = 0;

	*a->with = 0;
	if (strlen(s) >= sizeof(copy))
		return false;
	memcpy(copy, s, strlen(s) + 1);
	while ((part = strsep(&next, ","))) {
		if (cnt++ == ASK_WITH_MAX || !ask_set_community(&one, part) ||
		    !ask_value(text, sizeof(text), 'c', &one)) {
			*a->with = 0;
			return false;
		}
		strcat(a->with, text);
	}
	return true;
}

bool
ask_text(char *to, enum ask ask, const struct ask_args *a)
{
	size_t len = 0;

	for (const char *p = ask_row[ask].text; *p; p++) {
		if (*p != '%') {
			to[len++] = *p;
			continue;
		}
		if (!ask_value(to + len, ASK_TEXT_MAX - len, *++p, a))
			return false;
		len += strlen(to + len);
	}
	to[len] = 0;
	return true;
}

bool
ask_private(enum ask ask)
{
	return ask == ASK_FILTERED || ask == ASK_TABLE_FILTERED ||
	       ask == ASK_PIPE_NOT_EXPORTED;
}

bool
ask_why(enum ask ask)
{
	return ask == ASK_WHY || ask == ASK_WHY_WITH;
}

bool
ask_kept(enum ask ask)
{
	return ask_row[ask].size == ASK_KEPT;
}

bool
ask_long(enum ask ask)
{
	return ask_row[ask].size == ASK_LONG;
}
