/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actors: the daemon's peers besides members, as stories name the actors: validators,
 * monitoring stations, control clients, BFD systems, the kernel's table.
 *
 *   KIND NAME WORDS            the first step with NAME makes the actor
 *   KIND NAME VERB WORDS       the actor performs the verb
 *   expect KIND NAME VERB...   the actor satisfies the expectation
 *
 * A file for each kind defines the verbs (doc/testing.md has a list).
 *
 * Owner of actors: the world, which never frees an actor. A struct actor_kind is
 * constant. */
#ifndef TERN_TEST_SIM_ACTOR_H
#define TERN_TEST_SIM_ACTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct actor;

enum actor_truth { ACTOR_NO, ACTOR_YES, ACTOR_WHAT /* no such question */ };

struct actor_kind {
	const char *word;
	bool single; /* the world has a single actor of the kind; steps give no name */
	/* make, act and holds take all words that they know. The caller fails when words
	 * are left. */
	/* make - a new actor. Returns: NULL: the words are wrong. */
	struct actor *(*make)(const char *name, char **words);
	/* act - Returns: false: the verb or its words are wrong. */
	bool (*act)(struct actor *a, const char *verb, char **words);
	/* holds - @words is the caller's copy. */
	enum actor_truth (*holds)(const struct actor *a, const char *verb, char **words);
	/* describe - print the actor's state, for the message of a failed expectation. */
	void (*describe)(const struct actor *a, FILE *to);
	/* picture - print a line for each object that the actor has learned from the
	 * daemon, in any order, without counts. NULL: no such objects. */
	void (*picture)(const struct actor *a, FILE *to);
};

/* The head of each actor. Owner: the world. */
struct actor {
	struct actor *next;
	const struct actor_kind *kind;
	char name[24];
	char address[64]; /* "": the actor has no host of its own */
	uint64_t changed_ns; /* time of the last news from the daemon */
};

extern const struct actor_kind rtr_kind, bfd_kind, station_kind, router_kind, client_kind,
    kernel_kind;

/* actor_kind_of - the kind that the word names, or NULL. */
const struct actor_kind *actor_kind_of(const char *word);

#endif
