/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators, methods and functions of the language: one table, chosen by name and
 * operand types. Owner: none, the table is constant. Life: static, never freed. Loop:
 * any thread reads the table; the thread of the run calls the functions in the table. */
#ifndef TERN_FILTER_RUN_BUILTIN_BUILTIN_H
#define TERN_FILTER_RUN_BUILTIN_BUILTIN_H

#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/net/ip.h"

struct frun;
struct spell;

#define BUILTIN_ARGS_MAX 3

#define BI_OP     0x01 /* operator; the name is the sign */
#define BI_METHOD 0x02 /* x.name or x.name(y) */
#define BI_FUNC   0x04 /* name(x, y) */
#define BI_TABLE  0x08 /* queries a table: never folded */
#define BI_NET    0x10 /* reads the route's prefix and path: never folded */
#define BI_TEST   0x20 /* for self-tests: never folded */
#define BI_PATH   0x40 /* reads the route's path: never folded */
#define BI_SHORT  0x80 /* reads a few octets of long operands, and charges for them */

/* Result in v[0], in place of the operands v[0], v[1] ... Returns: false after vm_fail.
 */
typedef bool (*builtin_fn)(struct frun *r, struct fvalue *v);

/* A row of the table of builtins. Constant: nothing to free. */
struct builtin {
	const char *name;
	uint8_t kind; /* BI_* */
	uint8_t argc;
	uint8_t arg[BUILTIN_ARGS_MAX]; /* enum ftype; T_ANY: any */
	uint8_t result; /* enum ftype */
	builtin_fn fn;
};

/* Parts of the table, each by the file that implements it; ended by a NULL name. */
extern const struct builtin builtin_values[]; /* builtin.c */
extern const struct builtin builtin_nets[]; /* builtin_net.c */
extern const struct builtin builtin_paths[]; /* builtin_path.c */
extern const struct builtin builtin_comms[]; /* builtin_comm.c */
extern const struct builtin builtin_tests[]; /* builtin_test.c */
extern const struct builtin builtin_rpki[]; /* builtin_rpki.c */

/* builtin_get - by index. */
const struct builtin *builtin_get(uint32_t index);
/* builtin_find - the builtin for operands of exactly these types (T_SET_EMPTY fits any
 * set).
 * Returns: its index, or -1. */
int builtin_find(unsigned kind, const char *name, unsigned argc, const uint8_t *type);
/* builtin_any - some builtin of that name and number of operands; -1: none. @types: known
 * operand types that must fit (T_ANY: unknown), or NULL. */
int builtin_any(unsigned kind, const char *name, unsigned argc, const uint8_t *types);
/* builtin_result - the common result type of all fitting builtins; else T_ANY. */
enum ftype builtin_result(
    unsigned kind, const char *name, unsigned argc, const uint8_t *types);
/* builtin_named - true if a builtin with the name @name exists. */
bool builtin_named(unsigned kind, const char *name);
/* builtin_spell - offer the names of builtins of @kind to @sp. */
void builtin_spell(unsigned kind, struct spell *sp);

/* Attributes of the route at hand. */
struct route_attr {
	const char *name;
	uint8_t type; /* enum ftype */
	bool (*get)(struct frun *r, const struct route_attr *a, struct fvalue *out);
	/* NULL: read-only */
	bool (*set)(struct frun *r, const struct route_attr *a, const struct fvalue *v);
	uint8_t code; /* of a path attribute, else 0 */
	bool can_unset; /* attributes with a code can be unset too */
	/* FILTER_READ_* of reading and of writing the attribute */
	uint8_t reads, set_reads;
	/* enum custom_reserved: stored as a custom attribute; 0: not stored so */
	uint16_t reserved;
	uint8_t bit; /* bit number in the attribute's word */
};

int route_attr_find(const char *name); /* index, or -1 */
/* route_attr_spell - offer the names of all attributes to @sp. */
void route_attr_spell(struct spell *sp);
const struct route_attr *route_attr_get(uint32_t index);
/* route_no_list - the value of @a, a list of communities, for a route without the
 * list. */
void route_no_list(const struct route_attr *a, struct fvalue *out);
bool route_attr_unset(struct frun *r, const struct route_attr *a);
/* builtin_grows - true if @b appends one element to a list, or prepends a number to a
 * path. */
bool builtin_grows(const struct builtin *b);
/* ---- builtin_comm.c ---- */
/* builtin_comm_kind - of the lists of type @type. builtin_comm_elem - the element that
 * @v, a pair, quad, number, address, ec or lc, stands for. */
enum comm_kind builtin_comm_kind(uint8_t type);
struct comm builtin_comm_elem(const struct fvalue *v);
/* ---- builtin_gate.c: where packets go ---- */
bool route_get_gw(struct frun *r, const struct route_attr *a, struct fvalue *out);
bool route_set_gw(struct frun *r, const struct route_attr *a, const struct fvalue *v);
bool route_get_ifname(struct frun *r, const struct route_attr *a, struct fvalue *out);
bool route_set_ifname(struct frun *r, const struct route_attr *a, const struct fvalue *v);
bool route_get_ifindex(struct frun *r, const struct route_attr *a, struct fvalue *out);
bool route_get_dest(struct frun *r, const struct route_attr *a, struct fvalue *out);
bool route_set_dest(struct frun *r, const struct route_attr *a, const struct fvalue *v);
bool route_set_weight(struct frun *r, const struct route_attr *a, const struct fvalue *v);
bool route_set_onlink(struct frun *r, const struct route_attr *a, const struct fvalue *v);
bool route_set_gw_mpls(
    struct frun *r, const struct route_attr *a, const struct fvalue *v);
/* route_keep_gw - before a change of the BGP next hop: keep the present gateway as a
 * hop. */
bool route_keep_gw(struct frun *r);
/* ---- builtin_octets.c ---- */
/* route_next_hop - the present BGP next hop; IP_NONE: none. */
struct ip_addr route_next_hop(const struct frun *r);
/* route_set_reserved - write an attribute that is stored as a custom attribute. */
bool route_set_reserved(
    struct frun *r, const struct route_attr *a, const struct fvalue *v);
/* route_wrote - @err: result of attr_edit_set or a similar function. Returns: true, or
 * false after vm_fail. */
bool route_wrote(struct frun *r, int err);
/* route_path - octets of the present path (none if absent). */
void route_path(const struct frun *r, const uint8_t **p, uint32_t *len);
/* route_comm - octets of the list of communities of @kind (enum comm_kind). */
void route_comm(const struct frun *r, unsigned kind, const uint8_t **p, uint32_t *len);
/* route_path_len, route_path_first, route_path_last - as in the language: 0 if the path
 * is empty or, for the last, ends in a set. */
uint32_t route_path_len(const struct frun *r);
uint32_t route_path_first(const struct frun *r);
uint32_t route_path_last(const struct frun *r);
/* ---- builtin_route.c ---- */
/* route_custom_... - @id: of a custom attribute, or ROUTE_WIRE and the code of a path
 * attribute. */
#define ROUTE_WIRE 0x10000u
bool route_custom_get(struct frun *r, uint32_t id, enum ftype t, struct fvalue *out);
bool route_custom_set(struct frun *r, uint32_t id, const struct fvalue *v);
bool route_custom_unset(struct frun *r, uint32_t id);

/* Extended communities (RFC 4360, RFC 5668) as (kind, a, b). RT and RO choose the type by
 * the form of the first part: 2-octet AS, 4-octet AS or address. GENERIC takes both
 * halves as they are; any other kind is a type and subtype, (unknown KIND, a, b). */
#define EC_RT      0x0002u
#define EC_RO      0x0003u
#define EC_GENERIC 0x10000u
/* ec_kind - of the names rt, ro, generic. */
bool ec_kind(const char *name, uint32_t *kind);
/* ec_words - @a_is_ip: the first part was an address. Returns: false if a part doesn't
 * fit. */
bool ec_words(uint32_t kind, uint32_t a, bool a_is_ip, uint32_t b, uint32_t out[2]);

#endif
