/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changes of a member: sessions up and down, reloads, and routes gained and lost, for
 * `show diff`. Owner: the instance's worker. Lives from proto_init until proto_free; a
 * successor of the instance for the same member takes over the list (proto_changes_move).
 *
 *   call                                          may run beside
 *   proto_changes_await, _state, _reload (worker)  the readers' calls
 *   proto_changes_get, _begin_ns, _lost_ns, _losses  all calls, themselves
 *
 * G1  Entries have numbers from 1 on, in the order of time. The list keeps at least the
 *     last CHANGES_MIN entries that are younger than CHANGES_AGE_NS.
 * G2  Memory: 1,024 entries of 64 octets at most (64 kB, and 2.5 kB of heads), and some
 *     hundred octets for a quiet member. The counts of losses (G4) take 672 octets from
 *     the first loss on.
 * G3  Routes cost no work in the table or per route: the worker reads the counters of the
 *     channels, at the earliest CHANGES_WAIT_NS after the first record to the table, and
 *     on average once per CHANGES_PACE_NS after CHANGES_BURST entries. A short burst of
 *     changes is thus exact, and lasting changes fill no more than 675 entries a day.
 * G4  The losses of the session are counted for each hour of the last
 *     CHANGES_LOSS_HOURS, whatever the number of entries.
 * Progress: wait-free.
 *
 * Loop: the instance's; readers in any thread, under RCU. */
#ifndef TERN_NEST_CHANNEL_INSTANCE_PROTO_CHANGES_H
#define TERN_NEST_CHANNEL_INSTANCE_PROTO_CHANGES_H

#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "sysdep/os/clock.h"

#define CHANGES_MIN     1000
#define CHANGES_AGE_NS  (24 * 3600 * NS_PER_S)
#define CHANGES_WAIT_NS NS_PER_S
#define CHANGES_PACE_NS (128 * NS_PER_S)
#define CHANGES_BURST   200
#define CHANGE_TEXT     48 /* octets of a cause, with NUL */

#define CHANGES_LOSS_HOURS 168
#define CHANGES_LOSS_MAX   255 /* a count of an hour; also as many or more */

struct proto_changes;

enum change_kind { CHANGE_UP, CHANGE_DOWN, CHANGE_RELOAD, CHANGE_ROUTES };

/* Bits of a reload. */
#define CHANGE_IMPORT    1u
#define CHANGE_EXPORT    2u
#define CHANGE_PARTIAL   4u /* of some networks */
#define CHANGE_REFRESH   8u /* the peer was asked for its routes */
#define CHANGE_CONFIGURE 16u /* a changed configuration is the reason, not a command */

/* Routes of one family since the entry before. */
struct change_routes {
	uint32_t gained, lost; /* accepted routes */
	uint32_t accepted, filtered; /* at the time; filtered: as far as kept */
};

/* An entry. Immutable. Owner: the list. Freed a grace period after the list has dropped
 * the entry. */
struct proto_change {
	uint64_t at_ns; /* monotonic */
	uint8_t kind; /* enum change_kind */
	uint8_t side; /* DOWN: enum member_cause */
	uint8_t what; /* RELOAD: CHANGE_*; ROUTES: bit n: of family n */
	union {
		uint32_t up_s; /* DOWN: how long the session was up */
		uint32_t span_ms; /* ROUTES: the changes took this time at most */
	};
	union {
		char text[CHANGE_TEXT]; /* DOWN: the cause in words */
		struct change_routes routes[FAM_CNT];
	};
};

/* ---- in the instance's worker, except _new and _free ---- */

/* proto_changes_new - for an instance of a class with members; NULL: another class.
 * Control worker. proto_changes_free - no thread reads. */
OWNED struct proto_changes *proto_changes_new(struct proto *p);
void proto_changes_free(TAKE struct proto_changes *c);
/* proto_changes_move - the instance @to succeeds @from, whose worker has ended: if both
 * serve the same AS, the list of @from continues as the list of @to. Control worker,
 * before @to has a worker; under RCU. proto_changes_resume - the worker of the instance
 * has begun. */
void proto_changes_move(struct proto *to, struct proto *from);
void proto_changes_resume(struct proto_changes *c);
/* proto_changes_await - a record goes to a table. No effect if @c is NULL, or if the
 * timer runs. */
void proto_changes_await(struct proto_changes *c);
/* proto_changes_state - the session came up, or went down for the cause of @m after
 * @up_ns. proto_changes_reload - @what: CHANGE_*. */
void proto_changes_state(
    struct proto_changes *c, bool up, const struct proto_member *m, uint64_t up_ns);
void proto_changes_reload(struct proto_changes *c, unsigned what);

/* ---- any thread, under RCU ---- */

/* proto_changes_get - the first entry with the number *@nr or later; *@nr becomes the
 * number of that entry. NULL: none. @c: may be NULL. */
const struct proto_change *proto_changes_get(const struct proto_changes *c, uint64_t *nr);
/* proto_changes_begin_ns - when the list began. proto_changes_lost_ns - the time of the
 * youngest entry that the list has dropped; 0: none. */
uint64_t proto_changes_begin_ns(const struct proto_changes *c);
/* proto_changes_losses - how often the session was lost in the hour that contains the
 * time @at_ns, at most CHANGES_LOSS_HOURS ago. @c: may be NULL. */
uint32_t proto_changes_losses(const struct proto_changes *c, uint64_t at_ns);
uint64_t proto_changes_lost_ns(const struct proto_changes *c);

#endif
