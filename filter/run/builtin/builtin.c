/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of builtins: lookup, and the builtins on values that are no lists, sets,
 * networks or routes. Any thread. Tested by test/unit/test_conf_golden.c and
 * test/net/test_diff.sh. */
#include "filter/run/builtin/builtin.h"
#include "filter/run/frun.h"
#include "filter/run/value.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"
#include "lib/base/scan.h"
#include "lib/base/spell.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/net/ip.h"
#include <stdlib.h>

/* ---- integers and comparison ---- */

static bool
bi_add(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0].i64 = (uint32_t)(v[0].i + v[1].i);
	return true;
}

static bool
bi_sub(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0].i64 = (uint32_t)(v[0].i - v[1].i);
	return true;
}

static bool
bi_mul(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0].i64 = (uint32_t)(v[0].i * v[1].i);
	return true;
}

static bool
bi_div(struct frun *r, struct fvalue *v)
{
	if (!v[1].i)
		return vm_fail(r, "division by zero");
	v[0].i64 = v[0].i / v[1].i;
	return true;
}

static bool
bi_bitand(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0].i64 = v[0].i & v[1].i;
	return true;
}

static bool
bi_bitor(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0].i64 = v[0].i | v[1].i;
	return true;
}

static bool
builtin_compare(struct frun *r, struct fvalue *v, int *c)
{
	/* an undefined value is less than any other */
	if (v[0].type == T_VOID || v[1].type == T_VOID)
		*c = (v[0].type != T_VOID) - (v[1].type != T_VOID);
	else if (!fvalue_cmp(c, &v[0], &v[1]))
		return vm_fail(r, "values of these types can't be compared");
	return true;
}

static bool
bi_lt(struct frun *r, struct fvalue *v)
{
	int c;

	if (!builtin_compare(r, v, &c))
		return false;
	fvalue_set_u32(&v[0], T_BOOL, c < 0);
	return true;
}

static bool
bi_le(struct frun *r, struct fvalue *v)
{
	int c;

	if (!builtin_compare(r, v, &c))
		return false;
	fvalue_set_u32(&v[0], T_BOOL, c <= 0);
	return true;
}

static bool
bi_gt(struct frun *r, struct fvalue *v)
{
	int c;

	if (!builtin_compare(r, v, &c))
		return false;
	fvalue_set_u32(&v[0], T_BOOL, c > 0);
	return true;
}

static bool
bi_ge(struct frun *r, struct fvalue *v)
{
	int c;

	if (!builtin_compare(r, v, &c))
		return false;
	fvalue_set_u32(&v[0], T_BOOL, c >= 0);
	return true;
}

/* ---- strings and byte strings ---- */

static bool
bi_concat(struct frun *r, struct fvalue *v)
{
	uint32_t len = v[0].len + v[1].len;
	char *s;

	if (len > VM_LIST_MAX)
		return vm_fail(r, "the text grows beyond 65535 octets");
	s = arena_alloc(&r->t->arena, len + 1);
	memcpy(s, v[0].str, v[0].len);
	memcpy(s + v[0].len, v[1].str, v[1].len);
	s[len] = '\0';
	v[0].str = s;
	v[0].len = len;
	return true;
}

static bool
bi_glob(struct frun *r, struct fvalue *v)
{
	vm_charge(r, (uint64_t)v[0].len * v[1].len);
	fvalue_set_u32(&v[0], T_BOOL, scan_glob(v[1].str, v[0].str));
	return true;
}

static int
builtin_hex_digit(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	ch |= 32;
	return ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

static bool
bi_from_hex(struct frun *r, struct fvalue *v)
{
	uint8_t *out = arena_alloc(&r->t->arena, v[0].len / 2 + 1);
	const char *s = v[0].str;
	uint32_t n = 0;

	while (*s) {
		if (strchr(": .-", *s)) {
			s++;
			continue;
		}
		if (builtin_hex_digit(s[0]) < 0 || builtin_hex_digit(s[1]) < 0)
			return vm_fail(r, "from_hex() wants pairs of hexadecimal digits");
		out[n++] = (uint8_t)(builtin_hex_digit(s[0]) << 4 |
				     builtin_hex_digit(s[1]));
		s += 2;
	}
	v[0] = (struct fvalue){ .type = T_BYTES, .len = n, .octets = out };
	return true;
}

static bool
bi_format(struct frun *r, struct fvalue *v)
{
	struct strbuf b;

	strbuf_init(&b);
	fvalue_format(&b, &v[0]);
	vm_charge_text(r, b.len);
	if (b.len > VM_LIST_MAX)
		strbuf_truncate(&b, VM_LIST_MAX);
	v[0] = (struct fvalue){ .type = T_STRING, .len = (uint32_t)b.len };
	v[0].str = arena_strndup(&r->t->arena, b.s, b.len);
	strbuf_fini(&b);
	return true;
}

/* ---- sets and parts ---- */

static bool
bi_in_set(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_BOOL, fset_has(v[1].set, &v[0]));
	return true;
}

static bool
bi_quad_in_ip_set(struct frun *r, struct fvalue *v)
{
	v[0] = fvalue_ip(ip4(v[0].i));
	return bi_in_set(r, v);
}

static bool
bi_never(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_BOOL, false);
	return true;
}

static bool
bi_word0(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_INT, v[0].w[0]);
	return true;
}

static bool
bi_word1(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_INT, v[0].w[1]);
	return true;
}

static bool
bi_word2(struct frun *r, struct fvalue *v)
{
	(void)r;
	fvalue_set_u32(&v[0], T_INT, v[0].w[2]);
	return true;
}

static bool
bi_pair(struct frun *r, struct fvalue *v)
{
	if (v[0].i > 0xffff || v[1].i > 0xffff)
		return vm_fail(r, "a part of a pair is larger than 65535");
	v[0].type = T_PAIR;
	v[0].w[1] = v[1].i;
	return true;
}

static bool
bi_lc(struct frun *r, struct fvalue *v)
{
	(void)r;
	v[0].type = T_LC;
	v[0].w[1] = v[1].i;
	v[0].w[2] = v[2].i;
	return true;
}

const struct builtin builtin_values[] = {
	{ "+", BI_OP, 2, { T_INT, T_INT }, T_INT, bi_add },
	{ "-", BI_OP, 2, { T_INT, T_INT }, T_INT, bi_sub },
	{ "*", BI_OP, 2, { T_INT, T_INT }, T_INT, bi_mul },
	{ "/", BI_OP, 2, { T_INT, T_INT }, T_INT, bi_div },
	{ "&", BI_OP, 2, { T_INT, T_INT }, T_INT, bi_bitand },
	{ "|", BI_OP, 2, { T_INT, T_INT }, T_INT, bi_bitor },
	{ "<", BI_OP, 2, { T_ANY, T_ANY }, T_BOOL, bi_lt },
	{ "<=", BI_OP, 2, { T_ANY, T_ANY }, T_BOOL, bi_le },
	{ ">", BI_OP, 2, { T_ANY, T_ANY }, T_BOOL, bi_gt },
	{ ">=", BI_OP, 2, { T_ANY, T_ANY }, T_BOOL, bi_ge },
	{ "++", BI_OP, 2, { T_STRING, T_STRING }, T_STRING, bi_concat },
	{ "++", BI_OP, 2, { T_BYTES, T_BYTES }, T_BYTES, bi_concat },
	{ "append", BI_METHOD | BI_FUNC, 2, { T_STRING, T_STRING }, T_STRING, bi_concat },
	{ "append", BI_METHOD | BI_FUNC, 2, { T_BYTES, T_BYTES }, T_BYTES, bi_concat },
	{ "from_hex", BI_FUNC, 1, { T_STRING }, T_BYTES, bi_from_hex },
	{ "format", BI_FUNC, 1, { T_ANY }, T_STRING, bi_format },
	{ "~", BI_OP, 2, { T_STRING, T_STRING }, T_BOOL, bi_glob },
	{ "~", BI_OP, 2, { T_ANY, T_SET_EMPTY }, T_BOOL, bi_never },
	{ "~", BI_OP, 2, { T_INT, T_SET_INT }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_PAIR, T_SET_PAIR }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_QUAD, T_SET_QUAD }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_QUAD, T_SET_IP }, T_BOOL, bi_quad_in_ip_set },
	{ "~", BI_OP, 2, { T_IP, T_SET_IP }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_RD, T_SET_RD }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_MAC, T_SET_MAC }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_EC, T_SET_EC }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_LC, T_SET_LC }, T_BOOL, bi_in_set },
	{ "~", BI_OP, 2, { T_ENUM_RTS, T_SET_ENUM }, T_BOOL, bi_in_set },
	{ "asn", BI_METHOD, 1, { T_PAIR }, T_INT, bi_word0 },
	{ "data", BI_METHOD, 1, { T_PAIR }, T_INT, bi_word1 },
	{ "asn", BI_METHOD, 1, { T_LC }, T_INT, bi_word0 },
	{ "data1", BI_METHOD, 1, { T_LC }, T_INT, bi_word1 },
	{ "data2", BI_METHOD, 1, { T_LC }, T_INT, bi_word2 },
	{ "(,)", BI_OP, 2, { T_INT, T_INT }, T_PAIR, bi_pair },
	{ "(,,)", BI_OP, 3, { T_INT, T_INT, T_INT }, T_LC, bi_lc },
	{ .name = NULL },
};

/* ---- looking into the table ---- */

static const struct builtin *const parts[] = {
	builtin_values,
	builtin_nets,
	builtin_paths,
	builtin_comms,
	builtin_rpki,
	builtin_tests,
};

#define PART_SHIFT 8 /* index: part << PART_SHIFT | row */

const struct builtin *
builtin_get(uint32_t index)
{
	return &parts[index >> PART_SHIFT][index & ((1u << PART_SHIFT) - 1)];
}

bool
builtin_grows(const struct builtin *b)
{
	return b->argc == 2 && b->result == b->arg[0] && b->arg[0] != b->arg[1] &&
	       (!strcmp(b->name, "prepend") || !strcmp(b->name, "add"));
}

static bool
builtin_fits(uint8_t want, uint8_t have)
{
	if (want == T_ANY || want == have)
		return true;
	if (have == T_SET_EMPTY)
		return ftype_is_set(want);
	return want == T_ENUM_RTS && ftype_is_enum(have);
}

/* builtin_search - the first fitting row after @from (-1: from the start) with the name
 * @name; T_ANY in @type fits if @loose. */
static int
builtin_search(int from, unsigned kind, const char *name, unsigned argc,
    const uint8_t *type, bool loose)
{
	unsigned p = from < 0 ? 0 : (unsigned)from >> PART_SHIFT;
	unsigned i = from < 0 ? 0 : ((unsigned)from & ((1u << PART_SHIFT) - 1)) + 1;

	for (; p < ARRAY_LEN(parts); p++, i = 0) {
		for (; parts[p][i].name; i++) {
			const struct builtin *b = &parts[p][i];
			unsigned k;

			if (!(b->kind & kind) || b->argc != argc || strcmp(b->name, name))
				continue;
			for (k = 0; k < argc && type; k++)
				if (!builtin_fits(b->arg[k], type[k]) &&
				    !(loose && type[k] == T_ANY))
					break;
			if (!type || k == argc)
				return (int)(p << PART_SHIFT | i);
		}
	}
	return -1;
}

int
builtin_find(unsigned kind, const char *name, unsigned argc, const uint8_t *type)
{
	return builtin_search(-1, kind, name, argc, type, false);
}

int
builtin_any(unsigned kind, const char *name, unsigned argc, const uint8_t *types)
{
	return builtin_search(-1, kind, name, argc, types, true);
}

enum ftype
builtin_result(unsigned kind, const char *name, unsigned argc, const uint8_t *types)
{
	int i = builtin_search(-1, kind, name, argc, types, true);
	enum ftype t = i < 0 ? T_ANY : builtin_get((uint32_t)i)->result;

	while (i >= 0) {
		if (builtin_get((uint32_t)i)->result != t)
			return T_ANY;
		i = builtin_search(i, kind, name, argc, types, true);
	}
	return t;
}

bool
builtin_named(unsigned kind, const char *name)
{
	unsigned p, i;

	for (p = 0; p < ARRAY_LEN(parts); p++)
		for (i = 0; parts[p][i].name; i++)
			if (parts[p][i].kind & kind && !strcmp(parts[p][i].name, name))
				return true;
	return false;
}

void
builtin_spell(unsigned kind, struct spell *sp)
{
	for (unsigned p = 0; p < ARRAY_LEN(parts); p++)
		for (unsigned i = 0; parts[p][i].name; i++)
			if (parts[p][i].kind & kind)
				spell_add(sp, parts[p][i].name);
}
