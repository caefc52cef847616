/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leases (sysdep/loop/loop_lease.c) as a model: every interleaving of an owner, of
 * somebody who posts, publishes and then lends a hand, of a second poster and of a second
 * lender, step by step. A step is one access to shared memory; what is stored waits in a
 * buffer of its thread until the memory gets it (as processors do it), or until the
 * thread fences or does a read-modify-write.
 *
 * In each state that can be reached:
 *
 * M1  Only one thread at a time touches what is the worker's own.
 * M2  A leased turn takes no segment before a message that its publisher had posted
 *     before.
 * M3  Octets don't pile up: no more wait than there are threads.
 * M4  When all but the owner are through and it sleeps, nothing is left to do.
 *
 * Then each rule is taken out in turn, and a fault has to be found: so the model can see
 * what the rule is for. Exit status 1 if not. */
#include "lib/base/base.h"
#include "lib/base/hash.h"
#include "lib/mem/mem.h"
#include <stdio.h>

enum { OWNER, FIRST, SECOND, LENDER, THREADS };

/* The word of the worker's loop. */
enum { AWAKE, ASLEEP, PARKED, LEASED, MORE, WANTED };

enum {
	RULE_SLEEP_FENCE,
	RULE_PUBLISH_FENCE,
	RULE_PARK_LAST,
	RULE_TAKE_BY_CAS,
	RULE_INBOX_AFTER_TAIL,
	RULE_POST_MARKS,
	RULE_PUBLISH_MARKS,
	RULE_RELEASE_BY_CAS,
	RULE_OWNER_ASKS,
	RULES
};

static const char *const rule_text[] = { "a fence between `asleep` and the last look",
	"a fence between what is published and the look at the word",
	"parked only after the last look", "leases are taken by CAS",
	"a look at the inbox after the tail was read", "who posts says so to a lender",
	"who publishes says so to a lender", "a release finds what was said meanwhile",
	"an owner that wakes up asks whether it is leased" };

/* What a thread has stored and the memory hasn't got: one place is enough, each thread
 * stores one thing. */
enum { NOTHING, THE_WORD, THE_TAIL };

struct thread {
	uint8_t pc;
	uint8_t tail; /* as it has read it */
	uint8_t left; /* more is to be done by the owner */
	uint8_t waits, value; /* in the buffer */
};

struct state {
	struct thread t[THREADS];
	uint8_t word, tail, read, octets;
	uint8_t inbox, handled; /* messages, by bits */
	uint8_t queued, queue;
	uint8_t events; /* for which the owner may still wake up by itself */
	uint8_t touching; /* threads that touch what is the worker's own, by bits */
};

#define SEG_CNT    2
#define STATES_MAX (1u << 20)

static bool rule[RULES];
static struct state *seen;
static uint32_t *slot, *todo, seen_cnt, todo_cnt;
static const char *fault;

static void
prop_lease_find(const char *what)
{
	if (!fault)
		fault = what;
}

/* ---- memory ---- */

static uint8_t
load_word(const struct state *s, unsigned me)
{
	return s->t[me].waits == THE_WORD ? s->t[me].value : s->word;
}

static uint8_t
load_tail(const struct state *s, unsigned me)
{
	return s->t[me].waits == THE_TAIL ? s->t[me].value : s->tail;
}

static void
prop_lease_store(struct state *s, unsigned me, uint8_t what, uint8_t value)
{
	s->t[me].waits = what;
	s->t[me].value = value;
}

static void
prop_lease_drain(struct state *s, unsigned me)
{
	struct thread *t = &s->t[me];

	if (t->waits == THE_WORD)
		s->word = t->value;
	else if (t->waits == THE_TAIL)
		s->tail = t->value;
	t->waits = t->value = 0;
}

static bool
prop_lease_cas(struct state *s, uint8_t old, uint8_t fresh)
{
	if (s->word != old)
		return false;
	s->word = fresh;
	return true;
}

static void
prop_lease_touch(struct state *s, unsigned me, bool on)
{
	if (on && s->touching & ~(1u << me))
		prop_lease_find("M1: two threads run the worker");
	s->touching = (uint8_t)(on ? s->touching | 1u << me : s->touching & ~(1u << me));
}

/* ---- the owner: a round, sleep, poll ---- */

enum {
	O_QUEUE,
	O_UNQUEUE,
	O_INBOX,
	O_RUN,
	O_ASLEEP,
	O_FENCE,
	O_LOOK_QUEUE,
	O_LOOK_TAIL,
	O_PARK,
	O_STAY,
	O_GLANCE,
	O_POLL,
	O_WAKE,
	O_WAIT,
	O_SLEEP_ON
};

static void
owner_round(struct state *s, struct thread *t)
{
	switch (t->pc) {
	case O_QUEUE:
		prop_lease_touch(s, OWNER, true);
		t->pc = s->queue ? O_UNQUEUE : O_RUN;
		s->queue = 0;
		break;
	case O_UNQUEUE:
		s->queued = 0;
		t->pc = O_INBOX;
		break;
	case O_INBOX:
		s->handled |= s->inbox;
		s->inbox = 0;
		t->pc = O_RUN;
		break;
	case O_RUN:
		s->read = load_tail(s, OWNER);
		t->pc = O_ASLEEP;
		break;
	}
}

static void
owner_sleeps(struct state *s, struct thread *t)
{
	switch (t->pc) {
	case O_ASLEEP:
		prop_lease_store(
		    s, OWNER, THE_WORD, rule[RULE_PARK_LAST] ? ASLEEP : PARKED);
		t->pc = rule[RULE_SLEEP_FENCE] ? O_FENCE : O_LOOK_QUEUE;
		break;
	case O_FENCE:
		t->pc = O_LOOK_QUEUE;
		break;
	case O_LOOK_QUEUE:
		prop_lease_touch(s, OWNER, true);
		t->pc = s->queue ? O_STAY : O_LOOK_TAIL;
		break;
	case O_LOOK_TAIL:
		prop_lease_touch(s, OWNER, true);
		t->pc = load_tail(s, OWNER) != s->read ? O_STAY : O_PARK;
		break;
	case O_PARK:
		prop_lease_touch(s, OWNER, false);
		prop_lease_cas(s, ASLEEP, PARKED);
		t->pc = O_POLL;
		break;
	case O_STAY:
		s->word = AWAKE;
		t->pc = O_GLANCE;
		break;
	case O_GLANCE: /* it polls without a wait */
		s->octets = 0;
		t->pc = O_QUEUE;
		break;
	}
}

static void
owner_wakes(struct state *s, struct thread *t)
{
	switch (t->pc) {
	case O_POLL:
		s->events -= !s->octets;
		s->octets = 0;
		t->pc = O_WAKE;
		break;
	case O_WAKE:
		if (rule[RULE_OWNER_ASKS] && s->word >= LEASED) {
			s->word = WANTED;
			t->pc = O_WAIT;
			break;
		}
		s->word = AWAKE;
		t->pc = O_QUEUE;
		break;
	case O_WAIT:
		s->octets = 0;
		t->pc = O_SLEEP_ON;
		break;
	case O_SLEEP_ON: /* an octet may be an old one */
		t->pc = load_word(s, OWNER) == AWAKE ? O_QUEUE : O_WAIT;
		break;
	}
}

static void
owner_step(struct state *s)
{
	struct thread *t = &s->t[OWNER];

	if (t->pc < O_ASLEEP)
		owner_round(s, t);
	else if (t->pc < O_POLL)
		owner_sleeps(s, t);
	else
		owner_wakes(s, t);
}

/* ---- the others: post, publish, then lend a hand or kick ---- */

enum {
	P_PUSH,
	P_CALL,
	P_QUEUE,
	P_FENCE,
	P_KICK,
	P_OCTET,
	P_PUBLISH,
	P_FENCE_2,
	L_LOOK,
	L_TAKE,
	L_OWN,
	L_TAIL,
	L_INBOX,
	L_SEGMENT,
	L_RELEASE,
	L_OCTET,
	DONE
};

/* kick - Returns: whether an octet is to be written. */
static bool
prop_lease_kick(struct state *s, uint8_t word)
{
	if (word == ASLEEP || word == PARKED) {
		s->word = AWAKE;
		return true;
	}
	if ((word == LEASED || word == MORE) && rule[RULE_POST_MARKS])
		s->word = WANTED;
	return false;
}

static uint8_t
message_of(unsigned me)
{
	return (uint8_t)(1u << me);
}

static uint8_t
after_post(unsigned me)
{
	return me == SECOND ? DONE : P_PUBLISH;
}

static void
post_step(struct state *s, unsigned me, struct thread *t)
{
	uint8_t word = load_word(s, me);
	bool first = !s->inbox, old = s->queued;

	switch (t->pc) {
	case P_PUSH:
		s->inbox |= message_of(me);
		t->pc = first ? P_CALL : after_post(me);
		break;
	case P_CALL:
		s->queued = 1;
		t->pc = old ? P_FENCE : P_QUEUE;
		break;
	case P_QUEUE:
		s->queue = 1;
		t->pc = P_FENCE;
		break;
	case P_FENCE:
		t->pc = P_KICK;
		break;
	case P_KICK:
		t->pc = prop_lease_kick(s, word) ? P_OCTET : after_post(me);
		break;
	case P_OCTET:
		s->octets++;
		t->pc = after_post(me);
		break;
	case P_PUBLISH:
		prop_lease_store(s, me, THE_TAIL, (uint8_t)(load_tail(s, me) + 1));
		t->pc = load_tail(s, me) < SEG_CNT ? P_PUBLISH
			: rule[RULE_PUBLISH_FENCE] ? P_FENCE_2
						   : L_LOOK;
		break;
	case P_FENCE_2:
		t->pc = L_LOOK;
		break;
	}
}

/* lend_turn - @stop: the budget is used up. */
static void
lend_turn(struct state *s, unsigned me, struct thread *t, bool stop)
{
	switch (t->pc) {
	case L_OWN:
		prop_lease_touch(s, me, true);
		t->left = 0;
		t->pc = L_TAIL;
		break;
	case L_TAIL:
		t->tail = load_tail(s, me);
		t->pc = t->tail == s->read            ? L_RELEASE
			: rule[RULE_INBOX_AFTER_TAIL] ? L_INBOX
						      : L_SEGMENT;
		break;
	case L_INBOX:
		t->left = s->inbox != 0;
		t->pc = t->left ? L_RELEASE : L_SEGMENT;
		break;
	case L_SEGMENT:
		if (stop) {
			t->left = 1;
			t->pc = L_RELEASE;
			break;
		}
		if (s->inbox & message_of(FIRST))
			prop_lease_find("M2: a segment overtakes a message");
		s->read++;
		if (s->read == t->tail)
			t->pc = L_TAIL;
		break;
	}
}

static void
lend_end(struct state *s, unsigned me, struct thread *t)
{
	switch (t->pc) {
	case L_RELEASE:
		prop_lease_touch(s, me, false);
		if (!t->left &&
		    (prop_lease_cas(s, LEASED, PARKED) || !rule[RULE_RELEASE_BY_CAS])) {
			s->word = PARKED;
			t->pc = DONE;
		} else if (!t->left && prop_lease_cas(s, MORE, LEASED)) {
			t->pc = L_OWN;
		} else {
			s->word = AWAKE;
			t->pc = L_OCTET;
		}
		break;
	case L_OCTET:
		s->octets++;
		t->pc = DONE;
		break;
	}
}

static void
lend_step(struct state *s, unsigned me, struct thread *t, bool stop)
{
	uint8_t word = load_word(s, me);

	if (t->pc == L_LOOK) {
		t->pc = DONE;
		if (word == PARKED)
			t->pc = L_TAKE;
		else if (word == ASLEEP && prop_lease_kick(s, word))
			t->pc = L_OCTET;
		else if (word == LEASED && rule[RULE_PUBLISH_MARKS])
			s->word = MORE;
	} else if (t->pc == L_TAKE) {
		t->pc = L_OWN;
		if (!rule[RULE_TAKE_BY_CAS])
			s->word = LEASED;
		else if (!prop_lease_cas(s, PARKED, LEASED))
			t->pc = L_LOOK;
	} else if (t->pc < L_RELEASE) {
		lend_turn(s, me, t, stop);
	} else {
		lend_end(s, me, t);
	}
}

/* ---- all of them ---- */

/* is_full_fence - does the thread's next step wait until its buffer is empty? */
static bool
is_full_fence(unsigned me, uint8_t pc)
{
	if (me == OWNER)
		return pc == O_UNQUEUE || pc == O_INBOX || pc == O_FENCE ||
		       pc == O_PARK || pc == O_STAY || pc == O_POLL || pc == O_WAKE ||
		       pc == O_WAIT;
	return pc == P_PUSH || pc == P_CALL || pc == P_QUEUE || pc == P_FENCE ||
	       pc == P_OCTET || pc == P_PUBLISH || pc == P_FENCE_2 || pc == L_TAKE ||
	       pc == L_OWN || pc == L_RELEASE || pc == L_OCTET;
}

static bool
can_step(const struct state *s, unsigned me)
{
	const struct thread *t = &s->t[me];

	if (t->waits && is_full_fence(me, t->pc))
		return false;
	if (me != OWNER)
		return t->pc != DONE;
	if (t->pc == O_POLL)
		return s->octets || s->events;
	return t->pc != O_WAIT || s->octets;
}

static uint32_t
prop_lease_slot_of(const struct state *s)
{
	return (uint32_t)hash_bytes(0, s, sizeof(*s)) & (2 * STATES_MAX - 1);
}

static void
prop_lease_reach(const struct state *s)
{
	uint32_t h = prop_lease_slot_of(s);

	for (; slot[h]; h = (h + 1) & (2 * STATES_MAX - 1))
		if (!memcmp(&seen[slot[h] - 1], s, sizeof(*s)))
			return;
	ASSERT(seen_cnt < STATES_MAX);
	seen[seen_cnt] = *s;
	todo[todo_cnt++] = seen_cnt;
	slot[h] = ++seen_cnt;
}

static void
prop_lease_check_end(const struct state *s)
{
	for (unsigned me = FIRST; me < THREADS; me++)
		if (s->t[me].pc != DONE)
			prop_lease_find("M4: somebody who isn't the owner waits");
	if (s->t[OWNER].pc == O_WAIT)
		prop_lease_find("M4: the owner waits for ever for the end of a lease");
	if (s->read != s->tail)
		prop_lease_find("M4: the owner sleeps, and the journal isn't read");
	if (s->inbox)
		prop_lease_find("M4: the owner sleeps, and messages wait");
}

/* explore - all that follows from @s. */
static void
prop_lease_explore(const struct state *s)
{
	bool any = false;

	if (s->octets > THREADS)
		prop_lease_find("M3: more octets than threads");
	for (unsigned me = 0; me < THREADS; me++) {
		unsigned ways = me != OWNER && s->t[me].pc == L_SEGMENT ? 2 : 1;

		if (s->t[me].waits) {
			struct state next = *s;

			any = true;
			prop_lease_drain(&next, me);
			prop_lease_reach(&next);
		}
		if (!can_step(s, me))
			continue;
		any = true;
		for (unsigned way = 0; way < ways; way++) {
			struct state next = *s;

			if (me == OWNER)
				owner_step(&next);
			else if (next.t[me].pc < L_LOOK)
				post_step(&next, me, &next.t[me]);
			else
				lend_step(&next, me, &next.t[me], way);
			prop_lease_reach(&next);
		}
	}
	if (!any)
		prop_lease_check_end(s);
}

static const char *
prop_lease_check(void)
{
	struct state first;

	memset(&first, 0, sizeof(first));
	memset(slot, 0, 2 * STATES_MAX * sizeof(*slot));
	seen_cnt = todo_cnt = 0;
	fault = NULL;
	first.events = 1;
	first.t[LENDER].pc = L_LOOK;
	prop_lease_reach(&first);
	while (todo_cnt && !fault) {
		struct state s = seen[todo[--todo_cnt]];

		prop_lease_explore(&s);
	}
	return fault;
}

int
main(void)
{
	const char *found;
	int rc = 0;

	seen = mem_alloc(MEM_OTHER, STATES_MAX * sizeof(*seen));
	todo = mem_alloc(MEM_OTHER, STATES_MAX * sizeof(*todo));
	slot = mem_alloc(MEM_OTHER, 2 * STATES_MAX * sizeof(*slot));
	memset(rule, true, sizeof(rule));
	found = prop_lease_check();
	printf("prop_lease: all rules: %s, %u states\n", found ? found : "no fault",
	    seen_cnt);
	rc |= found != NULL;
	for (unsigned i = 0; i < RULES; i++) {
		rule[i] = false;
		found = prop_lease_check();
		printf("prop_lease: without %s: %s, %u states\n", rule_text[i],
		    found ? found : "NOTHING IS FOUND", seen_cnt);
		rc |= found == NULL;
		rule[i] = true;
	}
	mem_free(MEM_OTHER, seen);
	mem_free(MEM_OTHER, todo);
	mem_free(MEM_OTHER, slot);
	return rc;
}
