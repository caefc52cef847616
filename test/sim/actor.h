/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actors: peers of the daemon that are no members - validators, monitoring stations,
 * control clients, BFD systems, the kernel's table - as stories name them.
 *
 *   KIND NAME WORDS            the first step with this name makes the actor
 *   KIND NAME VERB WORDS       the actor does something
 *   expect KIND NAME VERB...   something holds of the actor
 *
 * Each kind is one file, which says what the verbs mean (doc/testing.md has them all). */
#ifndef TERN_TEST_SIM_ACTOR_H
#define TERN_TEST_SIM_ACTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct actor;

enum actor_truth { ACTOR_NO, ACTOR_YES, ACTOR_WHAT /* no such question */ };

struct actor_kind {
	const char *word;
	bool single; /* the world has one: steps give no name */
	/* make - a new actor. Returns: NULL: the words are wrong. */
	struct actor *(*make)(const char *name, char *words);
	/* act - Returns: false: the verb or its words are wrong. */
	bool (*act)(struct actor *a, const char *verb, char *words);
	/* holds - @words is the caller's copy. */
	enum actor_truth (*holds)(const struct actor *a, const char *verb, char *words);
	/* tell - the actor's state, for the message of an expectation that failed. */
	void (*tell)(const struct actor *a, FILE *to);
	/* picture - a line for each thing that the actor holds because the daemon said
	 * so, in any order, without counts. NULL: nothing. */
	void (*picture)(const struct actor *a, FILE *to);
};

/* The head of each actor. owner: the world. */
struct actor {
	struct actor *next;
	const struct actor_kind *kind;
	char name[24];
	uint64_t changed_ns; /* the last time at which the daemon told something new */
};

extern const struct actor_kind rtr_kind, bfd_kind, station_kind, router_kind, client_kind,
    kernel_kind;

/* actor_kind_of - the kind that the word names, or NULL. */
const struct actor_kind *actor_kind_of(const char *word);

#endif
