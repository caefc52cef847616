/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a member's changes: chunks of entries, the oldest chunk first.
 *
 * I1  Only the instance's worker writes. An entry is complete before `next` counts the
 *     entry, and does not change afterwards.
 * I2  A dropped chunk keeps its pointer to the next chunk until a grace period has
 *     passed, so a reader in the chunk reaches the end of the list.
 * I3  Changes of routes follow from records to the table: a record starts the timer,
 *     unless the timer runs. A timer that finds unread records runs again.
 * I4  One instance at a time writes. While an ended instance and its successor both have
 *     the list, the ended instance is only read, and does not free the list.
 *
 * Loop: the instance's; readers in any thread, under RCU. Tested by
 * test/unit/test_proto_changes.c and test/sim/stories/diff.story. */
#include "nest/channel/instance/proto_changes.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/rib/source.h"
#include "sysdep/loop/loop.h"

#include <string.h>

#define CHUNK_FIRST      4 /* entries of the first chunk */
#define CHUNK_SECOND     12
#define EVENTS_CHUNK_MAX 16
#define LOSS_BITS        8 /* of a count of losses; the hour has the other bits */
#define HOUR_NS          (3600 * NS_PER_S)

_Static_assert(sizeof(struct proto_change) == 64, "G2");

/* Owner: the list. Freed a grace period after the list has dropped the chunk. */
struct change_chunk {
	struct rcu_node rcu;
	struct pubptr next; /* struct change_chunk *: the younger one */
	uint64_t first; /* number of entry[0] */
	uint32_t cap;
	struct proto_change entry[];
};

/* The losses of the session. Owner: the list. Life: from the first loss on, as the list.
 * Freed by: proto_changes_free. */
struct changes_losses {
	/* of the hour n modulo CHANGES_LOSS_HOURS: n and the count, in a word that
	 * readers see as a whole; 0: none */
	struct pub32 hour[CHANGES_LOSS_HOURS];
};

/* The counters of a channel at the last entry. */
struct changes_base {
	uint64_t imported, filtered, withdrawn;
};

/* Owner: the instance's worker. */
struct proto_changes {
	struct proto *proto;
	uint64_t begin_ns; /* constant */
	struct pubptr oldest; /* struct change_chunk *; NULL: no entry yet */
	struct pub64 next; /* number of the next entry */
	struct pub64 lost_ns; /* of the youngest dropped entry */
	struct pubptr losses; /* struct changes_losses *; NULL: none yet */
	struct change_chunk *newest;
	/* routes */
	struct timer soon;
	uint64_t from_ns; /* when `soon` was started */
	uint64_t paid_ns; /* G3: entries about routes are paid up to this time */
	struct changes_base base[FAM_CNT];
};

/* ---- entries ---- */

static void
changes_chunk_gone(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct change_chunk, rcu));
}

/* changes_trim - drop the oldest chunks beyond the bounds, at @now. */
static void
changes_trim(struct proto_changes *c, uint64_t now)
{
	uint64_t next = load_relaxed64(&c->next);
	struct change_chunk *k;

	while ((k = load_relaxed_ptr(&c->oldest)) != c->newest) {
		uint64_t last_ns = k->entry[k->cap - 1].at_ns;

		if (next - k->first - k->cap < CHANGES_MIN &&
		    now - last_ns < CHANGES_AGE_NS)
			return;
		store_relaxed64(&c->lost_ns, last_ns);
		store_release_ptr(
		    &c->oldest, load_relaxed_ptr(&k->next)); /* pairs: PCHUNK */
		rcu_free_later(&k->rcu, changes_chunk_gone);
	}
}

/* changes_chunk_add - a chunk for the next entry. */
static void
changes_chunk_add(struct proto_changes *c)
{
	uint64_t nr = load_relaxed64(&c->next);
	uint32_t cap = !c->newest                      ? CHUNK_FIRST
		       : c->newest->cap == CHUNK_FIRST ? CHUNK_SECOND
						       : EVENTS_CHUNK_MAX;
	struct change_chunk *k = mem_zalloc(
	    MEM_PROTO, sizeof(*k) + cap * sizeof(k->entry[0]));

	k->first = nr;
	k->cap = cap;
	store_release_ptr(
	    c->newest ? &c->newest->next : &c->oldest, k); /* pairs: PCHUNK */
	c->newest = k;
}

/* changes_put - the next entry, of the kind @kind. The caller fills in the rest and calls
 * changes_publish. */
static struct proto_change *
changes_put(struct proto_changes *c, enum change_kind kind)
{
	uint64_t nr = load_relaxed64(&c->next), now = loop_now_ns(&c->proto->worker);
	struct proto_change *e;

	if (!c->newest || nr - c->newest->first == c->newest->cap)
		changes_chunk_add(c);
	changes_trim(c, now);
	e = &c->newest->entry[nr - c->newest->first];
	e->at_ns = now;
	e->kind = (uint8_t)kind;
	return e;
}

static void
changes_publish(struct proto_changes *c)
{
	store_release64(&c->next, load_relaxed64(&c->next) + 1); /* pairs: PCHANGE */
}

/* ---- routes ---- */

/* changes_count - the routes of @ch since the last entry, as the new base @b. Returns:
 * false: nothing has changed. */
static bool
changes_count(struct change_routes *r, struct changes_base *b, const struct channel *ch)
{
	const struct feeder_stats *st = &channel_stats_get(ch)->in;
	struct changes_base now = { counter64_get(&st->imported),
		counter64_get(&st->filtered), counter64_get(&st->imp_wd_accepted) };
	/* a new session counts withdrawals from 0 */
	uint64_t lost = now.withdrawn >= b->withdrawn ? now.withdrawn - b->withdrawn
						      : now.withdrawn;
	uint64_t all = now.imported + lost; /* as if no route were withdrawn */
	uint64_t gained = all - min_u64(all, b->imported);
	bool same = !lost && now.imported == b->imported && now.filtered == b->filtered;

	lost += b->imported - min_u64(b->imported, all);
	*r = (struct change_routes){ (uint32_t)gained, (uint32_t)lost,
		(uint32_t)now.imported, (uint32_t)now.filtered };
	*b = now;
	return !same;
}

/* changes_sample - an entry about the routes, if routes have changed. */
static void
changes_sample(struct proto_changes *c)
{
	const struct channel *ch = load_relaxed_ptr(&c->proto->channels);
	struct change_routes r[FAM_CNT] = { 0 };
	uint64_t now = loop_now_ns(&c->proto->worker);
	bool changed = false;
	struct proto_change *e;
	uint8_t what = 0;

	for (; ch; ch = channel_next(ch)) {
		enum family f = channel_family(ch);

		if (f >= FAM_CNT)
			continue;
		changed |= changes_count(&r[f], &c->base[f], ch);
		what |= (uint8_t)(1u << f);
	}
	for (unsigned f = 0; f < FAM_CNT; f++) { /* the channel ended with its routes */
		if (what & 1u << f || !c->base[f].imported)
			continue;
		r[f].lost = (uint32_t)c->base[f].imported;
		c->base[f] = (struct changes_base){ 0 };
		what |= (uint8_t)(1u << f);
		changed = true;
	}
	if (!changed)
		return;
	e = changes_put(c, CHANGE_ROUTES);
	e->what = what;
	e->span_ms = (uint32_t)min_u64((now - c->from_ns) / NS_PER_MS, UINT32_MAX);
	memcpy(e->routes, r, sizeof(r));
	changes_publish(c);
	c->from_ns = now;
	c->paid_ns = max_u64(c->paid_ns, now) + CHANGES_PACE_NS;
}

/* changes_unread - I3: has a table not read all records yet? */
static bool
changes_unread(const struct proto_changes *c)
{
	const struct channel *ch = load_relaxed_ptr(&c->proto->channels);
	bool unread = false;

	for (; ch; ch = channel_next(ch))
		unread |= channel_queued(ch) != 0;
	return unread;
}

static void
changes_arm(struct proto_changes *c)
{
	uint64_t now = loop_now_ns(&c->proto->worker);
	uint64_t burst_ns = CHANGES_BURST * CHANGES_PACE_NS;

	c->from_ns = now;
	timer_set(&c->soon,
	    max_u64(now + CHANGES_WAIT_NS, c->paid_ns - min_u64(c->paid_ns, burst_ns)));
}

static void
changes_fire(struct timer *t)
{
	struct proto_changes *c = container_of(t, struct proto_changes, soon);
	/* before the counters: a table counts a route before it frees the record */
	bool unread = changes_unread(c);

	changes_sample(c);
	if (unread)
		changes_arm(c);
}

/* ---- the instance ---- */

struct proto_changes *
proto_changes_new(struct proto *p)
{
	struct proto_changes *c;

	if (!p->cls->member.describe)
		return NULL;
	c = mem_zalloc(MEM_PROTO, sizeof(*c));
	c->proto = p;
	c->begin_ns = clock_now_ns();
	store_relaxed64(&c->next, 1);
	timer_init(&c->soon, &p->worker, changes_fire);
	return c;
}

void
proto_changes_free(TAKE struct proto_changes *c)
{
	struct change_chunk *k = c ? load_relaxed_ptr(&c->oldest) : NULL, *next;

	for (; k; k = next) {
		next = load_relaxed_ptr(&k->next);
		mem_free(MEM_PROTO, k);
	}
	if (c)
		mem_free(MEM_PROTO, load_relaxed_ptr(&c->losses));
	mem_free(MEM_PROTO, c);
}

void
proto_changes_move(struct proto *to, struct proto *from)
{
	struct proto_member old, now;

	if (!to->changes || !from->changes || to->cls != from->cls ||
	    !from->cls->member.describe(from, &old) ||
	    !to->cls->member.describe(to, &now) || old.as != now.as)
		return;
	proto_changes_free(to->changes);
	to->changes = from->changes;
	from->end.changes_moved = true;
	to->changes->proto = to;
	timer_init(&to->changes->soon, &to->worker, changes_fire);
}

void
proto_changes_resume(struct proto_changes *c)
{
	bool had = false;

	for (unsigned f = 0; c && f < FAM_CNT; f++)
		had |= c->base[f].imported != 0;
	if (had)
		proto_changes_await(c);
}

void
proto_changes_await(struct proto_changes *c)
{
	if (c && !timer_active(&c->soon))
		changes_arm(c);
}

/* changes_turn - an entry of another kind follows: an entry about routes of the time
 * before precedes, and the changes that the cause of the entry brings are of interest
 * soon. Records of the last CHANGES_WAIT_NS may belong to the cause. */
static void
changes_turn(struct proto_changes *c)
{
	uint64_t now = loop_now_ns(&c->proto->worker);

	if (!timer_active(&c->soon))
		c->from_ns = now;
	else if (now - c->from_ns >= CHANGES_WAIT_NS)
		changes_sample(c);
	timer_set(&c->soon, now + CHANGES_WAIT_NS);
}

/* changes_text - copy @s without a part of a character at the end. */
static void
changes_text(char *to, const char *s)
{
	size_t len = strlen(s);

	if (len >= CHANGE_TEXT)
		for (len = CHANGE_TEXT - 1; len && (s[len] & 0xc0) == 0x80;)
			len--;
	memcpy(to, s, len);
	to[len] = 0;
}

/* changes_word - the hour @hour with @cnt losses, as a word of changes_losses. */
static uint32_t
changes_word(uint64_t hour, uint32_t cnt)
{
	return (uint32_t)(hour << LOSS_BITS) | cnt;
}

/* changes_count_loss - the session was lost now. */
static void
changes_count_loss(struct proto_changes *c)
{
	struct changes_losses *l = load_relaxed_ptr(&c->losses);
	uint64_t hour = loop_now_ns(&c->proto->worker) / HOUR_NS;
	uint32_t cnt = proto_changes_losses(c, hour * HOUR_NS);

	if (!l) {
		l = mem_zalloc(MEM_PROTO, sizeof(*l));
		store_release_ptr(&c->losses, l); /* pairs: PLOSS */
	}
	cnt = (uint32_t)min_u64(cnt + 1, CHANGES_LOSS_MAX);
	store_relaxed32(&l->hour[hour % CHANGES_LOSS_HOURS], changes_word(hour, cnt));
}

void
proto_changes_state(
    struct proto_changes *c, bool up, const struct proto_member *m, uint64_t up_ns)
{
	struct proto_change *e;

	if (!c)
		return;
	changes_turn(c);
	e = changes_put(c, up ? CHANGE_UP : CHANGE_DOWN);
	if (!up) {
		e->side = (uint8_t)m->cause;
		e->up_s = (uint32_t)(up_ns / NS_PER_S);
		changes_count_loss(c);
		changes_text(e->text, m->text);
	}
	changes_publish(c);
}

void
proto_changes_reload(struct proto_changes *c, unsigned what)
{
	if (!c)
		return;
	changes_turn(c);
	changes_put(c, CHANGE_RELOAD)->what = (uint8_t)what;
	changes_publish(c);
}

/* ---- readers ---- */

const struct proto_change *
proto_changes_get(const struct proto_changes *c, uint64_t *nr)
{
	uint64_t next = c ? load_acquire64(&c->next) : 0; /* pairs: PCHANGE */
	const struct change_chunk *k = c ? load_acquire_ptr(&c->oldest)
					 : NULL; /* pairs: PCHUNK */

	if (k && *nr < k->first)
		*nr = k->first;
	while (k && *nr >= k->first + k->cap)
		k = load_acquire_ptr(&k->next); /* pairs: PCHUNK */
	return k && *nr < next ? &k->entry[*nr - k->first] : NULL;
}

uint32_t
proto_changes_losses(const struct proto_changes *c, uint64_t at_ns)
{
	const struct changes_losses *l = c ? load_acquire_ptr(&c->losses)
					   : NULL; /* pairs: PLOSS */
	uint64_t hour = at_ns / HOUR_NS;
	uint32_t word = l ? load_relaxed32(&l->hour[hour % CHANGES_LOSS_HOURS]) : 0;

	return (word ^ changes_word(hour, 0)) >> LOSS_BITS ? 0 : word & CHANGES_LOSS_MAX;
}

uint64_t
proto_changes_begin_ns(const struct proto_changes *c)
{
	return c->begin_ns;
}

uint64_t
proto_changes_lost_ns(const struct proto_changes *c)
{
	return load_relaxed64(&c->lost_ns);
}
