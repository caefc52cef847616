/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about a filter, read off the finished code, instruction by instruction, through
 * all functions that may be called. The facts hold for every run: the facts may name more
 * than one run reads, never less. Any thread.
 *
 * I1  Every instruction has a row in `rows`; an instruction without a row is taken to
 *     read anything.
 * I2  An input that the facts do not name has no influence on the verdict, on the output,
 *     or on the written attributes. (An attribute that is neither read nor written
 *     stays.)
 *
 * Exception to I2: a run that fails because its sets are too large depends on the size of
 * everything. */
#include "filter/run/know.h"
#include "lib/attr/attr_def.h"
#include "lib/base/vec.h"

#include "filter/filter.h"
#include "filter/rpki.h"
#include "filter/run/builtin/builtin.h"
#include "lib/attr/community.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"

enum know {
	K_UNKNOWN,
	K_STACK, /* works on the stack and on variables alone */
	K_ATTR,
	K_SET_ATTR,
	K_CUSTOM,
	K_SET_CUSTOM,
	K_PATH,
	K_NET,
	K_COMM,
	K_CALL,
	K_BUILTIN,
	K_PRINT
};

static const uint8_t rows[FI_CNT] = {
	[FI_CONST] = K_STACK,
	[FI_INT] = K_STACK,
	[FI_LOAD] = K_STACK,
	[FI_STORE] = K_STACK,
	[FI_CLEAR] = K_STACK,
	[FI_POP] = K_STACK,
	[FI_ATTR] = K_ATTR,
	[FI_SET_ATTR] = K_SET_ATTR,
	[FI_UNSET_ATTR] = K_SET_ATTR,
	[FI_CUSTOM] = K_CUSTOM,
	[FI_SET_CUSTOM] = K_SET_CUSTOM,
	[FI_UNSET_CUSTOM] = K_SET_CUSTOM,
	[FI_BUILTIN] = K_BUILTIN,
	[FI_DYNAMIC] = K_BUILTIN,
	[FI_GROW] = K_STACK,
	[FI_DEFINED] = K_STACK,
	[FI_NOT] = K_STACK,
	[FI_EQ] = K_STACK,
	[FI_NE] = K_STACK,
	[FI_JUMP] = K_STACK,
	[FI_JUMP_FALSE] = K_STACK,
	[FI_AND] = K_STACK,
	[FI_OR] = K_STACK,
	[FI_BOOL] = K_STACK,
	[FI_TYPE] = K_STACK,
	[FI_CALL] = K_CALL,
	[FI_RETURN] = K_STACK,
	[FI_RETURN_VOID] = K_STACK,
	[FI_ACCEPT] = K_STACK,
	[FI_REJECT] = K_STACK,
	[FI_ERROR] = K_STACK,
	[FI_PRINT] = K_PRINT,
	[FI_PRINT_END] = K_PRINT,
	[FI_FOR_START] = K_STACK,
	[FI_FOR_NEXT] = K_STACK,
	[FI_EC] = K_STACK,
	[FI_MASK] = K_STACK,
	[FI_ASSERT] = K_STACK,
	[FI_CASE] = K_STACK,
	[FI_PATH_LEN] = K_PATH,
	[FI_PATH_FIRST] = K_PATH,
	[FI_PATH_LAST] = K_PATH,
	[FI_NET_IN] = K_NET,
	[FI_COMM_HAS] = K_COMM,
	[FI_CMP_INT] = K_STACK,
	[FI_PATH_LEN_CMP] = K_PATH,
	[FI_END] = K_STACK,
};

/* ---- finding out ---- */

static void
know_bit_set(uint64_t *w, uint32_t i)
{
	w[i / 64] |= 1ull << (i % 64);
}

static bool
know_bit_has(const uint64_t *w, uint32_t i)
{
	return w[i / 64] >> (i % 64) & 1;
}

static void
know_add_custom(struct fknow_attrs *a, uint32_t id)
{
	if (id & ROUTE_WIRE)
		know_bit_set(a->wire, id & 0xff);
	else
		know_bit_set(a->custom, id);
}

static void
know_add_named(struct fknow_attrs *a, const char *name)
{
	know_bit_set(a->named, (uint32_t)route_attr_find(name));
}

/* Where packets go is said by several attributes together
 * (filter/run/builtin/builtin_gate.c). */
static void
know_add_way(struct fknow *k, const char *name)
{
	static const char *const way[] = { "gw", "ifname", "ifindex", "dest", "gw_mpls",
		"bgp_next_hop", "weight", "onlink" };
	bool in = false;
	unsigned i;

	for (i = 0; i < ARRAY_LEN(way); i++)
		in |= !strcmp(name, way[i]);
	if (!in)
		return;
	know_add_named(&k->read, "gw");
	know_add_named(&k->read, "ifname");
	know_add_named(&k->read, "dest");
	know_add_named(&k->read, "bgp_next_hop");
}

/* know_add_way_written - add the attributes that change with attribute @name. */
static void
know_add_way_written(struct fknow *k, const char *name)
{
	if (!strcmp(name, "bgp_next_hop") || !strcmp(name, "dest"))
		know_add_named(&k->written, "gw");
	if (!strcmp(name, "ifname"))
		know_add_named(&k->written, "gw");
	if (!strcmp(name, "gw") || !strcmp(name, "dest"))
		know_add_named(&k->written, "ifname");
	if (!strcmp(name, "gw") || !strcmp(name, "ifname"))
		know_add_named(&k->written, "dest");
	if (!strcmp(name, "gw") || !strcmp(name, "ifname") || !strcmp(name, "dest"))
		know_add_named(&k->written, "gw_mpls");
}

/* Most work on their operands alone. */
static void
know_add_builtin(struct fknow *k, const struct builtin *b)
{
	if (b->kind & BI_TABLE)
		k->reads |= FILTER_READ_TABLE;
	if (b->kind & BI_NET) {
		k->reads |= FILTER_READ_NET;
		know_add_named(&k->read, "net");
	}
	if (b->kind & (BI_NET | BI_PATH))
		know_add_named(&k->read, "bgp_path");
}

static void
know_look(struct fknow *k, const struct finsn *i)
{
	static const char *const lists[] = {
		[COMM_STD] = "bgp_community",
		[COMM_EXT] = "bgp_ext_community",
		[COMM_LARGE] = "bgp_large_community",
	};

	switch (rows[i->op]) {
	case K_STACK:
	case K_CALL:
		break;
	case K_ATTR:
		k->reads |= route_attr_get(i->arg)->reads;
		know_bit_set(k->read.named, i->arg);
		know_add_way(k, route_attr_get(i->arg)->name);
		break;
	case K_SET_ATTR:
		k->reads |= route_attr_get(i->arg)->set_reads;
		know_bit_set(k->written.named, i->arg);
		know_add_way_written(k, route_attr_get(i->arg)->name);
		know_add_way(k, route_attr_get(i->arg)->name);
		break;
	case K_CUSTOM:
		know_add_custom(&k->read, i->arg);
		break;
	case K_SET_CUSTOM:
		know_add_custom(&k->written, i->arg);
		break;
	case K_PATH:
		know_add_named(&k->read, "bgp_path");
		break;
	case K_NET:
		k->reads |= FILTER_READ_NET;
		know_add_named(&k->read, "net");
		break;
	case K_COMM:
		know_add_named(&k->read, lists[i->n]);
		break;
	case K_BUILTIN:
		know_add_builtin(k, builtin_get(i->arg));
		break;
	case K_PRINT:
		k->reads |= FILTER_READ_VOLATILE;
		break;
	default:
		k->unknown = true;
	}
}

/* Code that is still to be looked at, or has been; each once. */
struct todo {
	const struct fcode **code;
	uint32_t cnt, cap;
};

static void
know_todo_add(struct todo *t, const struct fcode *c)
{
	uint32_t i;

	for (i = 0; i < t->cnt; i++)
		if (t->code[i] == c)
			return;
	t->code = vec_room(MEM_OTHER, t->code, &t->cap, t->cnt + 1, sizeof(*t->code));
	t->code[t->cnt++] = c;
}

void
fcode_know(struct fknow *k, const struct fcode *c)
{
	struct todo t = { .cnt = 0 };
	uint32_t at, i;

	*k = (struct fknow){ .use = c->use, .use_cnt = c->use_cnt };
	know_todo_add(&t, c);
	for (at = 0; at < t.cnt; at++) {
		c = t.code[at];
		k->insn_cnt += c->insn_cnt;
		for (i = 0; i < c->insn_cnt; i++)
			know_look(k, &c->insn[i]);
		for (i = 0; i < c->callee_cnt; i++)
			know_todo_add(&t, &c->callee[i]->code);
	}
	k->func_cnt = t.cnt - 1;
	if (k->unknown)
		k->reads = UINT32_MAX;
	mem_free(MEM_OTHER, t.code);
}

/* ---- asking ---- */

static bool
know_has_named(const struct fknow_attrs *a, const char *name)
{
	int i = route_attr_find(name);

	return i >= 0 && know_bit_has(a->named, (uint32_t)i);
}

static bool
know_has_custom(const struct fknow_attrs *a, uint32_t id)
{
	return id & ROUTE_WIRE ? know_bit_has(a->wire, id & 0xff)
			       : know_bit_has(a->custom, id);
}

bool
fknow_is_stack_only(const struct finsn *i)
{
	if (i->op == FI_BUILTIN)
		return !(
		    builtin_get(i->arg)->kind & (BI_TABLE | BI_NET | BI_PATH | BI_TEST));
	return rows[i->op] == K_STACK || rows[i->op] == K_CALL;
}

bool
fknow_writes_attr(const struct fknow *k, const char *name)
{
	return k->unknown || know_has_named(&k->written, name);
}

bool
fknow_writes_custom(const struct fknow *k, uint32_t id)
{
	return k->unknown || know_has_custom(&k->written, id);
}

/* The receiver of names. */
struct know_printer {
	fknow_fn fn;
	void *arg;
};

PRINTF_LIKE(2, 3)
static void
know_print(const struct know_printer *t, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	t->fn(t->arg, b.s);
	strbuf_fini(&b);
}

static void
know_print_known_attrs(const struct know_printer *t, const struct fknow_attrs *a,
    const struct custom_attr *custom, unsigned custom_cnt)
{
	uint32_t i;

	for (i = 0; i < FKNOW_ATTRS; i++)
		if (know_bit_has(a->named, i))
			know_print(t, "%s", route_attr_get(i)->name);
	for (i = 0; i < 256; i++)
		if (know_bit_has(a->wire, i))
			know_print(t, "path attribute %u", i);
	for (i = 1; i <= custom_cnt && i <= CUSTOM_MAX; i++)
		if (know_bit_has(a->custom, i))
			know_print(t, "%s", custom[i - 1].name);
}

void
fknow_reads(const struct fknow *k, const struct custom_attr *custom, unsigned custom_cnt,
    fknow_fn fn, void *arg)
{
	const struct know_printer t = { fn, arg };
	uint32_t i;

	if (k->unknown)
		know_print(&t, "anything");
	else
		know_print_known_attrs(&t, &k->read, custom, custom_cnt);
	for (i = 0; i < k->use_cnt; i++)
		know_print(&t, "table %s", k->use[i].table->name);
}

void
fknow_writes(const struct fknow *k, const struct custom_attr *custom, unsigned custom_cnt,
    fknow_fn fn, void *arg)
{
	const struct know_printer t = { fn, arg };

	if (k->unknown)
		know_print(&t, "anything");
	else
		know_print_known_attrs(&t, &k->written, custom, custom_cnt);
}

/* Names, with commas between. */
struct names {
	struct strbuf *b;
	bool any;
};

static void
know_add_name(void *arg, const char *name)
{
	struct names *n = arg;

	if (n->any)
		strbuf_adds(n->b, ", ");
	n->any = true;
	strbuf_adds(n->b, name);
}

void
fknow_print_reads(struct strbuf *b, const struct fknow *k,
    const struct custom_attr *custom, unsigned custom_cnt)
{
	struct names n = { b, false };

	fknow_reads(k, custom, custom_cnt, know_add_name, &n);
	if (!n.any)
		strbuf_adds(b, "nothing");
}

void
fknow_print_writes(struct strbuf *b, const struct fknow *k,
    const struct custom_attr *custom, unsigned custom_cnt)
{
	struct names n = { b, false };

	fknow_writes(k, custom, custom_cnt, know_add_name, &n);
	if (!n.any)
		strbuf_adds(b, "nothing");
}

const char *
fknow_holds(const struct fknow *k)
{
	if (k->reads & FILTER_READ_VOLATILE)
		return "for one route and run";
	if (k->reads & FILTER_READ_TABLE)
		return "for one route, while the tables stand";
	if (k->reads & FILTER_READ_NET)
		return "for one route";
	if (k->reads & FILTER_READ_SOURCE)
		return "for an attribute set and source";
	return "for an attribute set";
}

bool
filter_writes_path(const struct filter *f)
{
	struct fknow k;

	fcode_know(&k, &f->code);
	return fknow_writes_attr(&k, "bgp_path") ||
	       fknow_writes_custom(&k, ROUTE_WIRE | ATTR_AS_PATH);
}
