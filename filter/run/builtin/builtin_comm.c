/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builtins on lists of communities: standard, extended and large lists share every
 * function. The thread of the run calls. Tested by test/unit/test_conf_golden.c and
 * test/net/test_diff.sh. */
#include "filter/value/fvalue.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/frun.h"
#include "filter/run/value.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/attr/community.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"

enum comm_kind
builtin_comm_kind(uint8_t type)
{
	return type == T_CLIST ? COMM_STD : type == T_ECLIST ? COMM_EXT : COMM_LARGE;
}

struct comm
builtin_comm_elem(const struct fvalue *v)
{
	struct comm c = { { 0, 0, 0 } };

	if (v->type == T_QUAD || v->type == T_INT || v->type == T_IP) {
		uint32_t w = v->type == T_IP ? ip_to_v4(v->ip) : v->i;

		c.v[0] = w >> 16;
		c.v[1] = w & 0xffff;
		return c;
	}
	c.v[0] = v->w[0];
	c.v[1] = v->w[1];
	if (v->type == T_LC)
		c.v[2] = v->w[2];
	return c;
}

/* Is the community what is selected: an element, one of a list, or in a set? */
static bool
builtin_comm_selected(struct comm c, const void *arg)
{
	const struct fvalue *sel = arg;
	struct fvalue word;
	struct comm x;

	switch (sel->type) {
	case T_PAIR:
	case T_EC:
	case T_LC:
	case T_QUAD:
	case T_INT:
	case T_IP:
		x = builtin_comm_elem(sel);
		return !memcmp(&c, &x, sizeof(c));
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		return comm_has(builtin_comm_kind(sel->type), sel->octets, sel->len, c);
	case T_SET_EMPTY:
		return false;
	case T_SET_IP:
		word = fvalue_ip(ip4(c.v[0] << 16 | c.v[1]));
		return fset_has(sel->set, &word);
	case T_SET_INT:
	case T_SET_QUAD:
		word = fvalue_u32(
		    sel->type == T_SET_INT ? T_INT : T_QUAD, c.v[0] << 16 | c.v[1]);
		return fset_has(sel->set, &word);
	default:
		return fset_has_words(sel->set, sel->set->elem, c.v);
	}
}

static bool
bi_in_list(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_BOOL,
	    comm_has(builtin_comm_kind(v[1].type), v[1].octets, v[1].len,
		builtin_comm_elem(&v[0])));
	return true;
}

static bool
bi_list_in_set(struct frun *r, struct fvalue *v)
{
	enum comm_kind k = builtin_comm_kind(v[0].type);
	unsigned size = comm_size(k);
	bool found = false;
	uint32_t at;

	vm_charge_lookups(r, v[0].len / size);
	for (at = 0; at + size <= v[0].len && !found; at += size)
		found = builtin_comm_selected(comm_get(k, v[0].octets + at), &v[1]);
	fvalue_set_u32(&v[0], T_BOOL, found);
	return true;
}

static bool
bi_list_len(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_INT, v[0].len / comm_size(builtin_comm_kind(v[0].type)));
	return true;
}

static bool
bi_list_empty(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0] = fvalue_empty(v[0].type);
	return true;
}

static bool
bi_list_add(struct frun *r, struct fvalue *v)
{
	uint8_t *out;
	int len = comm_add(&out, &r->t->arena, builtin_comm_kind(v[0].type), v[0].octets,
	    v[0].len, builtin_comm_elem(&v[1]));

	if (len < 0)
		return vm_fail(r, "the list of communities grows beyond 65535 octets");
	v[0] = (struct fvalue){ .type = v[0].type, .len = (uint32_t)len, .octets = out };
	return true;
}

/* bi_list_add_list - append the elements of the second list that the first list lacks;
 * repetitions in the second list stay. */
static bool
bi_list_add_list(struct frun *r, struct fvalue *v)
{
	enum comm_kind k = builtin_comm_kind(v[0].type);
	uint32_t size = comm_size(k), len = v[0].len, at;
	uint8_t *out;

	if (v[0].len + v[1].len > VM_LIST_MAX)
		return vm_fail(r, "the list of communities grows beyond 65535 octets");
	if (!v[0].len || !v[1].len) {
		if (v[1].len)
			v[0] = v[1];
		return true;
	}
	vm_charge(r, (uint64_t)(v[0].len + v[1].len) * v[1].len / 16);
	out = arena_alloc(&r->t->arena, v[0].len + v[1].len + 1);
	if (v[0].len)
		memcpy(out, v[0].octets, v[0].len);
	for (at = 0; at + size <= v[1].len; at += size) {
		if (comm_has(k, v[0].octets, v[0].len, comm_get(k, v[1].octets + at)))
			continue;
		memcpy(out + len, v[1].octets + at, size);
		len += size;
	}
	v[0] = (struct fvalue){ .type = v[0].type, .len = len, .octets = out };
	return true;
}

static bool
comm_select_list(struct frun *r, struct fvalue *v, bool keep)
{
	uint8_t *out;
	uint32_t len;

	/* if v[1] is a list, the list is searched for each element */
	vm_charge(r, (uint64_t)v[0].len * v[1].len / 16);
	vm_charge_lookups(r, v[0].len / comm_size(builtin_comm_kind(v[0].type)));
	len = comm_select(&out, &r->t->arena, builtin_comm_kind(v[0].type), v[0].octets,
	    v[0].len, &(struct comm_choice){ builtin_comm_selected, &v[1], keep });
	v[0] = (struct fvalue){ .type = v[0].type,
		.absent = v[0].absent && !len,
		.len = len,
		.octets = out };
	return true;
}

static bool
bi_list_delete(struct frun *r, struct fvalue *v)
{
	return comm_select_list(r, v, false);
}

static bool
bi_list_filter(struct frun *r, struct fvalue *v)
{
	return comm_select_list(r, v, true);
}

/* The least or greatest element; an empty list has the one of zeros. */
static bool
builtin_comm_extreme(struct fvalue *v, int want)
{
	enum comm_kind k = builtin_comm_kind(v[0].type);
	uint32_t size = comm_size(k), at;
	struct fvalue best = { .type = k == COMM_STD   ? T_PAIR
				       : k == COMM_EXT ? T_EC
						       : T_LC };

	for (at = 0; at + size <= v[0].len; at += size) {
		struct comm c = comm_get(k, v[0].octets + at);
		struct fvalue x = { .type = best.type };
		int cmp;

		memcpy(x.w, c.v, sizeof(x.w));
		if (!at || (fvalue_cmp(&cmp, &x, &best) && cmp * want > 0))
			best = x;
	}
	v[0] = best;
	return true;
}

static bool
bi_list_min(struct frun *r, struct fvalue *v)
{
	(void)r;
	return builtin_comm_extreme(v, -1);
}

static bool
bi_list_max(struct frun *r, struct fvalue *v)
{
	(void)r;
	return builtin_comm_extreme(v, 1);
}

const struct builtin builtin_comms[] = {
	{ "~", BI_OP, 2, { T_PAIR, T_CLIST }, T_BOOL, bi_in_list },
	{ "~", BI_OP, 2, { T_QUAD, T_CLIST }, T_BOOL, bi_in_list },
	{ "~", BI_OP, 2, { T_INT, T_CLIST }, T_BOOL, bi_in_list },
	{ "~", BI_OP, 2, { T_IP, T_CLIST }, T_BOOL, bi_in_list },
	{ "~", BI_OP, 2, { T_EC, T_ECLIST }, T_BOOL, bi_in_list },
	{ "~", BI_OP, 2, { T_LC, T_LCLIST }, T_BOOL, bi_in_list },
	{ "~", BI_OP, 2, { T_CLIST, T_SET_PAIR }, T_BOOL, bi_list_in_set },
	{ "~", BI_OP, 2, { T_CLIST, T_SET_IP }, T_BOOL, bi_list_in_set },
	{ "~", BI_OP, 2, { T_CLIST, T_SET_QUAD }, T_BOOL, bi_list_in_set },
	{ "~", BI_OP, 2, { T_CLIST, T_SET_INT }, T_BOOL, bi_list_in_set },
	{ "~", BI_OP, 2, { T_ECLIST, T_SET_EC }, T_BOOL, bi_list_in_set },
	{ "~", BI_OP, 2, { T_LCLIST, T_SET_LC }, T_BOOL, bi_list_in_set },
	{ "len", BI_METHOD | BI_SHORT, 1, { T_CLIST }, T_INT, bi_list_len },
	{ "len", BI_METHOD | BI_SHORT, 1, { T_ECLIST }, T_INT, bi_list_len },
	{ "len", BI_METHOD | BI_SHORT, 1, { T_LCLIST }, T_INT, bi_list_len },
	{ "empty", BI_METHOD | BI_SHORT, 1, { T_CLIST }, T_CLIST, bi_list_empty },
	{ "empty", BI_METHOD | BI_SHORT, 1, { T_ECLIST }, T_ECLIST, bi_list_empty },
	{ "empty", BI_METHOD | BI_SHORT, 1, { T_LCLIST }, T_LCLIST, bi_list_empty },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_PAIR }, T_CLIST, bi_list_add },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_QUAD }, T_CLIST, bi_list_add },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_INT }, T_CLIST, bi_list_add },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_IP }, T_CLIST, bi_list_add },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_EC }, T_ECLIST, bi_list_add },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_LC }, T_LCLIST, bi_list_add },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_CLIST }, T_CLIST,
	    bi_list_add_list },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_ECLIST }, T_ECLIST,
	    bi_list_add_list },
	{ "add", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_LCLIST }, T_LCLIST,
	    bi_list_add_list },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_PAIR }, T_CLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_QUAD }, T_CLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_INT }, T_CLIST, bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_IP }, T_CLIST, bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_CLIST }, T_CLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_PAIR }, T_CLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_IP }, T_CLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_INT }, T_CLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_QUAD }, T_CLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_EC }, T_ECLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_ECLIST }, T_ECLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_SET_EC }, T_ECLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_LC }, T_LCLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_LCLIST }, T_LCLIST,
	    bi_list_delete },
	{ "delete", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_SET_LC }, T_LCLIST,
	    bi_list_delete },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_PAIR }, T_CLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_CLIST }, T_CLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_PAIR }, T_CLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_IP }, T_CLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_INT }, T_CLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_CLIST, T_SET_QUAD }, T_CLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_EC }, T_ECLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_ECLIST }, T_ECLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_ECLIST, T_SET_EC }, T_ECLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_LC }, T_LCLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_LCLIST }, T_LCLIST,
	    bi_list_filter },
	{ "filter", BI_METHOD | BI_FUNC, 2, { T_LCLIST, T_SET_LC }, T_LCLIST,
	    bi_list_filter },
	{ "min", BI_METHOD, 1, { T_CLIST }, T_PAIR, bi_list_min },
	{ "min", BI_METHOD, 1, { T_ECLIST }, T_EC, bi_list_min },
	{ "min", BI_METHOD, 1, { T_LCLIST }, T_LC, bi_list_min },
	{ "max", BI_METHOD, 1, { T_CLIST }, T_PAIR, bi_list_max },
	{ "max", BI_METHOD, 1, { T_ECLIST }, T_EC, bi_list_max },
	{ "max", BI_METHOD, 1, { T_LCLIST }, T_LC, bi_list_max },
	{ .name = NULL },
};

/* ---- extended communities from their parts ---- */

bool
ec_kind(const char *name, uint32_t *kind)
{
	if (!strcmp(name, "rt"))
		*kind = EC_RT;
	else if (!strcmp(name, "ro"))
		*kind = EC_RO;
	else if (!strcmp(name, "generic"))
		*kind = EC_GENERIC;
	else
		return false;
	return true;
}

bool
ec_words(uint32_t kind, uint32_t a, bool a_is_ip, uint32_t b, uint32_t out[2])
{
	if (kind == EC_GENERIC) {
		out[0] = a;
		out[1] = b;
		return true;
	}
	if (kind == EC_RT || kind == EC_RO) {
		if (a_is_ip || a > 0xffff) { /* RFC 4360, 3.2; RFC 5668, 2 */
			if (b > 0xffff)
				return false;
			out[0] = (kind | (a_is_ip ? 0x0100 : 0x0200)) << 16 | a >> 16;
			out[1] = a << 16 | b;
			return true;
		}
	}
	if (a > 0xffff || kind > 0xffff)
		return false;
	out[0] = kind << 16 | a;
	out[1] = b;
	return true;
}
