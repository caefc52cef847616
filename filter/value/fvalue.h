/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the filter language: a type and up to 16 octets, or a pointer to immutable
 * octets.
 *
 * A value owns nothing. The octets behind a pointer live in a configuration's arena
 * (constants), in an attribute set or its edit (attributes), or in the arena of the
 * run.
 *
 * Pure functions; any thread. */
#ifndef TERN_FILTER_VALUE_FVALUE_H
#define TERN_FILTER_VALUE_FVALUE_H

#include "filter/value/type.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

struct filter_table;
struct fnet;
struct fset;
struct fpath_mask;

/* In place of a family: the value is a network of another kind (filter/run/net.h). */
#define FVALUE_NET 0xff
/* In place of a family, of a variable only: the path or list lies in a buffer of its own
 * with free room (FI_GROW). */
#define FVALUE_GROWS 0xfe

/* Which member holds what:
 *   i     BOOL, INT, QUAD (host order), ENUM_*
 *   w     PAIR {a, b}; EC {first, last 32 bits}; LC {a, b, c}
 *   w     RD, MAC {upper 32 bits of 64, lower}
 *   ip    IP; PREFIX, with plen and fam
 *   net   PREFIX with FVALUE_NET for fam
 *   str   STRING (NUL-terminated), BYTES, len octets
 *   octets PATH, CLIST, ECLIST, LCLIST in canonical octets (lib/attr), len of them; with
 *   FVALUE_GROWS room: free octets, of a path before the octets, of a list behind them
 *   set   SET; mask PATH_MASK; table TABLE, with plen: asked about other prefixes than
 *   the route's too (filter/rpki.h)
 * Owner: the holder of the value. Life: by value. */
struct fvalue {
	uint8_t type; /* enum ftype; T_VOID: undefined */
	uint8_t plen, fam;
	/* an absent path or list: reads as empty, but is not defined */
	uint8_t absent;
	uint32_t len;
	union {
		uint32_t i;
		uint64_t i64; /* i, as one word of memory */
		uint32_t w[3];
		struct ip_addr ip;
		const char *str;
		struct {
			const uint8_t *octets;
			uint32_t room;
		};
		const struct fset *set;
		const struct fnet *net;
		const struct fpath_mask *mask;
		const struct filter_table *table;
	};
};

static inline struct fvalue
fvalue_u32(enum ftype t, uint32_t v)
{
	struct fvalue r = { .type = (uint8_t)t };

	r.i = v;
	return r;
}

/* fvalue_set_u32, fvalue_copy - write or copy a value by whole words. A large read after
 * small writes stalls in the processor's store buffer; on the interpreter's stack the
 * stall is most of the cost of an instruction. */
static inline void
fvalue_set_head(
    struct fvalue *v, enum ftype t, uint8_t plen, uint8_t fam, bool absent, uint32_t len)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t head = (uint64_t)len << 32 | (uint32_t)absent << 24 |
			(uint32_t)fam << 16 | (uint32_t)plen << 8 | (uint8_t)t;

	memcpy(v, &head, sizeof(head));
#else
	*v = (struct fvalue){
		.type = (uint8_t)t, .plen = plen, .fam = fam, .absent = absent, .len = len
	};
#endif
}

static inline void
fvalue_set_u32(struct fvalue *v, enum ftype t, uint32_t i)
{
	fvalue_set_head(v, t, 0, 0, false, 0);
	v->i64 = i;
}

static inline void
fvalue_copy(struct fvalue *to, const struct fvalue *from)
{
	uint64_t a, b, c;

	memcpy(&a, from, 8);
	memcpy(&b, (const char *)from + 8, 8);
	memcpy(&c, (const char *)from + 16, 8);
	/* keeps the compiler from joining the words again */
	__asm__("" : "+r"(a), "+r"(b), "+r"(c));
	memcpy(to, &a, 8);
	__asm__("" : "+r"(b));
	memcpy((char *)to + 8, &b, 8);
	memcpy((char *)to + 16, &c, 8);
}

static inline struct fvalue
fvalue_ip(struct ip_addr ip)
{
	struct fvalue r = { .type = T_IP };

	r.ip = ip;
	return r;
}

static inline struct fvalue
fvalue_prefix(const struct prefix *p)
{
	struct fvalue r = { .type = T_PREFIX, .plen = p->len, .fam = p->fam };

	r.ip = p->addr;
	return r;
}

/* fvalue_set_prefix - a value for the interpreter's stack, by whole words. */
static inline void
fvalue_set_prefix(struct fvalue *v, const struct prefix *p)
{
	uint64_t hi = p->addr.hi, lo = p->addr.lo;

	__asm__("" : "+r"(hi), "+r"(lo));
	fvalue_set_head(v, T_PREFIX, p->len, p->fam, false, 0);
	v->ip.hi = hi;
	__asm__("" : "+r"(lo));
	v->ip.lo = lo;
}

static inline struct prefix
fvalue_to_prefix(const struct fvalue *v)
{
	return (struct prefix){ v->ip, v->plen, v->fam };
}

/* fvalue_empty - the empty path or list in place of an absent path or list. */
static inline struct fvalue
fvalue_empty(enum ftype t)
{
	struct fvalue r = { .type = (uint8_t)t, .absent = true };

	r.octets = (const uint8_t *)"";
	return r;
}

#endif
