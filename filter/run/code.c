/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code as text, and the hash of code for filter_same. The parser's thread generates code;
 * any thread may read the code.
 *
 * Equal trees give equal code, so equal filters have equal instructions and equal
 * constants in equal order, whatever the names and positions. The hash has 128 bits and
 * replaces the comparison. Tested by test/unit/test_vm.c and
 * test/unit/test_conf_golden.c. */
#include "filter/run/code.h"
#include "filter/rpki.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/value.h"
#include "filter/set/mask.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/base/hash.h"
#include "lib/base/strbuf.h"

#define CONST_MAX 200 /* octets of a constant in a listing */

static uint64_t
code_hash_mask(uint64_t h, const struct fpath_mask *m)
{
	uint32_t i;

	for (i = 0; i < m->cnt; i++) {
		const struct mask_item *it = &m->item[i];
		uint32_t w[5] = { it->kind, it->repeat, it->parts, it->lo, it->hi };

		h = hash_bytes(h, w, sizeof(w));
		if (it->kind == MASK_SET)
			h = hash_bytes(h, it->set->hash, sizeof(it->set->hash));
	}
	return hash_u64(h, m->cnt);
}

static uint64_t
code_hash_value(uint64_t h, const struct fvalue *v)
{
	uint32_t len;
	const void *p;

	h = hash_u64(h, v->type | (uint64_t)v->absent << 8);
	if (ftype_is_set(v->type))
		return hash_bytes(h, v->set->hash, sizeof(v->set->hash));
	if (v->type == T_PATH_MASK)
		return code_hash_mask(h, v->mask);
	if (v->type == T_TABLE)
		return hash_bytes(
		    hash_u64(h, v->table->is_roa << 17 | v->table->is_aspa << 16 |
				    v->table->fam << 8 | v->plen),
		    v->table->name, strlen(v->table->name));
	p = fvalue_octets(v, &len);
	return hash_bytes(h, len ? p : "", len);
}

const char *
fcode_file(const struct fcode *c, uint32_t insn)
{
	uint32_t lo = 0, hi = c->part_cnt; /* the part lies in [lo, hi) */

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->part[mid].from <= insn)
			lo = mid;
		else
			hi = mid;
	}
	return c->part[lo].file;
}

void
fcode_hash(struct fcode *c)
{
	uint32_t i;
	unsigned k;

	for (k = 0; k < 2; k++) {
		uint64_t h = hash_bytes(k + 1, c->insn, c->insn_cnt * sizeof(*c->insn));

		h = hash_u64(h, c->slots | (uint64_t)c->steps_max << 16);
		for (i = 0; i < c->konst_cnt; i++)
			h = code_hash_value(h, &c->konst[i]);
		for (i = 0; i < c->callee_cnt;
		     i++) /* an incomplete callee is the function itself */
			h = hash_u64(h,
			    c->callee[i]->complete ? c->callee[i]->code.hash[k] : 0x5e1f);
		c->hash[k] = h;
	}
}

bool
fcode_same(const struct fcode *a, const struct fcode *b)
{
	return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1] &&
	       a->insn_cnt == b->insn_cnt;
}

bool
ffunc_same(const struct ffunc *a, const struct ffunc *b)
{
	return a->arg_cnt == b->arg_cnt && !memcmp(a->arg, b->arg, a->arg_cnt) &&
	       fcode_same(&a->code, &b->code);
}

/* code_add_use - Returns: true: the table was added. */
static bool
code_add_use(
    struct filter_use *to, uint32_t cnt, const struct filter_table *t, bool other_nets)
{
	for (uint32_t i = 0; i < cnt; i++) {
		if (to[i].table == t) {
			to[i].other_nets |= other_nets;
			return false;
		}
	}
	to[cnt] = (struct filter_use){ t, other_nets };
	return true;
}

void
fcode_uses(struct fcode *c, struct arena *a)
{
	struct filter_use *use;
	uint32_t max = 0, cnt = 0, i, k;

	for (i = 0; i < c->konst_cnt; i++)
		max += c->konst[i].type == T_TABLE;
	for (i = 0; i < c->callee_cnt; i++)
		max += c->callee[i]->code.use_cnt;
	if (!max)
		return;
	use = arena_alloc(a, max * sizeof(*use));
	for (i = 0; i < c->konst_cnt; i++)
		if (c->konst[i].type == T_TABLE &&
		    (c->konst[i].table->is_roa || c->konst[i].table->is_aspa))
			cnt += code_add_use(
			    use, cnt, c->konst[i].table, c->konst[i].plen);
	for (i = 0; i < c->callee_cnt; i++) {
		const struct fcode *f = &c->callee[i]->code;

		for (k = 0; k < f->use_cnt; k++)
			cnt += code_add_use(
			    use, cnt, f->use[k].table, f->use[k].other_nets);
	}
	c->use = use;
	c->use_cnt = cnt;
}

static const char *const names[FI_CNT] = {
#define X(name) #name,
	FINSN_TABLE(X)
#undef X
};

/* Truncated: sets and texts may be long. */
static void
code_print_const(struct strbuf *b, const struct fvalue *v)
{
	size_t before = b->len + 1;

	strbuf_addc(b, ' ');
	fvalue_print(b, v);
	if (b->len - before <= CONST_MAX)
		return;
	strbuf_truncate(b, before + CONST_MAX);
	strbuf_adds(b, " ...");
}

static void
code_print_operand(struct strbuf *b, const struct fcode *c, const struct finsn *i)
{
	switch (i->op) {
	case FI_CONST:
	case FI_NET_IN:
	case FI_COMM_HAS:
	case FI_CASE:
	case FI_MASK:
		code_print_const(b, &c->konst[i->arg]);
		break;
	case FI_ATTR:
	case FI_SET_ATTR:
	case FI_UNSET_ATTR:
		strbuf_addf(b, " %s", route_attr_get(i->arg)->name);
		break;
	case FI_BUILTIN:
	case FI_DYNAMIC:
	case FI_GROW:
		strbuf_addf(b, " %s", builtin_get(i->arg)->name);
		break;
	case FI_CALL:
		strbuf_addf(b, " %s", c->callee[i->arg]->code.name);
		break;
	case FI_TYPE:
		strbuf_addf(b, " %s", ftype_name(i->n));
		break;
	case FI_ASSERT:
		strbuf_addf(b, " %s", c->text[i->arg]);
		break;
	default:
		if (i->arg || i->op == FI_INT || i->op == FI_LOAD || i->op == FI_STORE)
			strbuf_addf(b, " %u", i->arg);
	}
}

void
fcode_print(struct strbuf *b, const struct fcode *c)
{
	uint32_t i;

	for (i = 0; i < c->insn_cnt; i++) {
		strbuf_addf(b, "%4u  %-12s", i, names[c->insn[i].op]);
		code_print_operand(b, c, &c->insn[i]);
		strbuf_addc(b, '\n');
	}
}

uint32_t
filter_uses(const struct filter *f, const struct filter_use **out)
{
	*out = f->code.use;
	return f->code.use_cnt;
}
