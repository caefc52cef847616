/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Candidates of a net: the paths that a channel may export, in order. A strategy orders
 * the candidates and sends a net:
 *
 *      candidates_all      each path of the net (add-path)
 *      candidates_overlay  paths of the base after the policy of the pipe, and own routes
 *                          of the overlay
 *      candidates_first    the first path that channel and sink accept (`secondary`)
 *      candidates_best     the best path
 *
 * A new way of choosing is a file with a struct candidates, and a row of the table in
 * channel_view.c. The first row that fits serves the session (channel_choose).
 *
 * Only files of nest/channel include the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_EXPORT_CANDIDATES_H
#define TERN_NEST_CHANNEL_EXPORT_CANDIDATES_H

#include "nest/channel/channel.h"
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"

struct reader;

/* A search in a net for the first allowed candidate. Owner: the caller, on the stack.
 * Life: from `begin` to `end`. */
struct candidate_search {
	struct path_walk walk;
	uint32_t id;
	const struct net *net;
	/* the refused segment with the net. NULL: the result is not sent */
	const struct segment *refused;
	bool query; /* a question: nothing is noted */
	bool first; /* no path was examined */
	bool is_first; /* the last examined path is the net's first candidate */
	bool found; /* a path was returned */
	/* of candidates_overlay: the own route; if the policy changes routes, the
	 * remaining routes, and the answer about the last route, owned */
	struct own_found own;
	struct overlay_cand *cand;
	unsigned cand_cnt;
	struct overlay_cand taken;
	struct export_answer answer;
	bool answered;
	/* last: a segment as if the found path were best */
	struct segment seg;
};

/* candidate_fn - item @id of the reader: the net, or a path. @p NULL: no path now. */
typedef void (*candidate_fn)(
    void *arg, uint32_t id, const struct net *n, const struct path *p);

/* A strategy. Constant. */
struct candidates {
	enum channel_gives gives; /* without the option `secondary` */
	/* fits - true: the strategy serves sessions as the present session of @ch. */
	bool (*fits)(const struct channel *ch);
	/* reader - the reader whose ids and dirty bits stand for the peer's state. */
	struct reader *(*reader)(struct channel *ch);
	/* items - call @fn for the items of net @id: the net, or each path. @n NULL: the
	 * net has no paths now. Returns: the cost, 1 and 1 for each path. */
	uint32_t (*items)(struct channel *ch, uint32_t id, const struct net *n,
	    candidate_fn fn, void *arg);
	/* send - send the state of one net of @s to the peer. @a: the decision about the
	 * path of @s. */
	void (*send)(struct channel *ch, struct segment *s, const struct sink_nets *n,
	    const struct export_answer *a);

	/* The search. All NULL: a net has one candidate. begin, then `next` while the
	 * sink refuses the result (NULL: no candidate is left). Answers are borrowed
	 * until `done`. @refused: as in the struct. end - the accepted answer is @sent;
	 * NULL: none. */
	void (*begin)(struct channel *ch, struct candidate_search *l, uint32_t id,
	    const struct segment *refused);
	const struct export_answer *(*next)(
	    struct channel *ch, struct candidate_search *l);
	void (*end)(struct channel *ch, struct candidate_search *l,
	    const struct export_answer *sent);
	/* by_net - true: the nets of @s must be sent one by one. NULL: never. */
	bool (*by_net)(
	    struct channel *ch, const struct segment *s, const struct export_answer *a);
	/* special - true: sink_ops.run must not handle @s, even if no net of @s is
	 * watched. NULL: never. */
	bool (*special)(const struct channel *ch, const struct segment *s);
	/* skipped - only the source of @s changed, and the channel sends nothing. done -
	 * the end of a segment. NULL: nothing to do. */
	void (*skipped)(struct channel *ch, const struct segment *s);
	void (*done)(struct channel *ch);

	/* up, down - the session begins or ends. NULL: nothing to do. */
	void (*up)(struct channel *ch);
	void (*down)(struct channel *ch);
	/* run, lent - a turn of the readers. Returns: true: work is left. NULL: only the
	 * turn of channel.rd. work - part of reader_ops.work; NULL: no work. */
	bool (*run)(struct channel *ch);
	bool (*lent)(struct channel *ch);
	void (*work)(struct channel *ch);
};

extern const struct candidates candidates_best, candidates_first, candidates_all,
    candidates_overlay;

/* ---- candidates_best.c ---- */
/* candidates_net - `items` of a strategy with one item a net. candidates_send - `send` of
 * a strategy that does not search. */
uint32_t candidates_net(
    struct channel *ch, uint32_t id, const struct net *n, candidate_fn fn, void *arg);
void candidates_send(struct channel *ch, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a);

/* ---- candidates_first.c: for strategies that search ---- */
/* candidates_begin, candidates_end - as `begin` and `end`. candidates_path - the next
 * path; NULL: none is left. candidates_show - set search.seg to @p; false: the source of
 * @p is gone. candidates_decide - about search.seg; borrowed until candidates_forget. */
void candidates_begin(struct channel *ch, struct candidate_search *l, uint32_t id,
    const struct segment *refused);
const struct path *candidates_path(struct candidate_search *l);
bool candidates_show(
    struct channel *ch, struct candidate_search *l, const struct path *p);
const struct export_answer *candidates_decide(
    struct channel *ch, struct candidate_search *l);
void candidates_end(
    struct channel *ch, struct candidate_search *l, const struct export_answer *sent);
void candidates_forget(struct channel *ch);
/* candidates_differs - true: the peer should hold another route of the net, or unknown.
 * For an unwatched net: true only if its first candidate was sent as another route. */
bool candidates_differs(struct channel *ch, uint32_t id);

#endif
