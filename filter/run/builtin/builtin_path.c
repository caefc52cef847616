/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builtins on AS paths in canonical octets: u8 type, u8 count, then AS numbers of 4
 * octets. The thread of the run calls. Tested by test/unit/test_conf_golden.c and
 * test/net/test_diff.sh. */
#include "filter/value/fvalue.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/frun.h"
#include "filter/set/mask.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/attr/as_path.h"
#include "lib/mem/arena.h"

/* path_charge_segments - the time of a walk from segment to segment; a path that a
 * member has made may have a segment for each number. */
static void
path_charge_segments(struct frun *r, const struct fvalue *v)
{
	uint32_t cnt = 0;

	for (uint32_t at = 0; at + 2 <= v->len; at += 2 + 4u * v->octets[at + 1])
		cnt++;
	vm_charge(r, 8 * cnt);
}

static bool
bi_first(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_INT, as_path_head(v[0].octets, v[0].len));
	return true;
}

static bool
bi_last(struct frun *r, struct fvalue *v)
{
	path_charge_segments(r, &v[0]);
	fvalue_set_u32(&v[0], T_INT, as_path_last(v[0].octets, v[0].len));
	return true;
}

static bool
bi_last_nonaggregated(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_INT, as_path_last_nonaggr(v[0].octets, v[0].len));
	return true;
}

static bool
bi_path_len(struct frun *r, struct fvalue *v)
{
	path_charge_segments(r, &v[0]);
	fvalue_set_u32(&v[0], T_INT, as_path_len(v[0].octets, v[0].len));
	return true;
}

static bool
bi_path_empty(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_empty(T_PATH);
	return true;
}

static bool
bi_prepend(struct frun *r, struct fvalue *v)
{
	uint8_t *out;
	int len = as_path_prepend(&out, &r->t->arena, v[0].octets, v[0].len, v[1].i);

	if (len < 0)
		return vm_fail(r, "the path grows beyond its limit");
	v[0] = (struct fvalue){ .type = T_PATH, .len = (uint32_t)len, .octets = out };
	return true;
}

/* Is @as what is selected by @sel: an AS or a set of them? */
static bool
builtin_path_selected(const struct fvalue *sel, uint32_t as)
{
	if (sel->type == T_INT)
		return sel->i == as;
	return sel->type != T_SET_EMPTY && fset_has_u32(sel->set, as);
}

/* path_select_as - copy the path without the selected AS numbers, or with only the
 * selected AS numbers (@keep). Empty segments are removed. */
static void
path_select_as(struct frun *r, struct fvalue *v, const struct fvalue *sel, bool keep)
{
	const uint8_t *p = v->octets, *end = p + v->len;
	uint8_t *out, *to;

	if (sel->type == T_SET_INT)
		vm_charge_lookups(r, v->len / 4);
	out = to = arena_alloc(&r->t->arena, v->len + 1);
	while (p < end) {
		unsigned cnt = p[1], i, n = 0;

		to[0] = p[0];
		for (i = 0; i < cnt; i++) {
			uint32_t as = get_be32(p + 2 + 4 * i);

			if (builtin_path_selected(sel, as) == keep)
				put_be32(to + 2 + 4 * n++, as);
		}
		to[1] = (uint8_t)n;
		if (n)
			to += 2 + 4 * n;
		p += 2 + 4 * cnt;
	}
	*v = (struct fvalue){
		.type = T_PATH,
		.absent = v->absent && to == out,
		.len = (uint32_t)(to - out),
		.octets = out,
	};
}

static bool
bi_path_delete(struct frun *r, struct fvalue *v)
{
	path_select_as(r, &v[0], &v[1], false);
	return true;
}

static bool
bi_path_filter(struct frun *r, struct fvalue *v)
{
	path_select_as(r, &v[0], &v[1], true);
	return true;
}

static bool
bi_as_in_path(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_BOOL, as_path_count(v[1].octets, v[1].len, v[0].i) > 0);
	return true;
}

static bool
bi_path_in_set(struct frun *r, struct fvalue *v)
{
	const uint8_t *p = v[0].octets, *end = p + v[0].len;
	bool found = false;

	vm_charge_lookups(r, v[0].len / 4);
	while (p < end && !found) {
		unsigned cnt = p[1], i;

		for (i = 0; i < cnt && !found; i++)
			found = builtin_path_selected(&v[1], get_be32(p + 2 + 4 * i));
		p += 2 + 4 * cnt;
	}
	fvalue_set_u32(&v[0], T_BOOL, found);
	return true;
}

static bool
bi_path_mask(struct frun *r, struct fvalue *v)
{
	/* a step for eight pairs of an AS number and an item */
	vm_charge(r, (uint64_t)v[0].len * v[1].mask->cnt / 2);
	fvalue_set_u32(&v[0], T_BOOL, mask_match(v[1].mask, v[0].octets, v[0].len));
	return true;
}

const struct builtin builtin_paths[] = {
	{ "first", BI_METHOD | BI_SHORT, 1, { T_PATH }, T_INT, bi_first },
	{ "last", BI_METHOD | BI_SHORT, 1, { T_PATH }, T_INT, bi_last },
	{ "last_nonaggregated", BI_METHOD, 1, { T_PATH }, T_INT, bi_last_nonaggregated },
	{ "len", BI_METHOD | BI_SHORT, 1, { T_PATH }, T_INT, bi_path_len },
	{ "empty", BI_METHOD | BI_SHORT, 1, { T_PATH }, T_PATH, bi_path_empty },
	{ "prepend", BI_METHOD | BI_FUNC, 2, { T_PATH, T_INT }, T_PATH, bi_prepend },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_PATH, T_INT }, T_PATH, bi_path_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_PATH, T_SET_INT }, T_PATH,
	    bi_path_delete },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_PATH, T_INT }, T_PATH, bi_path_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_PATH, T_SET_INT }, T_PATH,
	    bi_path_filter },
	{ "~", BI_OP, 2, { T_INT, T_PATH }, T_BOOL, bi_as_in_path },
	{ "~", BI_OP, 2, { T_PATH, T_SET_INT }, T_BOOL, bi_path_in_set },
	{ "~", BI_OP, 2, { T_PATH, T_PATH_MASK }, T_BOOL, bi_path_mask },
	{ .name = NULL },
};
