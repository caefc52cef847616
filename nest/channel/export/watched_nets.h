/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watched nets: nets whose first candidate the peer does not get, with the routes that
 * the peer holds. State of a channel whose strategy searches (candidates.h).
 *
 * Only files of nest/channel include the header. Loop: the session's; queries of `show
 * route` in any thread, under RCU. */
#ifndef TERN_NEST_CHANNEL_EXPORT_WATCHED_NETS_H
#define TERN_NEST_CHANNEL_EXPORT_WATCHED_NETS_H

#include "lib/base/bitmap.h"
#include "nest/channel/export/sent_set.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/stream/segment.h"

struct channel;

/* The answer about a route, kept while a segment is handled. Owner: the channel. Freed
 * by: candidates_forget. */
struct candidate_memo {
	const struct attr_set *set; /* NULL: none */
	const struct origin *facts;
	struct export_answer answer;
};

/* Owner: the channel. Life: until watched_free (channel_priv.h). */
struct watched_nets {
	struct bitmap net; /* the watched nets */
	uint32_t cnt;
	uint32_t nr; /* counts additions to `net` */
	struct sent_set sent; /* routes of watched nets held by the peer */
	uint32_t looked; /* newest batch that a search may have seen */
	struct candidate_memo memo[4]; /* candidates_first.c */
	unsigned memo_next; /* next place to use */
};

/* watched_clear - watch no net: the channel sends nothing any more. */
void watched_clear(struct channel *ch);
/* watched_has - true: @id is watched. watched_add - watch @id, whatever the peer
 * holds. */
bool watched_has(const struct watched_nets *w, uint32_t id);
void watched_add(struct watched_nets *w, uint32_t id);
/* watched_withhold - watch @id; the peer gets no route of the net. watched_drop,
 * watched_drop_runs - the first candidate was sent, or the net has no candidate. */
void watched_withhold(struct watched_nets *w, uint32_t id);
void watched_drop(struct watched_nets *w, uint32_t id);
void watched_drop_runs(
    struct watched_nets *w, const struct seg_run *run, uint32_t run_cnt);
/* watched_held - true: the peer holds exactly the answer @a. */
bool watched_held(const struct channel *ch, uint32_t id, const struct export_answer *a);

/* The following functions return false for a strategy that does not search. */
/* watched_some - true: paths behind the best path matter for a net of @s. watched_net -
 * for net @id. */
bool watched_some(const struct channel *ch, const struct segment *s);
bool watched_net(const struct channel *ch, uint32_t id);
/* watched_concerns - true: @s may matter although the best sets did not change. */
bool watched_concerns(const struct channel *ch, const struct segment *s);
/* What watched_free_of knows about a run of segments. Owner: the caller, on the stack.
 * Life: a run. */
struct watched_seen {
	unsigned end; /* earlier segments have no watched net ... */
	uint32_t nr; /* ... as of watched_nets.nr */
};
/* watched_free_of - number of segments, from number @from of @cnt on, without a watched
 * net, and that are not special to the strategy. @seen: the caller's, zero at first. */
unsigned watched_free_of(const struct channel *ch, struct segment *const *s,
    unsigned from, unsigned cnt, struct watched_seen *seen);

#endif
