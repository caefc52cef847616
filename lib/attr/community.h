/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Community lists in canonical octets: RFC 1997 (4 octets each), RFC 4360 (8), RFC 8092
 * (12). One set of functions serves all three by the element's size. Pure functions; any
 * thread. */
#ifndef TERN_LIB_ATTR_COMMUNITY_H
#define TERN_LIB_ATTR_COMMUNITY_H

#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"

#define COMM_GRACEFUL_SHUTDOWN   0xffff0000u /* RFC 8326, 5 */
#define COMM_LLGR_STALE          0xffff0006u /* RFC 9494, 4.6 */
#define COMM_NO_LLGR             0xffff0007u
#define COMM_NO_EXPORT           0xffffff01u
#define COMM_NO_ADVERTISE        0xffffff02u
#define COMM_NO_EXPORT_SUBCONFED 0xffffff03u

enum comm_kind { COMM_STD, COMM_EXT, COMM_LARGE };

/* One community as up to three words, host order: STD {asn, data}; EXT {first 32 bits,
 * last 32 bits}; LARGE {a, b, c}. Owner: the holder. Life: by value. */
struct comm {
	uint32_t v[3];
};

static inline unsigned
comm_size(enum comm_kind k)
{
	return k == COMM_STD ? 4 : k == COMM_EXT ? 8 : 12;
}

struct comm comm_get(enum comm_kind k, const uint8_t *p);
void comm_put(enum comm_kind k, uint8_t *p, struct comm c);
/* comm_has - is the element in the list of @len octets? */
bool comm_has(enum comm_kind k, const uint8_t *list, uint32_t len, struct comm c);
/* comm_add - copy the list into @a with @c at the end, unless the list has @c. Returns:
 * length of the copy, or -E2BIG. */
MUST_CHECK int comm_add(uint8_t **out, struct arena *a, enum comm_kind k,
    const uint8_t *list, uint32_t len, struct comm c);
/* A choice of elements of a list: the elements for which `match` returns `keep`. Owner:
 * the caller. Life: on the stack. */
struct comm_choice {
	bool (*match)(struct comm c, const void *arg);
	const void *arg;
	bool keep;
};

/* comm_select - collect the elements that @by chooses. @out: in @a, or @list if @by
 * chooses every element. Returns: length. */
uint32_t comm_select(uint8_t **out, struct arena *a, enum comm_kind k,
    const uint8_t *list, uint32_t len, const struct comm_choice *by);
/* comm_unique - copy the list into @to without repetitions; @to has room for the whole
 * list. The first of equal elements keeps its place. If more than COMM_UNIQUE_MAX
 * elements are repeated, the elements are written in ascending order. Cost: O(n log n),
 * and few comparisons for a short list. Returns: length. */
#define COMM_UNIQUE_MAX 32
uint32_t comm_unique(uint8_t *to, enum comm_kind k, const uint8_t *list, uint32_t len);
/* comm_print_one - "(1,2)"; "(rt, 1, 2)", "(unknown 0x4002, 1, 2)" or "(generic,
 * 0x43000000, 0x1)"; "(1, 2, 3)" */
void comm_print_one(struct strbuf *b, enum comm_kind k, struct comm c);
/* comm_print - the elements with a blank between them. */
void comm_print(struct strbuf *b, enum comm_kind k, const uint8_t *list, uint32_t len);

#endif
