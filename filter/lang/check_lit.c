/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Literals of sets and path masks: the items, and whether the types of the items fit
 * together. The parser's thread calls. Tested by test/unit/test_conf_golden.c. */
#include "filter/lang/ast.h"
#include "filter/lang/check.h"
#include "filter/lang/compile.h"
#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/lang/ext.h"
#include "filter/lang/ext_words.h"
#include "filter/lang/sym.h"
#include "filter/run/builtin/builtin.h"
#include "filter/set/mask.h"
#include "filter/set/pfx_pattern.h"
#include "filter/set/pfxset.h"
#include "filter/set/set.h"
#include "filter/value/fvalue.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"

/* ---- sets ---- */

/* A constant where a set item wants one. */
static bool
lit_item_const(struct fctx *fc, struct fnode *e, struct fvalue *out)
{
	bool before = fc->const_only;
	bool ok;

	fc->const_only = true;
	ok = fctx_const(fc, e, out);
	fc->const_only = before;
	return ok;
}

/* tern accepts empty ranges where BIRD accepts empty ranges. */
static void
lit_warn_empty(struct fctx *fc, struct src_pos pos)
{
	diag_warning(fc->diag, pos, "a range that descends holds no value");
}

/* lit_reads_variable - does @e name a variable or an argument? */
static const struct fnode *
lit_reads_variable(const struct fctx *fc, const struct fnode *e)
{
	const struct fnode *found = NULL;
	const struct sym *s;

	for (; e && !found; e = e->next) {
		s = e->kind == FN_NAME ? sym_find(fc->syms, e->name) : NULL;
		if (s && s->class == SYM_VARIABLE)
			return e;
		if (e->kind == FN_NAME || e->kind == FN_CONST || e->kind == FN_SET)
			continue;
		found = lit_reads_variable(fc, e->a);
		if (!found)
			found = lit_reads_variable(fc, e->b);
	}
	return found;
}

/* lit_is_undefined - is @f, a field of a tuple, an expression of variables? BIRD takes
 * such an item when it reads the file, with whatever the variable's place in the stack
 * holds. Here the item holds nothing. */
static bool
lit_is_undefined(struct fctx *fc, const struct fnode *f)
{
	const struct fnode *v = f->a ? lit_reads_variable(fc, f->a) : NULL;

	if (!v && f->b)
		v = lit_reads_variable(fc, f->b);
	if (v)
		diag_warning(fc->diag, v->pos,
		    "sets are constant, so the item with the variable '%s' never "
		    "matches; VALUE ~ LIST takes variables",
		    v->name);
	return v != NULL;
}

/* lit_field_range - one field of a tuple: *, e or e .. e, as a range of numbers.
 * @ascend: the range must ascend. */
static bool
lit_field_range(struct fctx *fc, const struct fnode *f, uint32_t max, bool ascend,
    uint32_t *lo, uint32_t *hi)
{
	struct fvalue a, b;

	*lo = 0;
	*hi = max;
	if (!f->a)
		return true;
	if (!lit_item_const(fc, f->a, &a))
		return false;
	b = a;
	if (f->b && !lit_item_const(fc, f->b, &b))
		return false;
	if (a.type != T_INT || b.type != T_INT) {
		diag_error(
		    fc->diag, f->pos, "a number, a range of numbers or * is wanted here");
		return false;
	}
	if (a.i > max || b.i > max || (ascend && a.i > b.i)) {
		diag_error(fc->diag, f->pos, "numbers here must ascend, up to %u", max);
		return false;
	}
	if (a.i > b.i)
		lit_warn_empty(fc, f->pos);
	*lo = a.i;
	*hi = b.i;
	return true;
}

static bool
lit_ec_item(struct fctx *fc, struct fset_item *it, uint32_t kind, const struct fnode *fa,
    const struct fnode *fb)
{
	struct fvalue a;
	uint32_t lo, hi, max;
	bool ip, wide;

	it->elem = T_EC;
	if (!fa->a || fa->b) {
		diag_error(fc->diag, fa->pos,
		    "only the last part of an extended community can be "
		    "a range or *");
		return false;
	}
	if (!lit_item_const(fc, fa->a, &a))
		return false;
	ip = a.type == T_IP;
	if (a.type != T_INT && !ip) {
		diag_error(fc->diag, fa->pos, "an AS number or address is wanted here");
		return false;
	}
	if (ip && !ip_is_v4(a.ip)) {
		diag_error(fc->diag, fa->pos,
		    "an extended community can't hold an IPv6 address");
		return false;
	}
	if (ip) {
		a.i = ip_to_v4(a.ip);
		ext_add(fc->diag->ext, fa->pos, KNOWN_TERN,
		    "an address in an item of a set of extended communities");
	}
	if (lit_is_undefined(fc, fb)) {
		it->is_void = true;
		return true;
	}
	wide = (kind == EC_RT || kind == EC_RO) && (ip || a.i > 0xffff);
	max = wide ? 0xffff : UINT32_MAX;
	if (!lit_field_range(fc, fb, max, false, &lo, &hi))
		return false;
	if (!ec_words(kind, a.i, ip, lo, it->lo) ||
	    !ec_words(kind, a.i, ip, hi, it->hi)) {
		diag_error(
		    fc->diag, fa->pos, "a part of the extended community is too large");
		return false;
	}
	return true;
}

/* lit_ext_item - a part of a large community behind `*` or a range must be `*` in BIRD.
 */
static void
lit_ext_item(struct fctx *fc, const struct fnode *f, unsigned cnt)
{
	for (; cnt == 3 && f->next; f = f->next)
		if ((!f->a || f->b) && f->next->a)
			ext_add(fc->diag->ext, f->next->pos, KNOWN_TERN,
			    "a number behind a range or * in an item of a set");
}

static bool
lit_tuple_item(struct fctx *fc, const struct fnode *n, struct fset_item *it)
{
	const struct fnode *f = n->a;
	unsigned cnt = 0, k = 0;
	uint32_t kind;

	for (; f; f = f->next)
		cnt++;
	f = n->a;
	if (n->op == OP_UNKNOWN) {
		struct fvalue v;

		if (!lit_item_const(fc, f->a, &v))
			return false;
		if (v.type != T_INT || v.i > 0xffff) {
			diag_error(fc->diag, f->pos,
			    "a kind of extended community is a number up to "
			    "0xffff");
			return false;
		}
		return lit_ec_item(fc, it, v.i, f->next, f->next->next);
	}
	if (cnt == 3 && f->a && f->a->kind == FN_NAME && ec_kind(f->a->name, &kind))
		return lit_ec_item(fc, it, kind, f->next, f->next->next);
	it->elem = cnt == 2 ? T_PAIR : T_LC;
	for (const struct fnode *x = f; x && !it->is_void; x = x->next) {
		it->is_void = lit_is_undefined(fc, x);
		if (it->is_void &&
		    (x == f ? !x->b || lit_reads_variable(fc, x->a) : !f->a))
			ext_add(fc->diag->ext, x->pos, KNOWN_TERN,
			    "a variable at this place of an item of a set");
	}
	if (it->is_void)
		return true;
	lit_ext_item(fc, f, cnt);
	for (; f; f = f->next, k++)
		if (!lit_field_range(fc, f, cnt == 2 ? 0xffff : UINT32_MAX, cnt == 2,
			&it->lo[k], &it->hi[k]))
			return false;
	return true;
}

/* A value as both ends of a range. */
static bool
lit_value_item(
    struct fctx *fc, struct src_pos pos, const struct fvalue *v, struct fset_item *it)
{
	unsigned k;

	it->elem = v->type;
	if (v->type == T_VOID && fc->bad_const)
		return false;
	if (ftype_set_of(v->type) == T_VOID || v->type == T_PREFIX) {
		diag_error(fc->diag, pos, "a set can't hold values of type %s",
		    ftype_name(v->type));
		return false;
	}
	for (k = 0; k < 3; k++)
		it->lo[k] = it->hi[k] = v->w[k];
	if (v->type == T_IP) {
		it->lo[0] = it->hi[0] = (uint32_t)(v->ip.hi >> 32);
		it->lo[1] = it->hi[1] = (uint32_t)v->ip.hi;
		it->lo[2] = it->hi[2] = (uint32_t)(v->ip.lo >> 32);
		it->lo[3] = it->hi[3] = (uint32_t)v->ip.lo;
	}
	return true;
}

static bool
lit_single_item(struct fctx *fc, const struct fnode *n, struct fset_item *it)
{
	struct fvalue v;

	if (n->a->next) {
		if (!lit_tuple_item(fc, n, it))
			return false;
	} else if (n->a->b) { /* (a .. b) */
		it->elem = T_INT;
		if (!lit_field_range(fc, n->a, UINT32_MAX, true, &it->lo[0], &it->hi[0]))
			return false;
	} else {
		if (!n->a->a) {
			diag_error(fc->diag, n->pos, "a value is wanted here");
			return false;
		}
		if (!lit_item_const(fc, n->a->a, &v) ||
		    !lit_value_item(fc, n->pos, &v, it))
			return false;
	}
	return true;
}

static bool
check_lit_range_end(struct fctx *fc, const struct fnode *n, struct fset_item *it)
{
	if (!lit_single_item(fc, n, it))
		return false;
	if (it->is_void || !memcmp(it->lo, it->hi, sizeof(it->lo)))
		return true;
	diag_error(fc->diag, n->pos, "an end of a range is one value");
	return false;
}

static bool
lit_one_item(struct fctx *fc, const struct fnode *n, struct fset_item *it)
{
	struct fset_item last = { 0 };
	unsigned k = 0;

	if (!n->c)
		return lit_single_item(fc, n, it);
	if (!check_lit_range_end(fc, n, it) || !check_lit_range_end(fc, n->c, &last))
		return false;
	if (last.elem != it->elem) {
		diag_error(fc->diag, n->c->pos, "a range from %s to %s",
		    ftype_name(it->elem), ftype_name(last.elem));
		return false;
	}
	it->is_void |= last.is_void;
	memcpy(it->hi, last.hi, sizeof(it->hi));
	while (k < 3 && it->lo[k] == it->hi[k])
		k++;
	if (it->lo[k] > it->hi[k] && !it->is_void)
		lit_warn_empty(fc, n->pos);
	if (it->elem == T_PAIR && !it->is_void &&
	    (it->lo[0] > it->hi[0] || it->lo[1] > it->hi[1]))
		ext_add(
		    fc->diag->ext, n->pos, KNOWN_TERN, "a range of pairs that descends");
	it->ordered = true;
	return true;
}

/* Does the node name a constant prefix? Then it belongs to a prefix set. */
static bool
lit_prefix_item(struct fctx *fc, const struct fnode *n, struct pfx_pattern *out)
{
	struct sym *s;

	if (n->a->next || n->a->b || !n->a->a || n->c || n->a->a->kind != FN_NAME)
		return false;
	s = sym_find(fc->syms, n->a->a->name);
	if (!s || s->class != SYM_CONSTANT || s->value.type != T_PREFIX ||
	    s->value.fam == FVALUE_NET)
		return false;
	ext_set_prefix(fc->diag, n->pos, n->a->a->name);
	*out = (struct pfx_pattern){ s->value.ip, s->value.plen, s->value.plen,
		s->value.plen, s->value.fam };
	return true;
}

static const struct fset *
lit_prefix_set(struct fctx *fc, struct src_pos pos, struct set_lit *l)
{
	struct ast tree = { .scratch = fc->scratch, .diag = fc->diag };
	struct pfx_pattern p, *pat;
	const struct fset *s;
	struct fnode *n;

	for (n = l->item; n; n = n->next) {
		if (lit_prefix_item(fc, n, &p)) {
			set_lit_prefix(&tree, l, &p);
			continue;
		}
		diag_error(fc->diag, n->pos,
		    "a prefix is wanted here, as in the rest of the set");
		return NULL;
	}
	pat = set_lit_patterns(l);
	for (uint32_t i = 1; i < l->pat_cnt; i++)
		if (pat[i].fam != pat[0].fam)
			ext_add(fc->diag->ext, pos, KNOWN_TERN,
			    "a set with prefixes of both families");
	s = fset_of_prefixes(fc->out, pfxset_build(fc->out, pat, l->pat_cnt));
	mem_free(MEM_CONFIG, pat);
	return s;
}

const struct fset *
check_set(struct fctx *fc, struct src_pos pos, struct set_lit *l)
{
	struct fset_item *items = NULL;
	struct frange32 *nums;
	const struct fset *s;
	enum ftype elem = l->num_cnt ? T_INT : T_VOID;
	struct pfx_pattern p;
	struct fnode *n;

	if (l->pat_cnt || (l->item && !l->num_cnt && lit_prefix_item(fc, l->item, &p))) {
		if (!l->num_cnt)
			return lit_prefix_set(fc, pos, l);
		diag_error(fc->diag, pos, "a set can't hold both prefixes and numbers");
		return NULL;
	}
	for (n = l->item; n; n = n->next) {
		struct fset_item *it = arena_zalloc(fc->scratch, sizeof(*it));

		if (!lit_one_item(fc, n, it))
			return NULL;
		if (elem == T_VOID)
			elem = it->elem;
		if (it->elem != elem) {
			diag_error(fc->diag, n->pos, "a set can't hold both %s and %s",
			    ftype_name(elem), ftype_name(it->elem));
			return NULL;
		}
		if (it->is_void)
			continue;
		it->next = items;
		items = it;
	}
	nums = set_lit_nums(l);
	s = fset_build(fc->out, elem, items, nums, l->num_cnt);
	mem_free(MEM_CONFIG, nums);
	return s;
}

/* ---- path masks ---- */

/* check_lit_mask_part - one part of a mask, folded to a constant if possible. Returns:
 * number of values found at run time (0 or 1). */
static unsigned
check_lit_mask_part(struct fctx *fc, struct fnode *e, struct mask_item *it, uint32_t *out)
{
	enum ftype t = check_expr(fc, e);

	if (t != T_ANY && t != T_INT && t != T_SET_INT && t != T_SET_EMPTY) {
		diag_error(fc->diag, e->pos,
		    "parts of a path mask are AS numbers or sets of AS numbers, not of "
		    "type %s",
		    ftype_name(t));
		return 0;
	}
	if (e->kind != FN_CONST)
		return 1;
	if (t == T_INT) {
		*out = e->value.i;
	} else if (t != T_ANY) { /* T_ANY: a definition with an error */
		it->kind = MASK_SET;
		it->set = e->value.set;
	}
	return 0;
}

/* The mask with all that is constant; run-time parts are marked and stay in the tree. */
enum ftype
check_mask(struct fctx *fc, struct fnode *n)
{
	struct fpath_mask *m;
	struct fnode *x;
	unsigned cnt = 0, parts = 0;

	for (x = n->a; x; x = x->next)
		cnt++;
	if (cnt > MASK_ITEM_MAX) {
		diag_error(
		    fc->diag, n->pos, "a path mask has at most %d parts", MASK_ITEM_MAX);
		return T_ANY;
	}
	m = arena_zalloc(fc->out, sizeof(*m) + cnt * sizeof(m->item[0]));
	m->cnt = cnt;
	for (cnt = 0, x = n->a; x; x = x->next, cnt++) {
		struct mask_item *it = &m->item[cnt];

		it->kind = x->op;
		m->any |= (uint64_t)(x->op == MASK_ANY) << cnt;
		it->repeat = x->flag;
		if (!x->a)
			continue;
		it->parts = (uint8_t)check_lit_mask_part(fc, x->a, it, &it->lo);
		it->hi = it->lo;
		if (x->b) {
			unsigned hi = check_lit_mask_part(fc, x->b, it, &it->hi);

			/* either both ends are found at run time, or none */
			it->parts = it->parts || hi ? 2 : 0;
		}
		parts += it->parts;
	}
	n->value = (struct fvalue){ .type = T_PATH_MASK, .mask = m };
	n->index = parts;
	if (!parts)
		n->kind = FN_CONST;
	return T_PATH_MASK;
}
