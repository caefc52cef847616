/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AS paths in canonical octets (RFC 4271, 4.3; RFC 5065, 3; RFC 6793).
 *
 * Only as_path_check distrusts its input. The decoder checks a path once, at the edge,
 * and filters build paths with the functions of this file. The walk still stops at a
 * segment that would leave the string: a broken path can give a wrong answer, but no wild
 * read.
 *
 * I1  No function here writes an empty segment or a segment of more than 255 numbers.
 * I2  Functions that join strings put neighbouring sequences into one segment. A path
 *     that arrived in two parts (AS_PATH and AS4_PATH) therefore has the octets of the
 *     same path received whole.
 *
 * The file keeps no state; any thread may call the functions. */
#include "lib/attr/as_path.h"
#include "lib/attr/attr_def.h"

#include <errno.h>

#define SEG_HDR_LEN  2
#define SEG_CNT_MAX  255
#define PATH_MAX_LEN 65535

/* One segment; `as` points to the segment's AS numbers. */
struct seg {
	uint8_t type, cnt;
	const uint8_t *as;
};

static bool
path_seg_next(
    struct seg *s, const uint8_t *p, uint32_t len, uint32_t *pos, unsigned as_size)
{
	if (len - *pos < SEG_HDR_LEN)
		return false;
	s->type = p[*pos];
	s->cnt = p[*pos + 1];
	s->as = p + *pos + SEG_HDR_LEN;
	if (len - *pos - SEG_HDR_LEN < s->cnt * as_size)
		return false;
	*pos += SEG_HDR_LEN + s->cnt * as_size;
	return true;
}

static bool
as_path_is_confed(uint8_t type)
{
	return type == AS_CONFED_SEQUENCE || type == AS_CONFED_SET;
}

static bool
path_is_set(uint8_t type)
{
	return type == AS_SET || type == AS_CONFED_SET;
}

/* How many a segment counts for (RFC 4271, 9.1.2.2 a; RFC 5065, 5.3). */
static uint32_t
path_seg_weight(const struct seg *s)
{
	return s->type == AS_SEQUENCE ? s->cnt : s->type == AS_SET ? 1 : 0;
}

bool
as_path_check(const uint8_t *p, uint32_t len, unsigned as_size, bool confed)
{
	struct seg s;
	uint32_t pos = 0;

	while (path_seg_next(&s, p, len, &pos, as_size)) {
		if (s.type < AS_SET || s.type > (confed ? AS_CONFED_SET : AS_SEQUENCE))
			return false;
		if (!s.cnt)
			return false;
	}
	return pos == len;
}

uint32_t
as_path_len(const uint8_t *p, uint32_t len)
{
	struct seg s;
	uint32_t pos = 0, sum = 0;

	while (path_seg_next(&s, p, len, &pos, 4))
		sum += path_seg_weight(&s);
	return sum;
}

uint32_t
as_path_first(const uint8_t *p, uint32_t len)
{
	struct seg s;
	uint32_t pos = 0;

	while (path_seg_next(&s, p, len, &pos, 4))
		if (!as_path_is_confed(s.type))
			return s.type == AS_SEQUENCE && s.cnt ? get_be32(s.as) : 0;
	return 0;
}

uint32_t
as_path_head(const uint8_t *p, uint32_t len)
{
	struct seg s;
	uint32_t pos = 0;

	return path_seg_next(&s, p, len, &pos, 4) && s.type == AS_SEQUENCE && s.cnt
		   ? get_be32(s.as)
		   : 0;
}

/* path_seg_last - the rightmost number; 0: of a set. */
static uint32_t
path_seg_last(const struct seg *s)
{
	return path_is_set(s->type) || !s->cnt ? 0 : get_be32(s->as + 4 * (s->cnt - 1));
}

uint32_t
as_path_last(const uint8_t *p, uint32_t len)
{
	struct seg s;
	uint32_t pos = 0, last = 0;

	while (path_seg_next(&s, p, len, &pos, 4))
		last = path_seg_last(&s);
	return last;
}

uint32_t
as_path_last_nonaggr(const uint8_t *p, uint32_t len)
{
	struct seg s;
	uint32_t pos = 0, last = 0;

	while (path_seg_next(&s, p, len, &pos, 4) && !path_is_set(s.type))
		if (s.cnt)
			last = path_seg_last(&s);
	return last;
}

bool
as_path_has_set(const uint8_t *p, uint32_t len)
{
	struct seg s;
	uint32_t pos = 0;

	while (path_seg_next(&s, p, len, &pos, 4))
		if (path_is_set(s.type))
			return true;
	return false;
}

uint32_t
as_path_count(const uint8_t *p, uint32_t len, uint32_t as)
{
	struct seg s;
	uint32_t pos = 0, cnt = 0;

	while (path_seg_next(&s, p, len, &pos, 4))
		for (unsigned i = 0; i < s.cnt; i++)
			cnt += get_be32(s.as + 4 * i) == as;
	return cnt;
}

int
as_path_prepend_in(uint8_t **p, uint32_t len, uint32_t as)
{
	uint8_t *at = *p;
	unsigned cnt = 0, more = AS_PATH_PREPEND_ROOM;

	if (len > PATH_MAX_LEN - AS_PATH_PREPEND_ROOM)
		return -E2BIG;
	if (len >= SEG_HDR_LEN && at[0] == AS_SEQUENCE && at[1] < SEG_CNT_MAX) {
		cnt = at[1]; /* the number stands where the header was */
		more = 4;
	}
	at -= more;
	at[0] = AS_SEQUENCE;
	at[1] = (uint8_t)(cnt + 1);
	put_be32(at + SEG_HDR_LEN, as);
	*p = at;
	return (int)(len + more);
}

int
as_path_prepend(
    uint8_t **out, struct arena *a, const uint8_t *p, uint32_t len, uint32_t as)
{
	if (len > PATH_MAX_LEN - AS_PATH_PREPEND_ROOM)
		return -E2BIG;
	*out = (uint8_t *)arena_alloc(a, len + AS_PATH_PREPEND_ROOM) +
	       AS_PATH_PREPEND_ROOM;
	if (len)
		memcpy(*out, p, len);
	return as_path_prepend_in(out, len, as);
}

uint32_t
as_path_widen(uint8_t *out, const uint8_t *p, uint32_t len)
{
	struct seg s;
	uint32_t pos = 0;
	uint8_t *to = out;

	while (path_seg_next(&s, p, len, &pos, 2)) {
		*to++ = s.type;
		*to++ = s.cnt;
		for (unsigned i = 0; i < s.cnt; i++, to += 4)
			put_be32(to, get_be16(s.as + 2 * i));
	}
	return (uint32_t)(to - out);
}

/* The path that as_path_merge4 builds. */
struct joined {
	uint8_t *start, *pos;
	uint8_t *last; /* header of the newest segment; NULL: none */
};

/* Put numbers at the end; sequences join (I2). */
static void
path_join_add(struct joined *j, uint8_t type, const uint8_t *as, unsigned cnt)
{
	if (!cnt)
		return;
	if (j->last && type == AS_SEQUENCE && j->last[0] == AS_SEQUENCE) {
		unsigned room = SEG_CNT_MAX - j->last[1];
		unsigned fit = cnt < room ? cnt : room;

		memcpy(j->pos, as, 4 * fit);
		j->pos += 4 * fit;
		j->last[1] = (uint8_t)(j->last[1] + fit);
		as += 4 * fit;
		cnt -= fit;
		if (!cnt)
			return;
	}
	j->last = j->pos;
	*j->pos++ = type;
	*j->pos++ = (uint8_t)cnt;
	memcpy(j->pos, as, 4 * cnt);
	j->pos += 4 * cnt;
}

/* Both lengths count as in RFC 6793, 4.2.3; confederation segments in AS4_PATH are
 * ignored (RFC 6793, 3). */
uint32_t
as_path_merge4(
    uint8_t *out, const uint8_t *path, uint32_t len, const uint8_t *as4, uint32_t as4_len)
{
	struct joined j = { out, out, NULL };
	uint32_t have = as_path_len(path, len), new = as_path_len(as4, as4_len);
	uint32_t keep, pos = 0;
	struct seg s;

	if (have < new || !new) {
		if (len)
			memcpy(out, path, len);
		return len;
	}
	/* The numbers that speakers without 4-octet support put before AS4_PATH began. */
	keep = have - new;
	while (path_seg_next(&s, path, len, &pos, 4)) {
		if (s.type == AS_SEQUENCE) {
			unsigned cnt = s.cnt < keep ? s.cnt : keep;

			path_join_add(&j, s.type, s.as, cnt);
			keep -= cnt;
			if (cnt < s.cnt)
				break;
		} else if (s.type == AS_SET) {
			if (!keep)
				break;
			path_join_add(&j, s.type, s.as, s.cnt);
			keep--;
		} else {
			path_join_add(&j, s.type, s.as, s.cnt);
		}
	}
	pos = 0;
	while (path_seg_next(&s, as4, as4_len, &pos, 4))
		if (!as_path_is_confed(s.type))
			path_join_add(&j, s.type, s.as, s.cnt);
	return (uint32_t)(j.pos - j.start);
}

/* Decimal without printf: paths are the bulk of `show route all`. */
static char *
path_put_dec(char *to, uint32_t v)
{
	char tmp[10];
	unsigned n = 0;

	do {
		tmp[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		*to++ = tmp[--n];
	return to;
}

void
as_path_print(struct strbuf *b, const uint8_t *p, uint32_t len)
{
	static const char *const open[] = { "", "{", "", "(", "({" };
	static const char *const close[] = { "", "}", "", ")", "})" };
	struct seg s;
	uint32_t pos = 0;
	bool first = true;

	while (path_seg_next(&s, p, len, &pos, 4)) {
		unsigned type = s.type < ARRAY_LEN(open) ? s.type : 0;

		if (!first)
			strbuf_addc(b, ' ');
		first = false;
		strbuf_adds(b, open[type]);
		for (unsigned i = 0; i < s.cnt; i++) {
			char text[12], *to = text;

			if (i)
				*to++ = ' ';
			to = path_put_dec(to, get_be32(s.as + 4 * i));
			strbuf_add(b, text, (size_t)(to - text));
		}
		strbuf_adds(b, close[type]);
	}
}
