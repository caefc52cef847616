/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments: nets that have one best attribute set and source, as the table publishes
 * them.
 *
 * A withdrawal is a segment without a set. A segment also caches what its readers make of
 * it: messages by class of session and set (msg_cache.h) and answers of filters
 * (export_memo.h). Everything but the caches is immutable. Segments lie in the journal
 * (freed by the table when all cursors have passed) or in a cut (freed with it). */
#ifndef TERN_NEST_SEGMENT_H
#define TERN_NEST_SEGMENT_H

#include "lib/mt/atomic.h"
#include "lib/mt/bump.h"
#include "lib/mt/journal.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/msg_piece.h"

struct attr_store;
struct stream;
struct table;

#define SEG_VARIANTS 4

#define SEG_CLAIMED UINT64_MAX /* quick_key: somebody fills the place */

/* a well-known community says so (RFC 1997): not beyond the AS or confederation; not
 * beyond the member AS */
#define SEG_NO_EXPORT    0x01
#define SEG_NO_ADVERTISE 0x02
#define SEG_INTERNAL     0x04 /* from an internal peer that isn't a reflection client */
#define SEG_IBGP         0x08 /* from an internal peer */
#define SEG_NO_SUBCONFED 0x10
#define SEG_LLGR_STALE   0x20 /* the community (RFC 9494) */

/* what every reader of a class may treat alike: it announces, has no marks, not only its
 * source changed, it has no AIGP, to which our way may have to be added, and no gateway
 * takes a next hop's place */
#define SEG_PLAIN   0x01
#define SEG_ONE_RUN 0x02
/* a link-local next hop goes with the global one, of which hop_key is */
#define SEG_TWO_HOPS 0x04
/* the best of its nets is what it was all the time: a path behind it changed. Such ones
 * are published only for readers that want them (reader.wants_behind) */
#define SEG_BEHIND 0x08
/* of paths, not of nets: ids are theirs, and each prefix stands behind its path's id, of
 * 4 octets (RFC 7911, 3) */
#define SEG_PATHS 0x10
/* its set has communities of that kind: SEG_COMM << enum comm_kind */
#define SEG_COMM       0x20
#define SEG_EXT_COMM   0x40
#define SEG_LARGE_COMM 0x80
#define SEG_LISTS      (SEG_COMM | SEG_EXT_COMM | SEG_LARGE_COMM)

struct seg_run {
	uint32_t id, cnt;
};

/* Messages of a segment that aren't in it itself (proto/bgp/out/msg_cache.h). */
struct msg_variant {
	struct pubptr next; /* of the same segment */
	uint64_t key; /* of its class */
	struct wire_set *wire; /* counted; NULL: withdrawals */
	struct msg_piece msg; /* len 0: can't be encoded */
	/* in which it lies; that of the message is counted, too */
	struct bump_block *block;
};

/* Laid out for the reader: what an ordinary export touches is in one line of the cache,
 * and segments lie in memory in the order of the journal (lib/mt/bump.h).
 *
 * The messages for one class of session, with the set as it is, are found in the segment
 * itself: of the class that claims the place first (quick_key; msg_cache.h). */
struct segment {
	struct journal_entry je; /* first */
	uint32_t src; /* source of the set; NO_SOURCE in withdrawals */
	uint32_t hop_key; /* segment_hop_key of the next hop */
	struct seg_run nets; /* the first, and how many in all */
	uint8_t marks; /* SEG_* */
	uint8_t
	    form; /* SEG_PLAIN, SEG_ONE_RUN, SEG_TWO_HOPS, SEG_BEHIND, SEG_PATHS, _COMM */
	uint16_t quick_cnt; /* messages */
	uint32_t quick_len;
	struct pub64 quick_key; /* of the class, SEG_CLAIMED, or 0 */
	const uint8_t *quick_data;

	struct attr_set *set; /* counted; NULL: a withdrawal */
	/* what every reader asks of the set, so that it needn't touch it */
	struct wire_set *wire;
	/* counted: of the source, when the nets became the best; NULL in withdrawals */
	struct origin *facts;
	/* not NO_SOURCE: only the source changed, from this one; src itself: not even
	 * that (SEG_BEHIND) */
	uint32_t old_src;
	uint32_t origin; /* its number, of paths that pipes brought; else 0 */
	uint32_t batch; /* 0: it is of a cut */
	uint32_t run_cnt, nlri_len;
	/* its sinks': a number that one of them found for what most announce of it, and
	 * that others may try (proto/bgp/out/export_table.h); 0: none */
	struct pub32 hint;
	struct pubptr variant; /* list of struct msg_variant; first come, first kept */
	struct pubptr memo; /* list of struct export_memo (export_memo.h) */
	struct bump_block *block, *quick_block; /* in which it lies, and quick_data */
	/* ascending, if there are several; then the NLRI in the same order, and 16 spare
	 * octets */
	struct seg_run run[];
};

_Static_assert(offsetof(struct segment, quick_data) + sizeof(void *) == CACHE_LINE,
    "one line says who may have it, and how it looks");

/* segment_runs - run_cnt of them. */
static inline const struct seg_run *
segment_runs(const struct segment *s)
{
	return s->form & SEG_ONE_RUN ? &s->nets : s->run;
}

/* segment_hop_key - those that differ belong to different addresses. */
static inline uint32_t
segment_hop_key(struct ip_addr a)
{
	return (uint32_t)(a.hi ^ a.lo ^ (a.hi >> 32));
}

static inline const uint8_t *
segment_nlri(const struct segment *s)
{
	return (const uint8_t *)&s->run[s->form & SEG_ONE_RUN ? 0 : s->run_cnt];
}

/* segment_before - octets that stand before each prefix of its NLRI. */
static inline uint32_t
segment_before(const struct segment *s)
{
	return unlikely(s->form & SEG_PATHS) ? NLRI_ID_LEN : 0;
}

/* What is to be grouped: a net and its best, or a path. */
struct seg_item {
	uint32_t id;
	uint32_t src, old_src, origin; /* as in the segment */
	struct attr_set *set; /* borrowed; NULL: withdrawal */
};

/* segment_group - make segments of @cnt items and give each to @emit. @mem: where they
 * are to lie; @a: scratch. Cost: O(cnt). Returns: false: a set was dying, or its source's
 * facts were (they were read under RCU and have been replaced since): its nets are left
 * out. Never for the table's writer, whose paths hold references. */
bool segment_group(struct stream *st, struct bump *mem, struct arena *a,
    const struct seg_item *item, uint32_t cnt, uint32_t batch,
    void (*emit)(void *arg, TAKE struct segment *s), void *arg);
/* segment_marks - SEG_* of a set from the source of @f; NULL: there is none. */
uint8_t segment_marks(const struct attr_set *set, const struct route_source *f);
/* segment_lists - which of SEG_LISTS a set has. */
uint8_t segment_lists(const struct attr_set *set);
void msg_variant_free(struct attr_store *store, TAKE struct msg_variant *v);
/* segment_charge - @octets more hang on @s, and count for the journal's ceiling. Any
 * thread under RCU. */
void segment_charge(struct table *t, struct segment *s, uint32_t octets);
/* segment_room - memory for what hangs on segments, until *@block is let go of: octets
 * that the kernel may send without a copy (@for_octets), or what describes them. */
void *segment_room(
    struct table *t, bool for_octets, uint32_t len, struct bump_block **block);
/* segment_free - with its caches. Any thread, when no reader is left. */
void segment_free(struct attr_store *store, TAKE struct segment *s);

#endif
