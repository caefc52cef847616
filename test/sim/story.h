/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A story that is played: what story.c and story_expect.c share. */
#ifndef TERN_TEST_SIM_STORY_H
#define TERN_TEST_SIM_STORY_H

#include "test/sim/sim.h"
#include "test/sim/world.h"

#define NEVER_MAX 16

/* What must not occur. @m: of a member; else of an actor. */
struct never {
	struct member *m;
	char prefix[64];
	bool lacks;
	const struct actor *a;
	char verb[32], words[200];
};

struct story {
	struct world w;
	const char *path;
	unsigned line;
	uint64_t begin_ns, expect_ns; /* how long an expectation waits */
	bool within; /* the story gives this time: `lacks` waits for no rest */
	char *text, *at; /* the whole file; what is left */
	/* the line under way, whose words are cut off; its copy; NAME:LINE of it */
	const char *cut;
	char *whole, place[96];
	unsigned step_cnt;
	struct never never[NEVER_MAX];
	struct never broken_never; /* the first broken `never` */
	unsigned never_cnt;
	bool broken, ended;
	bool started; /* the daemon, and `ended` has not yet waited for the end */
};

/* story_read_check - before the first step: fail if octets of a step are no octets. */
void story_read_check(struct story *s);
/* story_start_never, story_end_never - the task that looks after `never`; the last look,
 * after the last step. */
void story_start_never(struct story *s);
void story_end_never(struct story *s);
/* Steps: *@at is the text behind the verb. A step takes all words that the step knows;
 * story.c fails when words are left. */
void story_expect(struct story *s, char **at);
void story_never(struct story *s, char **at);
/* story_forget - end all `never`. A `never` that is broken until now fails the story. */
void story_forget(struct story *s);
void story_answer(struct story *s, char **at);
/* story_need_answer - fail if no command was answered. */
void story_need_answer(const struct story *s);
void story_log(struct story *s, char **at);
void story_actor(struct story *s, const struct actor_kind *kind, char **at);
/* story_member - "NAME as N at ADDRESS ...": a new member. */
void story_member(struct story *s, char **at);
/* story_of_member - the verb of a member, and the words behind the verb. */
void story_of_member(struct story *s, struct member *m, char **at);
/* story_bad_word - fail: the last word that was taken in front of @at is unknown. */
void story_bad_word(const struct story *s, const char *at) __attribute__((noreturn));

#endif
