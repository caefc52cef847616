/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a request target to a page and checked values. Pure functions.
 *
 * I1  A path is split at `/` before its escapes are decoded, so that an escaped `/`
 *     never makes a segment.
 * I2  A decoded octet is a printable ASCII character; all others are errors of the
 *     client.
 *
 * Tested by test/unit/test_http_request.c. */
#include "client/http/job/request.h"

#include "lib/base/scan.h"
#include "lib/net/prefix.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PART_MAX 128 /* octets of a decoded segment or parameter */
#define SEGS_MAX 12

/* A decoded path. */
struct path {
	char seg[SEGS_MAX][PART_MAX];
	unsigned cnt;
};

#define PAGE_ROW(page, path, takes) { path, takes },
static const struct {
	const char *path;
	unsigned takes;
} page_row[PAGE_CNT] = { PAGE_TABLE(PAGE_ROW) };

#define KIND_ROW(name, word) word,
static const char *const kind_word[KIND_CNT] = { KIND_TABLE(KIND_ROW) };

#define TOP_ROW(name, word) word,
static const char *const top_word[TOP_CNT] = { TOP_TABLE(TOP_ROW) };

#define COLLECT_ROW(name, word, usual)   word,
#define COLLECT_USUAL(name, word, usual) | (unsigned)usual << COLLECT_##name
static const char *const collect_word[COLLECT_CNT] = { COLLECT_TABLE(COLLECT_ROW) };
static const unsigned collect_usual = 0 COLLECT_TABLE(COLLECT_USUAL);
static const unsigned collect_all = (1u << COLLECT_CNT) - 1;

const char *
request_kind(enum kind kind)
{
	return kind_word[kind];
}

static int
request_bad(struct request *r, int status, const char *why, const char *what)
{
	snprintf(r->why, sizeof(r->why), "%s%.100s", why, what);
	return status;
}

static int
request_hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* request_part_decode - decode @len octets at @s to @to of PART_MAX octets; @plus: a
 * plus is a blank. Returns: false: a wrong escape, or not printable ASCII, or too long.
 */
static bool
request_part_decode(char *to, const char *s, size_t len, bool plus)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int c = (unsigned char)s[i];

		if (c == '%') {
			int high = i + 2 < len ? request_hex_digit(s[i + 1]) : -1;
			int low = i + 2 < len ? request_hex_digit(s[i + 2]) : -1;

			if (high < 0 || low < 0)
				return false;
			c = high << 4 | low;
			i += 2;
		} else if (c == '+' && plus) {
			c = ' ';
		}
		if (c < ' ' || c > '~' || n + 1 >= PART_MAX)
			return false;
		to[n++] = (char)c;
	}
	to[n] = 0;
	return true;
}

/* request_path_split - the segments of the @len octets at @s, which begin with a slash.
 */
static bool
request_path_split(struct path *p, const char *s, size_t len)
{
	const char *end = s + len;

	p->cnt = 0;
	while (s < end && *s == '/') {
		const char *slash = memchr(s + 1, '/', (size_t)(end - s - 1));
		const char *stop = slash ? slash : end;

		s++;
		if (p->cnt == SEGS_MAX ||
		    !request_part_decode(p->seg[p->cnt], s, (size_t)(stop - s), false))
			return false;
		p->cnt++;
		s = stop;
	}
	/* one slash at the end makes no segment */
	if (p->cnt && !*p->seg[p->cnt - 1])
		p->cnt--;
	for (unsigned i = 0; i < p->cnt; i++)
		if (!*p->seg[i] || !strcmp(p->seg[i], ".") || !strcmp(p->seg[i], ".."))
			return false;
	return len && s == end;
}

/* request_row_value - take the value of the pattern word @word. @taken: segments used.
 * Returns: false: no such value. */
static bool
request_row_value(struct request *r, const char *word, const struct path *p, unsigned at,
    unsigned *taken)
{
	char net[PART_MAX];

	*taken = 1;
	if (!strcmp(word, "*as"))
		return ask_set_as(&r->args, p->seg[at]);
	if (!strcmp(word, "*name"))
		return ask_set_name(r->args.name, p->seg[at]);
	if (!strcmp(word, "*comm"))
		return ask_set_community(&r->args, p->seg[at]);
	if (!strcmp(word, "*number"))
		return ask_set_large(&r->args, p->seg[at]);
	if (!strcmp(word, "*address"))
		return !strchr(p->seg[at], '/') && ask_set_prefix(&r->args, p->seg[at]);
	if (!strcmp(word, "*server")) {
		if (!ask_name(p->seg[at]) || strlen(p->seg[at]) > REQUEST_SERVER_MAX)
			return false;
		memcpy(r->server, p->seg[at], strlen(p->seg[at]) + 1);
		return true;
	}
	if (!strcmp(word, "*kind")) {
		for (r->kind = 0; r->kind < KIND_CNT; r->kind++)
			if (!strcmp(kind_word[r->kind], p->seg[at]))
				return true;
		return false;
	}
	/* *net */
	if (at + 1 < p->cnt && !strchr(p->seg[at], '/') && strlen(p->seg[at + 1]) <= 3 &&
	    strspn(p->seg[at + 1], "0123456789") == strlen(p->seg[at + 1])) {
		snprintf(net, sizeof(net), "%.100s/%.3s", p->seg[at], p->seg[at + 1]);
		*taken = 2;
		return ask_set_prefix(&r->args, net);
	}
	r->args.longest = !strchr(p->seg[at], '/');
	return ask_set_prefix(&r->args, p->seg[at]);
}

/* request_row_wrong - what the pattern word @word expects, for a message. */
static const char *
request_row_wrong(const char *word)
{
	static const struct {
		const char *word, *text;
	} rows[] = {
		{ "*as", "no AS number from 1 to 4294967295: " },
		{ "*net", "neither a prefix nor an address: " },
		{ "*address", "no address: " },
		{ "*comm", "no community such as 65000:1 or 65000:1:2: " },
		{ "*kind", "no list of routes has this name: " },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(word, rows[i].word))
			return rows[i].text;
	return "wrong name: ";
}

/* request_row_status - the status of a path whose value for the pattern word @word of
 * @row is wrong. Bird's Eye tells a wrong prefix from an unknown table. */
static int
request_row_status(const char *row, const char *word)
{
	return !strcmp(word, "*net") && !strncmp(row, "/birdseye/", 10) ? 400 : 404;
}

/* request_row_match - does the path fit the pattern @row? @near: the words fit, a value
 * does not; then *@near is the status, and the value is in r->why. */
static bool
request_row_match(struct request *r, const char *row, const struct path *p, int *near)
{
	const char *whole = row;
	unsigned at = 0, taken;
	char word[32];

	while (*row == '/' && row[1]) {
		size_t len = strcspn(row + 1, "/");

		snprintf(word, sizeof(word), "%.*s", (int)len, row + 1);
		row += len + 1;
		if (at >= p->cnt)
			return false;
		taken = 1;
		if (*word == '*') {
			if (!request_row_value(r, word, p, at, &taken)) {
				*near = request_row_status(whole, word);
				(void)request_bad(
				    r, 400, request_row_wrong(word), p->seg[at]);
				return false;
			}
		} else if (strcmp(word, p->seg[at]) != 0) {
			return false;
		}
		at += taken;
	}
	return at == p->cnt;
}

/* request_row_begins - has the pattern @row the first word of the path? No pattern begins
 * with a value. */
static bool
request_row_begins(const char *row, const struct path *p)
{
	const char *first = p->cnt ? p->seg[0] : "";
	size_t len = strcspn(row + 1, "/");

	return strlen(first) == len && !memcmp(row + 1, first, len);
}

static int
request_path(struct request *r, const char *s, size_t len)
{
	struct path p;
	int near = 0;

	if (!request_path_split(&p, s, len))
		return request_bad(r, 400, "the path has a wrong escape or segment", "");
	for (r->page = 0; r->page < PAGE_CNT; r->page++) {
		struct request fresh;
		int row_near = 0;

		/* a request is large, so most rows make none */
		if (!request_row_begins(page_row[r->page].path, &p))
			continue;
		fresh = (struct request){
			.page = r->page, .kind = KIND_CNT, .by = TOP_CNT
		};
		if (request_row_match(&fresh, page_row[r->page].path, &p, &row_near)) {
			*r = fresh;
			return 200;
		}
		if (row_near && !near) {
			near = row_near;
			memcpy(r->why, fresh.why, sizeof(r->why));
		}
	}
	if (near)
		return near;
	return request_bad(r, 404, "no such page", "");
}

/* request_search_location - where the text @q of a search leads. */
static int
request_search_location(struct request *r, const char *q)
{
	struct ask_args a = { 0 };
	char text[PREFIX_STR_MAX];
	const char *slash = strchr(q, '/');
	int len;

	while (*q == ' ')
		q++;
	if (ask_set_as(&a, q)) {
		snprintf(r->location, sizeof(r->location), "/member/%u", a.as);
	} else if (ask_set_prefix(&a, q)) {
		prefix_str(text, &a.prefix);
		if (!slash)
			*strchr(text, '/') = 0;
		snprintf(r->location, sizeof(r->location), "/prefix/%s", text);
	} else if (ask_set_community(&a, q)) {
		len = snprintf(r->location, sizeof(r->location), "/community/%u:%u",
		    a.comm[0], a.comm[1]);
		if (a.comm_cnt == 3)
			snprintf(r->location + len, sizeof(r->location) - (size_t)len,
			    ":%u", a.comm[2]);
	} else {
		return request_bad(
		    r, 400, "no prefix, address, AS number or community: ", q);
	}
	return 303;
}

/* request_key - the index of the parameter whose name is the text of @len octets at @s;
 * -1: none. */
static int
request_key(const char *s, size_t len)
{
	static const char *const keys[] = { "server", "prefix", "longest", "from", "to",
		"since", "until", "format", "table", "pipe", "address", "limit", "as",
		"community", "value", "by", "cursor", "q", "collect[]" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == len && !memcmp(keys[i], s, len))
			return (int)i;
	return -1;
}

bool
request_is_key(const char *s, size_t len)
{
	return request_key(s, len) >= 0;
}

/* request_collect_add - add the group @word of metrics; `all` is each group. */
static bool
request_collect_add(struct request *r, const char *word)
{
	for (unsigned i = 0; i < COLLECT_CNT; i++)
		if (!strcmp(collect_word[i], word)) {
			r->collect |= 1u << i;
			return true;
		}
	r->collect |= collect_all;
	return !strcmp(word, "all");
}

/* request_query_one - take the parameter @key with the value @value. */
static int
request_query_one(struct request *r, const char *key, const char *value)
{
	unsigned takes = page_row[r->page].takes;
	uint64_t n, max;
	bool good;

	/* A parameter that the log does not know has no effect. */
	if (!request_is_key(key, strlen(key)))
		return takes & TAKES_ANY
			   ? 200
			   : request_bad(r, 400, "this page takes no parameter ", key);
	if (takes & TAKES_SERVER && !strcmp(key, "server")) {
		good = ask_name(value) && strlen(value) <= REQUEST_SERVER_MAX;
		if (good)
			strlcpy(r->server, strcmp(value, "all") != 0 ? value : "",
			    sizeof(r->server));
	} else if (takes & TAKES_PREFIX && !strcmp(key, "prefix")) {
		good = !r->args.has_prefix && ask_set_prefix(&r->args, value);
		r->args.longest = !strchr(value, '/');
	} else if (takes & TAKES_LONGEST && !strcmp(key, "longest")) {
		good = !r->args.has_prefix && ask_set_prefix(&r->args, value);
		r->args.longest = true;
	} else if (takes & TAKES_FROM && !strcmp(key, "from")) {
		good = !*value || ask_set_name(r->args.from, value);
	} else if (takes & TAKES_TO && !strcmp(key, "to")) {
		good = !*value || ask_set_name(r->args.to, value);
	} else if (takes & TAKES_SINCE && !strcmp(key, "since")) {
		snprintf(r->since, sizeof(r->since), "%s", value);
		good = true;
	} else if (takes & TAKES_UNTIL && !strcmp(key, "until")) {
		good = strlen(value) <= REQUEST_UNTIL_MAX;
		if (good)
			strlcpy(r->until, value, sizeof(r->until));
	} else if (takes & TAKES_METRICS && !strcmp(key, "format")) {
		r->form = true;
		r->old = !strcmp(value, "old");
		good = r->old || !strcmp(value, "new");
	} else if (takes & TAKES_METRICS && !strcmp(key, "collect[]")) {
		good = request_collect_add(r, value);
	} else if (takes & TAKES_PIPE && !strcmp(key, "table")) {
		good = ask_set_name(r->args.name, value);
	} else if (takes & TAKES_PIPE && !strcmp(key, "pipe")) {
		good = ask_set_name(r->args.other, value);
	} else if (takes & TAKES_PIPE && !strcmp(key, "address")) {
		good = !strchr(value, '/') && ask_set_prefix(&r->args, value);
	} else if (takes & (TAKES_PAGE | TAKES_BY) && !strcmp(key, "limit")) {
		max = takes & TAKES_BY ? REQUEST_TOP_MAX : REQUEST_LIMIT_MAX;
		good = !scan_u64(&n, value, max) && n;
		r->limit = good ? (unsigned)n : 0;
	} else if (takes & TAKES_AS && !strcmp(key, "as")) {
		/* an empty field of a form */
		good = ask_set_as(&r->args, value) || (takes & TAKES_UNTIL && !*value);
	} else if (takes & TAKES_COMMUNITY && !strcmp(key, "community")) {
		good = ask_set_community(&r->args, value);
	} else if (takes & TAKES_VALUE && !strcmp(key, "value")) {
		good = ask_set_with(&r->args, value);
	} else if (takes & TAKES_BY && !strcmp(key, "by")) {
		for (r->by = 0; r->by < TOP_CNT && strcmp(top_word[r->by], value);)
			r->by++;
		good = r->by < TOP_CNT;
	} else if (takes & TAKES_PAGE && !strcmp(key, "cursor")) {
		good = strlen(value) < sizeof(r->cursor);
		if (good)
			memcpy(r->cursor, value, strlen(value) + 1);
	} else if (takes & TAKES_Q && !strcmp(key, "q")) {
		return request_search_location(r, value);
	} else if (takes & TAKES_ANY) {
		return 200;
	} else {
		return request_bad(r, 400, "this page takes no parameter ", key);
	}
	return good ? 200 : request_bad(r, 400, "wrong value of the parameter ", key);
}

/* request_is_twice - does the parameter @key stand in the query for the second time, on a
 * page that needs a value of the parameter? @had: bits of the parameters before @key. */
static bool
request_is_twice(const struct request *r, const char *key, uint32_t *had)
{
	unsigned takes = page_row[r->page].takes;
	int i = request_key(key, strlen(key));
	/* each `collect[]` adds a group */
	bool twice = i >= 0 && *had >> i & 1 && strcmp(key, "collect[]") != 0;

	if (i >= 0)
		*had |= UINT32_C(1) << i;
	return twice && (takes & TAKES_PIPE || !(takes & TAKES_ANY));
}

static int
request_query(struct request *r, const char *s)
{
	char key[PART_MAX], value[PART_MAX];
	uint32_t had = 0;
	int status = 200;

	while (*s && status == 200) {
		size_t len = strcspn(s, "&");
		const char *is = memchr(s, '=', len);
		size_t klen = is ? (size_t)(is - s) : len;

		if (!request_part_decode(key, s, klen, true) ||
		    !request_part_decode(
			value, is ? is + 1 : s + len, is ? len - klen - 1 : 0, true))
			return request_bad(r, 400, "the query has a wrong escape", "");
		if (*key)
			status = request_query_one(r, key, value);
		if (status == 200 && request_is_twice(r, key, &had))
			return request_bad(
			    r, 400, "the request has two values of the parameter ", key);
		s += len;
		s += *s == '&';
	}
	return status;
}

/* request_needs - does the query have what the page of the API needs? */
static int
request_needs(struct request *r)
{
	const struct ask_args *a = &r->args;

	if (r->page == PAGE_API_COMMUNITIES && !*a->with)
		return request_bad(r, 400, "the request lacks the parameter value", "");
	if (r->page == PAGE_API_WHY && !a->has_prefix)
		return request_bad(r, 400,
		    "the request lacks the parameter prefix, or the parameter longest",
		    "");
	if (r->page == PAGE_API_ROUTES &&
	    a->has_prefix + a->has_as + (a->comm_cnt != 0) != 1)
		return request_bad(r, 400,
		    "the request needs exactly one of the parameters prefix, longest, "
		    "community and as",
		    "");
	if (r->page == PAGE_API_DIFF && !*r->since)
		return request_bad(r, 400, "the request lacks the parameter since", "");
	if (r->page == PAGE_API_TOP && r->by == TOP_CNT)
		return request_bad(r, 400, "the request lacks the parameter by", "");
	return 200;
}

int
request_parse(struct request *r, const char *target)
{
	size_t len = strcspn(target, "?");
	int status;

	memset(r, 0, sizeof(*r));
	r->page = PAGE_CNT;
	r->kind = KIND_CNT;
	r->by = TOP_CNT;
	if (strlen(target) >= REQUEST_TARGET_MAX)
		return request_bad(r, 414, "the address is too long", "");
	status = request_path(r, target, len);
	if (status == 200)
		status = request_query(r, target[len] ? target + len + 1 : "");
	if (status == 200 && r->page == PAGE_SEARCH)
		return request_bad(r, 400, "the request lacks the parameter q", "");
	if (status == 200 && page_row[r->page].takes & TAKES_PIPE &&
	    (!*r->args.name || !*r->args.other))
		return request_bad(r, 400,
		    "the request lacks the parameter table or the parameter pipe", "");
	if (status == 200 && r->page == PAGE_BW_PIPE_COUNT && !r->args.has_prefix)
		return request_bad(r, 400, "the request lacks the parameter address", "");
	return status == 200 ? request_needs(r) : status;
}

/* request_accept_quality - the weight of the range @s of @len octets, in thousandths
 * (RFC 9110, 12.4.2): 1000 without `q=`. */
static unsigned
request_accept_quality(const char *s, size_t len)
{
	unsigned v = 0, unit = 1000;
	size_t i = 0;

	while (
	    i + 2 < len && (!strchr("; \t", s[i]) || s[i + 1] != 'q' || s[i + 2] != '='))
		i++;
	if (i + 2 >= len)
		return 1000;
	for (i += 3; i < len && (s[i] == '.' || (s[i] >= '0' && s[i] <= '9')); i++)
		if (s[i] != '.') {
			v += (unsigned)(s[i] - '0') * unit;
			unit /= 10;
		}
	return v < 1000 ? v : 1000;
}

bool
request_collects(const struct request *r, enum collect which)
{
	unsigned collect = r->collect ? r->collect
			   : r->form  ? collect_all
				      : collect_usual;

	return collect >> which & 1;
}

bool
request_openmetrics(const char *accept)
{
	static const char open[] = "application/openmetrics-text", text[] = "text/plain";
	unsigned best_open = 0, best_text = 0;

	while (accept && *accept) {
		size_t len, name;

		accept += strspn(accept, ", \t");
		len = strcspn(accept, ",");
		name = strcspn(accept, ";, \t");
		if (name == sizeof(open) - 1 && !strncasecmp(accept, open, name)) {
			unsigned q = request_accept_quality(accept, len);

			best_open = q > best_open ? q : best_open;
		} else if (name == sizeof(text) - 1 && !strncasecmp(accept, text, name)) {
			unsigned q = request_accept_quality(accept, len);

			best_text = q > best_text ? q : best_text;
		}
		accept += len;
	}
	return best_open && best_open >= best_text;
}
