/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random filters that are valid, as text (but for constants that divide by zero), and
 * random routes for them. What each random choice comes from is the caller's: a seed, or
 * what a fuzzer gives. */
#ifndef TERN_TEST_LIB_FILTER_GEN_H
#define TERN_TEST_LIB_FILTER_GEN_H

#include "test/lib/filter_run.h"
#include "test/lib/seed.h"

#define GEN_VARIANTS 4 /* values of an input; 0: absent, or the first */

/* Inputs of a filter. The name is that of the attribute. */
enum gen_input {
	IN_NET,
	IN_PROTO,
	IN_FROM,
	IN_SOURCE,
	IN_DEST,
	IN_PREFERENCE,
	IN_IGP,
	IN_ORIGIN,
	IN_PATH,
	IN_NEXT_HOP,
	IN_MED,
	IN_LOCAL_PREF,
	IN_COMMUNITY,
	IN_ORIGINATOR,
	IN_EXT,
	IN_LARGE,
	IN_OTC,
	IN_OWN_INT, /* attribute int own_i */
	IN_OWN_LIST, /* attribute clist own_l */
	IN_WIRE, /* attribute bgp 200 */
	IN_CNT
};

static const char *const gen_names[IN_CNT] = { "net", "proto", "from", "source", "dest",
	"preference", "igp_metric", "bgp_origin", "bgp_path", "bgp_next_hop", "bgp_med",
	"bgp_local_pref", "bgp_community", "bgp_originator_id", "bgp_ext_community",
	"bgp_large_community", "bgp_otc", "own_i", "own_l", "wire" };

#define GEN_WIRE_CODE 200
static const char gen_header[] =
    "attribute int own_i;\nattribute clist own_l;\nattribute bgp 200 bytestring wire;\n"
    "roa4 table r4;\n"
    "function long_path() { return bgp_path.len > 2; }\n"
    "function near() { return from ~ [10.0.0.0/8{8,32}] || proto ~ \"p*1\"; }\n"
    "function mark(int x) { bgp_large_community.add((65000, x, net.len)); return x; }\n"
    "function count(int n) { if n > 3 then return n; return count(n + 1); }\n";

/* A route, made of a variant of each input. */
struct world {
	uint8_t variant[IN_CNT];
	struct route_source src;
	struct route_view view;
	struct arena arena;
	struct attr_edit edit;
	struct attr_set *set;
	struct wire_set *wire;
};

/* lives: the test's. */
struct filter_gen {
	uint32_t (*below)(struct filter_gen *g, uint32_t n); /* a choice, below n */
	struct seed s; /* for whoever takes choices from a seed */
	const uint8_t *bytes; /* for whoever takes them from octets */
	size_t len;
	struct strbuf b; /* the text so far */
	unsigned vars; /* int variables v0 ... that are in scope */
	uint16_t own_i, own_l; /* ids */
};

static inline uint32_t
gen_below(struct filter_gen *g, uint32_t n)
{
	return g->below(g, n);
}

/* gen_chance - once in @n. */
static inline bool
gen_chance(struct filter_gen *g, uint32_t n)
{
	return gen_below(g, n) == 0;
}

static inline uint32_t
gen_from_seed(struct filter_gen *g, uint32_t n)
{
	return seed_below(&g->s, n);
}

/* gen_from_bytes - the same choices for the same octets; at their end always the last
 * one. */
static inline uint32_t
gen_from_bytes(struct filter_gen *g, uint32_t n)
{
	if (!g->len)
		return n - 1;
	g->len--;
	return *g->bytes++ % n;
}

/* ---- routes ---- */

static inline void
filter_gen_put_wire(struct world *w, uint8_t code, const void *p, uint32_t len)
{
	ASSERT(!attr_edit_set(&w->edit, code, attr_flags(code), p, len));
}

static inline void
filter_gen_put_u32(struct world *w, uint8_t code, uint32_t v)
{
	ASSERT(!attr_edit_set_u32(&w->edit, code, v));
}

static inline void
put_words(struct world *w, uint8_t code, unsigned words, unsigned variant)
{
	uint8_t buf[64];
	unsigned i, cnt = words * variant;

	for (i = 0; i < cnt; i++)
		put_be32(buf + 4 * i,
		    i % words ? i : 65000u << (words == 1 ? 16 : 0) | (i + variant));
	filter_gen_put_wire(w, code, buf, 4 * cnt);
}

static inline void
filter_gen_put_path(struct world *w, unsigned variant)
{
	uint8_t buf[64] = { AS_SEQUENCE, (uint8_t)variant };
	unsigned i;

	for (i = 0; i < variant; i++)
		put_be32(buf + 2 + 4 * i, 64500 + variant * i);
	filter_gen_put_wire(w, ATTR_AS_PATH, buf, 2 + 4 * variant);
}

static inline void
filter_gen_put(struct world *w, const struct filter_gen *g, enum gen_input in)
{
	unsigned v = w->variant[in];
	uint32_t pair = v << 16 | 7;
	uint8_t origin = (uint8_t)(v % 3);

	switch (in) {
	case IN_ORIGIN:
		filter_gen_put_wire(w, ATTR_ORIGIN, &origin, 1);
		break;
	case IN_PATH:
		filter_gen_put_path(w, v);
		break;
	case IN_NEXT_HOP:
		filter_gen_put_u32(w, ATTR_NEXT_HOP, 0x0a000000 + v);
		break;
	case IN_MED:
		filter_gen_put_u32(w, ATTR_MED, v);
		break;
	case IN_LOCAL_PREF:
		filter_gen_put_u32(w, ATTR_LOCAL_PREF, 100 * v);
		break;
	case IN_COMMUNITY:
		put_words(w, ATTR_COMMUNITY, 1, v);
		break;
	case IN_ORIGINATOR:
		filter_gen_put_u32(w, ATTR_ORIGINATOR_ID, v);
		break;
	case IN_EXT:
		put_words(w, ATTR_EXT_COMMUNITY, 2, v);
		break;
	case IN_LARGE:
		put_words(w, ATTR_LARGE_COMMUNITY, 3, v);
		break;
	case IN_OTC:
		filter_gen_put_u32(w, ATTR_OTC, v);
		break;
	case IN_OWN_INT:
		ASSERT(!attr_edit_set_custom(&w->edit, g->own_i, T_INT, &v, 4));
		break;
	case IN_OWN_LIST:
		ASSERT(!attr_edit_set_custom(&w->edit, g->own_l, T_CLIST, &pair, 4));
		break;
	case IN_WIRE:
		filter_gen_put_wire(w, GEN_WIRE_CODE, &v, 1);
		break;
	default:
		break;
	}
}

static inline void
filter_gen_freeze(struct world *w)
{
	uint64_t *custom = NULL;
	uint8_t *data = NULL;
	int len = attr_edit_wire(&w->edit, &data);
	int clen = attr_edit_custom(&w->edit, &custom);

	ASSERT(len >= 0 && clen >= 0);
	w->wire = calloc(1, sizeof(*w->wire) + (size_t)len);
	w->set = calloc(1, sizeof(*w->set) + (size_t)clen);
	w->wire->len = (uint16_t)len;
	if (len)
		memcpy(w->wire->data, data, (size_t)len);
	wire_fill(w->wire);
	w->set->wire = w->wire;
	w->set->local = w->edit.local;
	w->set->local.custom_words = (uint16_t)(clen / 8);
	if (clen)
		memcpy(attr_custom(w->set), custom, (size_t)clen);
	attr_edit_init(&w->edit, &w->arena, w->set);
	w->view.set = w->set;
}

/* The route whose inputs have the variants in w->variant. */
static inline void
world_make(struct world *w, const struct filter_gen *g)
{
	static const char *const protos[] = { "p1", "peer", "p21", "x" };
	static struct wire_set none;
	static const struct attr_set base = { .wire = &none };
	const uint8_t *v = w->variant;
	unsigned i;

	none.origin = ORIGIN_INCOMPLETE;
	arena_init(&w->arena, MEM_OTHER, 4096);
	w->src = (struct route_source){ .proto = protos[v[IN_PROTO]],
		.from = ip4(0x0a000001u * v[IN_FROM]) };
	w->view = (struct route_view){
		.net = prefix_make(ip4(0x0a000000u + (uint32_t)v[IN_NET] * 0x1010000u),
		    12u + 4u * v[IN_NET], FAM_IP4),
		.src = &w->src,
	};
	attr_edit_init(&w->edit, &w->arena, &base);
	w->edit.local = (struct attr_local){ 100u + v[IN_PREFERENCE], v[IN_IGP],
		(uint8_t)(DEST_UNICAST + v[IN_DEST]), (uint8_t)(v[IN_SOURCE] + 1), 0 };
	for (i = 0; i < IN_CNT; i++)
		if (v[i])
			filter_gen_put(w, g, (enum gen_input)i);
	filter_gen_freeze(w);
}

static inline void
world_free(struct world *w)
{
	free(w->set);
	free(w->wire);
	arena_fini(&w->arena);
}

static inline void
world_random(struct world *w, struct filter_gen *g)
{
	unsigned i;

	for (i = 0; i < IN_CNT; i++)
		w->variant[i] = (uint8_t)gen_below(g, GEN_VARIANTS);
}

/* ---- filters ---- */

static inline void gen_bool(struct filter_gen *g, unsigned depth);
static inline void filter_gen_stmts(struct filter_gen *g, unsigned depth);

static inline void
gen_text_add(struct filter_gen *g, const char *s)
{
	strbuf_adds(&g->b, s);
}

static inline const char *
one_of(struct filter_gen *g, const char *const *list, unsigned cnt)
{
	return list[gen_below(g, cnt)];
}

#define ONE_OF(g, list) one_of(g, list, ARRAY_LEN(list))

static inline void
gen_int(struct filter_gen *g, unsigned depth)
{
	static const char *const leaf[] = { "preference", "igp_metric", "bgp_path.len",
		"bgp_path.first", "bgp_path.last", "net.len", "bgp_community.len",
		"bgp_large_community.len", "bgp_ext_community.len", "own_l.len",
		"bgp_med", "bgp_local_pref", "bgp_otc", "own_i", "count(1)", "mark(2)",
		"bgp_path.last_nonaggregated" };
	static const char *const op[] = { " + ", " - ", " * ", " / " };

	if (depth && gen_chance(g, 3)) {
		gen_text_add(g, "(");
		gen_int(g, depth - 1);
		gen_text_add(g, ONE_OF(g, op));
		gen_int(g, depth - 1);
		gen_text_add(g, ")");
	} else if (gen_chance(g, 3)) {
		strbuf_addf(&g->b, "%u", gen_below(g, 5));
	} else if (g->vars && gen_chance(g, 3)) {
		strbuf_addf(&g->b, "v%u", gen_below(g, g->vars));
	} else {
		gen_text_add(g, ONE_OF(g, leaf));
	}
}

static inline void
gen_compare(struct filter_gen *g, unsigned depth)
{
	static const char *const op[] = { " = ", " != ", " < ", " >= ", " ~ " };
	const char *o = ONE_OF(g, op);

	gen_int(g, depth);
	gen_text_add(g, o);
	if (o[1] == '~')
		gen_text_add(g, "[0, 2..3, 100..101, 64500..64503]");
	else
		gen_int(g, depth);
}

static inline void
gen_bool(struct filter_gen *g, unsigned depth)
{
	static const char *const leaf[] = { "net ~ [10.0.0.0/8{12,17}, 11.0.0.0/8+]",
		"net = 11.0.0.0/16", "from = 10.0.0.1", "proto = \"peer\"", "near()",
		"long_path()", "source = RTS_STATIC", "dest = RTD_UNICAST",
		"bgp_origin = ORIGIN_EGP", "bgp_next_hop = 10.0.0.2",
		"bgp_path ~ [= * 64500 * =]", "bgp_path ~ [64502..64506]",
		"(65000, 2) ~ bgp_community", "bgp_community ~ [(65000, 3..9)]",
		"(65000, 1, 2) ~ bgp_large_community", "bgp_ext_community ~ [(rt, 0, *)]",
		"(2, 7) ~ own_l", "wire = hex:01", "bgp_originator_id = 0.0.0.2",
		"bgp_community.empty = bgp_community", "roa_check(r4) = ROA_UNKNOWN",
		"roa_check(r4, net, 5) = ROA_VALID",
		"roa_check(r4, 10.0.0.0/8, bgp_path.last) = ROA_UNKNOWN", "true" };

	switch (gen_below(g, depth ? 7 : 3)) {
	case 0:
		gen_compare(g, depth);
		break;
	case 1:
		strbuf_addf(&g->b, "defined(%s)", gen_names[gen_below(g, IN_CNT)]);
		break;
	case 2:
	case 3:
		gen_text_add(g, ONE_OF(g, leaf));
		break;
	case 4:
		gen_text_add(g, "!(");
		gen_bool(g, depth - 1);
		gen_text_add(g, ")");
		break;
	default:
		gen_text_add(g, "(");
		gen_bool(g, depth - 1);
		gen_text_add(g, gen_chance(g, 2) ? " && " : " || ");
		gen_bool(g, depth - 1);
		gen_text_add(g, ")");
	}
}

static inline void
gen_assign(struct filter_gen *g, unsigned depth)
{
	static const char *const ints[] = { "bgp_med", "bgp_local_pref", "bgp_otc",
		"own_i", "igp_metric", "preference" };
	static const char *const other[] = { "bgp_origin = ORIGIN_IGP",
		"bgp_next_hop = 10.0.0.9", "bgp_path.prepend(64511)",
		"bgp_path = bgp_path.delete([64502..64510])", "bgp_path = +empty+",
		"bgp_community.add((65000, 1))", "bgp_community.delete([(65000, *)])",
		"bgp_community = bgp_community.filter([(*, 1..2)])",
		"bgp_large_community.add((65000, 9, 9))", "bgp_large_community.empty",
		"bgp_ext_community.add((rt, 5, 6))", "own_l.add((1, 1))",
		"own_l = bgp_community", "bgp_community = own_l", "wire = hex:0102",
		"dest = RTD_BLACKHOLE", "unset(bgp_med)", "unset(own_i)", "unset(wire)",
		"unset(bgp_community)", "bgp_originator_id = 1.2.3.4" };

	if (gen_chance(g, 2)) {
		strbuf_addf(&g->b, "%s = ", ONE_OF(g, ints));
		gen_int(g, depth);
	} else {
		gen_text_add(g, ONE_OF(g, other));
	}
	gen_text_add(g, ";\n");
}

static inline void
gen_loop(struct filter_gen *g, unsigned depth)
{
	static const char *const list[] = { "int i in bgp_path",
		"pair i in bgp_community", "pair i in own_l",
		"lc i in bgp_large_community" };

	strbuf_addf(&g->b, "for %s do {\n", ONE_OF(g, list));
	filter_gen_stmts(g, depth - 1);
	gen_text_add(g, "}\n");
}

static inline void
gen_stmt(struct filter_gen *g, unsigned depth)
{
	unsigned vars;

	switch (gen_below(g, depth ? 8 : 3)) {
	case 0:
		if (gen_chance(g, 3)) {
			static const char *const end[] = { "accept;\n", "reject;\n",
				"reject \"why \", net.len;\n", "print bgp_path;\n",
				"mark(3);\n", "error \"no\";\n" };

			gen_text_add(g, ONE_OF(g, end));
			break;
		}
		/* fall through */
	case 1:
	case 2:
		gen_assign(g, depth);
		break;
	case 3:
		vars = g->vars;
		strbuf_addf(&g->b, "int v%u = ", vars);
		gen_int(g, depth - 1);
		gen_text_add(g, ";\n");
		g->vars++;
		break;
	case 4:
		gen_loop(g, depth);
		break;
	case 5:
		gen_text_add(g, "case ");
		gen_int(g, 1);
		gen_text_add(g, " { 0..1: { ");
		filter_gen_stmts(g, depth - 1);
		gen_text_add(g, "} 2, 64500: { accept; } else: { ");
		filter_gen_stmts(g, depth - 1);
		gen_text_add(g, "} }\n");
		break;
	default:
		gen_text_add(g, "if ");
		gen_bool(g, depth - 1);
		gen_text_add(g, " then {\n");
		filter_gen_stmts(g, depth - 1);
		gen_text_add(g, "}\n");
		if (gen_chance(g, 3)) {
			gen_text_add(g, "else {\n");
			filter_gen_stmts(g, depth - 1);
			gen_text_add(g, "}\n");
		}
	}
}

static inline void
filter_gen_stmts(struct filter_gen *g, unsigned depth)
{
	unsigned vars = g->vars, cnt = 1 + gen_below(g, 3), i;

	for (i = 0; i < cnt; i++)
		gen_stmt(g, depth);
	g->vars = vars;
}

static inline void
gen_filter(struct filter_gen *g, const char *name)
{
	strbuf_addf(&g->b, "filter %s {\n", name);
	g->vars = 0;
	filter_gen_stmts(g, 1 + gen_below(g, 3));
	gen_text_add(g, gen_chance(g, 4) ? "}\n" : "accept;\n}\n");
}

#endif
