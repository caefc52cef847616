/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hop maps: one array has two items for each entry, a way for each direction, in the
 * order of the addresses that a way begins with.
 *
 * A file without a line end after the last entry is refused: a file that was cut off
 * within an address would lead routes to another router.
 *
 * No state; any thread. Tested by test/unit/test_hop_map.c. */
#include "proto/bgp/conf/hop_map.h"

#include "filter/lang/diag.h"
#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hop_way {
	struct ip_addr from, to;
	uint32_t line;
};

struct hop_map {
	struct hop_way *way; /* ascending by `from` */
	uint32_t cnt;
};

/* The reader of a file. */
struct hop_map_in {
	const char *path;
	struct diag *d;
	struct hop_way *way; /* MEM_CONFIG */
	uint32_t cnt, cap, line;
};

static void hop_map_error(struct hop_map_in *in, const char *line, const char *at,
    const char *fmt, ...) PRINTF_LIKE(4, 5);

static void
hop_map_error(
    struct hop_map_in *in, const char *line, const char *at, const char *fmt, ...)
{
	struct src_pos pos = { in->path, in->line, (uint32_t)(at - line) + 1 };
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	diag_error(in->d, pos, "%s", text);
}

static bool
hop_map_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *
hop_map_skip_blanks(const char *p, const char *end)
{
	while (p < end && hop_map_is_blank(*p))
		p++;
	return p;
}

/* hop_map_read_ip - read the address at *@p, of IPv4 or IPv6 as @v4 says. Returns:
 * false: no such address. */
static bool
hop_map_read_ip(const char **p, const char *end, bool v4, struct ip_addr *out)
{
	char text[IP_STR_MAX];
	size_t len = 0;

	while (*p + len < end && !hop_map_is_blank((*p)[len]))
		len++;
	if (!len || len >= sizeof(text) || memchr(*p, 0, len))
		return false;
	memcpy(text, *p, len);
	text[len] = 0;
	if (ip_parse(out, text) || ip_is_v4(*out) != v4)
		return false;
	*p += len;
	return true;
}

/* hop_map_usable - can @addr be a next hop of a router on a LAN? A link-local address
 * means nothing to a peer on another link (RFC 2545, 3). */
static bool
hop_map_usable(struct ip_addr addr)
{
	return ip_is_host(addr) && !ip_is_link_local(addr);
}

/* hop_map_read_one - read an address of an entry. Returns: false after an error. */
static bool
hop_map_read_one(struct hop_map_in *in, const char *line, const char **p, const char *end,
    bool v4, struct ip_addr *out)
{
	const char *at = *p;

	if (!hop_map_read_ip(p, end, v4, out)) {
		hop_map_error(in, line, at, "expected an IPv%c address", v4 ? '4' : '6');
		return false;
	}
	if (!hop_map_usable(*out)) {
		hop_map_error(in, line, at,
		    "the address can be no next hop for all members: expected a global "
		    "unicast address");
		return false;
	}
	return true;
}

static void
hop_map_add(struct hop_map_in *in, struct ip_addr from, struct ip_addr to)
{
	in->way = vec_room(MEM_CONFIG, in->way, &in->cap, in->cnt + 1, sizeof(*in->way));
	in->way[in->cnt++] = (struct hop_way){ from, to, in->line };
}

/* hop_map_read_line - Returns: false after an error. */
static bool
hop_map_read_line(struct hop_map_in *in, const char *line, const char *end)
{
	const char *comment = memchr(line, '#', (size_t)(end - line));
	const char *stop = comment ? comment : end;
	const char *p = hop_map_skip_blanks(line, stop);
	struct ip_addr v4, v6;

	if (p == stop)
		return true;
	if (!hop_map_read_one(in, line, &p, stop, true, &v4))
		return false;
	p = hop_map_skip_blanks(p, stop);
	if (!hop_map_read_one(in, line, &p, stop, false, &v6))
		return false;
	p = hop_map_skip_blanks(p, stop);
	if (p != stop) {
		hop_map_error(in, line, p,
		    "expected the end of the line: an entry has two addresses");
		return false;
	}
	hop_map_add(in, v4, v6);
	hop_map_add(in, v6, v4);
	return true;
}

static int
hop_way_cmp(const void *a, const void *b)
{
	const struct hop_way *x = a, *y = b;
	int d = ip_cmp(x->from, y->from);

	return d ? d : x->line < y->line ? -1 : x->line > y->line;
}

/* hop_map_check_twice - Returns: false after an error: an address occurs twice. */
static bool
hop_map_check_twice(struct hop_map_in *in)
{
	const struct hop_way *w = in->way;
	char text[IP_STR_MAX];

	for (uint32_t i = 1; i < in->cnt; i++)
		if (ip_equal(w[i - 1].from, w[i].from)) {
			in->line = w[i].line;
			hop_map_error(in, NULL, NULL,
			    "a second entry of %s; line %u has the first",
			    ip_str(text, w[i].from), w[i - 1].line);
			return false;
		}
	return true;
}

/* hop_map_check_whole - Returns: false after an error. */
static bool
hop_map_check_whole(struct hop_map_in *in, const char *text, size_t len)
{
	const char *last;

	if (len && text[len - 1] != '\n') {
		last = memrchr(text, '\n', len);
		last = last ? last + 1 : text;
		hop_map_error(
		    in, last, text + len, "expected a line end: the file may be cut off");
		return false;
	}
	if (!in->cnt) {
		in->line = 1;
		hop_map_error(in, text, text,
		    "expected an IPv4 address and an IPv6 address: the file has no "
		    "entry");
		return false;
	}
	qsort(in->way, in->cnt, sizeof(*in->way), hop_way_cmp);
	return hop_map_check_twice(in);
}

struct hop_map *
hop_map_parse(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d)
{
	struct hop_map_in in = { .path = path, .d = d };
	const char *p = text, *end = text + len, *eol;
	struct hop_map *m = NULL;
	bool ok = true;

	while (ok && p < end) {
		in.line++;
		eol = memchr(p, '\n', (size_t)(end - p));
		ok = hop_map_read_line(&in, p, eol ? eol : end);
		p = eol ? eol + 1 : end;
	}
	if (ok && hop_map_check_whole(&in, text, len)) {
		m = arena_zalloc(a, sizeof(*m));
		m->cnt = in.cnt;
		m->way = arena_alloc(a, in.cnt * sizeof(*m->way));
		memcpy(m->way, in.way, in.cnt * sizeof(*m->way));
	}
	mem_free(MEM_CONFIG, in.way);
	return m;
}

struct ip_addr
hop_map_other(const struct hop_map *m, struct ip_addr addr)
{
	uint32_t lo = 0, hi = m ? m->cnt : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ip_cmp(m->way[mid].from, addr) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return m && lo < m->cnt && ip_equal(m->way[lo].from, addr) ? m->way[lo].to
								   : IP_NONE;
}

bool
hop_map_same(const struct hop_map *a, const struct hop_map *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->cnt != b->cnt)
		return false;
	for (uint32_t i = 0; i < a->cnt; i++)
		if (!ip_equal(a->way[i].from, b->way[i].from) ||
		    !ip_equal(a->way[i].to, b->way[i].to))
			return false;
	return true;
}

void
hop_map_hash(const struct hop_map *m, uint64_t out[2])
{
	out[0] = out[1] = 0;
	if (!m)
		return;
	out[0] = 1;
	for (uint32_t i = 0; i < m->cnt; i++) {
		const struct hop_way *w = &m->way[i];

		out[0] = hash_u64(hash_u64(out[0], w->from.hi), w->from.lo);
		out[0] = hash_u64(hash_u64(out[0], w->to.hi), w->to.lo);
		out[1] = hash_u64(hash_u64(out[1], ~w->from.lo), ~w->from.hi);
		out[1] = hash_u64(hash_u64(out[1], ~w->to.lo), ~w->to.hi);
	}
}
