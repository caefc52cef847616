/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments: nets with one best attribute set and source, published by a table.
 *
 * A withdrawal is a segment without a set. A segment also caches results of its readers:
 * messages by class of session and set (segment.slot) and answers of filters
 * (export_memo.h). All fields but the caches are immutable.
 *
 * Owner: the journal (the table frees a segment after all cursors have passed) or a cut.
 * Life: until segment_free; the slot is freed with its segment.
 *
 * Loop: the table's for the journal, the reader's for cuts; any thread reads. */
#ifndef TERN_NEST_RIB_STREAM_SEGMENT_H
#define TERN_NEST_RIB_STREAM_SEGMENT_H

#include "lib/attr/attr.h"
#include "lib/base/bitmap.h"
#include "lib/mt/atomic.h"
#include "lib/mt/bump.h"
#include "lib/mt/journal.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"

struct attr_store;
struct stream;
struct table;

#define SEG_CLAIMED UINT64_MAX /* quick_key: a session is filling the place */

/* All readers of a class may handle the segment alike: an announcement without marks, not
 * a mere change of the source, and seg_class.form permits it. */
#define SEG_UNIFORM 0x01
#define SEG_ONE_RUN 0x02
/* the route depends on the link of its source: a link-local next hop accompanies the
 * global next hop, or stands alone (seg_class.form) */
#define SEG_LOCAL_HOP 0x04
/* the best paths did not change; a path behind a best path changed. Published only for
 * readers with reader.wants.behind */
#define SEG_BEHIND 0x08
/* items are paths: ids are path ids, and each prefix stands behind its path id of 4
 * octets (RFC 7911, 3) */
#define SEG_PATHS 0x10
/* the set has lists of a kind: wire_lists (lib/attr/attr.h) << SEG_LISTS_AT */
#define SEG_LISTS_AT 5
#define SEG_LISTS    (WIRE_LISTS << SEG_LISTS_AT)

/* A range of net ids of a segment. Owner: the segment. Freed by: segment_free. */
struct seg_run {
	uint32_t id, cnt;
};

/* The layout serves the reader: one cache line has all fields of an ordinary export, and
 * segments lie in memory in the order of the journal (lib/mt/bump.h).
 *
 * The segment has a place for the messages of one class of session with the unchanged
 * set: the first class claims the place (quick_key; msg_cache.h). */
struct segment {
	struct journal_entry je; /* first */
	uint32_t src; /* source of the set; NO_FEEDER in withdrawals */
	uint32_t class_key; /* seg_class.key */
	struct seg_run nets; /* the first, and how many in all */
	uint8_t marks; /* seg_class.marks */
	/* SEG_UNIFORM, SEG_ONE_RUN, SEG_LOCAL_HOP, SEG_BEHIND, SEG_PATHS, _LISTS */
	uint8_t form;
	uint16_t quick_cnt; /* messages */
	uint32_t quick_len;
	struct pub64 quick_key; /* of the class, SEG_CLAIMED, or 0 */
	const uint8_t *quick_data;

	struct attr_set *set; /* counted; NULL: a withdrawal */
	/* copy of set->wire, so that readers need not load the set */
	struct wire_set *wire;
	/* counted: of the source, when the nets became the best; NULL in withdrawals */
	struct origin *facts;
	/* not NO_FEEDER: only the source changed, from old_src; equal to src: not even
	 * the source (SEG_BEHIND) */
	uint32_t old_src;
	uint32_t origin; /* id of the origin, for paths from pipes; else 0 */
	uint32_t batch; /* 0: the segment belongs to a cut */
	uint32_t run_cnt, nlri_len;
	/* for sinks: a number that one sink found for the most frequent announcement, for
	 * other sinks to try (proto/bgp/out/export_table.h); 0: none */
	struct pub32 hint;
	struct pubptr slot; /* of the sinks' class; freed by seg_class.free_slot */
	struct pubptr memo; /* list of struct export_memo (export_memo.h) */
	/* blocks with the segment, and with quick_data */
	struct bump_block *block, *quick_block;
	/* ascending runs, if several; then the NLRI in equal order, and 16 spare
	 * octets */
	struct seg_run run[];
};

/* What a class of sinks, such as BGP, stores in each segment for its readers, and the
 * sets of overdue paths: rib stores the results, and reads none of them. Constant;
 * tern.seg_class is the registered class. Any thread. */
struct seg_class {
	/* marks - facts of @set from the source @f (NULL: no source) that decide before
	 * any filter (sink_policy_ops.forbids). 0: none. */
	uint8_t (*marks)(const struct attr_set *set, const struct route_source *f);
	/* key - a number of the set, to compare with a number of the reader. */
	uint32_t (*key)(const struct attr_set *set);
	/* form - SEG_LOCAL_HOP, and SEG_UNIFORM if sessions of a class announce the set
	 * alike. */
	uint8_t (*form)(const struct attr_set *set);
	/* overdue - the set of an overdue path (nest/rib/overdue.c) instead of @set. @a:
	 * scratch, reset before the return. Returns: a reference of the new set, or of
	 * @set itself; NULL: the path must leave the table. The table's loop. */
	OWNED struct attr_set *(*overdue)(
	    struct attr_store *store, struct attr_set *set, struct arena *a);
	/* free_slot - free what hangs on segment.slot. No reader is left. */
	void (*free_slot)(struct attr_store *store, TAKE void *slot);
};

_Static_assert(offsetof(struct segment, quick_data) + sizeof(void *) == CACHE_LINE,
    "one cache line has the path's receivers and form");

/* segment_runs - the run_cnt runs. */
static inline const struct seg_run *
segment_runs(const struct segment *s)
{
	return s->form & SEG_ONE_RUN ? &s->nets : s->run;
}

/* A walk over the nets of runs, in the order of their NLRI:
 *
 *      for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);)
 *              f(n.id);
 *
 * Owner: the caller, on the stack: nothing to free. */
struct seg_nets {
	uint32_t id; /* the net; valid after seg_nets_next returned true */
	/* private */
	uint32_t pos; /* of the next net in *run */
	const struct seg_run *run, *end;
};

static inline struct seg_nets
seg_nets_of(const struct seg_run *run, uint32_t run_cnt)
{
	return (struct seg_nets){ .run = run, .end = run + run_cnt };
}

static inline struct seg_nets
segment_nets(const struct segment *s)
{
	return seg_nets_of(segment_runs(s), s->run_cnt);
}

/* seg_nets_next - Returns: false: no net is left. */
static inline bool
seg_nets_next(struct seg_nets *n)
{
	if (n->run == n->end)
		return false;
	n->id = n->run->id + n->pos;
	if (++n->pos == n->run->cnt) {
		n->run++;
		n->pos = 0;
	}
	return true;
}

/* seg_runs_marked - number of nets of the runs whose bits are set in @b. */
static inline uint32_t
seg_runs_marked(const struct bitmap *b, const struct seg_run *run, uint32_t run_cnt)
{
	uint32_t cnt = 0;

	for (uint32_t r = 0; r < run_cnt; r++)
		cnt += bitmap_count_range(b, run[r].id, run[r].cnt);
	return cnt;
}

static inline const uint8_t *
segment_nlri(const struct segment *s)
{
	return (const uint8_t *)&s->run[s->form & SEG_ONE_RUN ? 0 : s->run_cnt];
}

/* segment_before - octets before each prefix in the NLRI. */
static inline uint32_t
segment_before(const struct segment *s)
{
	return unlikely(s->form & SEG_PATHS) ? NLRI_ID_LEN : 0;
}

/* An item to group: a net with its best path, or a path. */
struct seg_item {
	uint32_t id;
	uint32_t src, old_src, origin; /* as in the segment */
	struct attr_set *set; /* borrowed; NULL: withdrawal */
};

/* segment_group - make segments of @cnt items and give each segment to @emit. @mem:
 * memory for the segments; @a: scratch. Cost: O(cnt). Returns: false: the nets of a dying
 * set or origin were left out (the reader read the path under RCU, and the path was
 * replaced since). The table's writer never gets false, because its paths hold
 * references. */
bool segment_group(struct stream *st, struct bump *mem, struct arena *a,
    const struct seg_item *item, uint32_t cnt, uint32_t batch,
    void (*emit)(void *arg, TAKE struct segment *s), void *arg);
/* segment_marks - seg_class.marks of the table's daemon. Any thread.
 * segment_note - set marks and class_key of @s by its set and facts. */
uint8_t segment_marks(
    const struct table *t, const struct attr_set *set, const struct route_source *f);
void segment_note(const struct table *t, struct segment *s);
/* segment_lists - the SEG_LISTS bits of a set. */
static inline uint8_t
segment_lists(const struct attr_set *set)
{
	return (uint8_t)(wire_lists(set->wire) << SEG_LISTS_AT);
}

/* segment_charge - @octets more hang on @s, and count for the journal's ceiling. Any
 * thread under RCU. */
void segment_charge(struct table *t, struct segment *s, uint32_t octets);
/* segment_room - memory for caches of segments, until *@block is released: octets that
 * the kernel may send without a copy (@for_octets), or descriptions of octets. */
void *segment_room(
    struct table *t, bool for_octets, uint32_t len, struct bump_block **block);
/* segment_free - free a segment and its caches. Any thread; no reader is left. */
void segment_free(const struct table *t, TAKE struct segment *s);

#endif
