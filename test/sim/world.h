/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stories (story.c) and drawn days (day.c) share these parts: members by name, the
 * control client, rest. */
#ifndef TERN_TEST_SIM_WORLD_H
#define TERN_TEST_SIM_WORLD_H

#include "test/sim/actor.h"
#include "test/sim/member.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct world {
	struct member *members, **last; /* in the order in which they were made */
	struct actor *actors;
	char *answer; /* of the last command */
	bool is_copy; /* a fresh daemon comes up here (rest.c); `never` does not look */
};

struct member *world_add(struct world *w, const char *name, uint32_t as,
    const char *address, const char *server);
struct member *world_find(const struct world *w, const char *name);
/* world_actor - the actor of that kind and name, or NULL. */
struct actor *world_actor(
    const struct world *w, const struct actor_kind *kind, const char *name);
/* world_actor_add - Returns: false: the words are wrong. */
bool world_actor_add(
    struct world *w, const struct actor_kind *kind, const char *name, char **words);
/* world_config - write /sim/tern.conf; a line MEMBERS becomes one protocol a member:
 * `protocol bgp NAME from member { neighbor ADDRESS as AS; }`; a line `REPEAT N TEXT`
 * becomes N lines, and each @ of the text the line's number, from 1 on. */
void world_config(struct world *w, const char *text);
/* world_put_numbered - write @text; each @ becomes the number. */
void world_put_numbered(FILE *f, const char *text, uint32_t nr);
/* world_command - send one line to the control socket and wait for the whole answer,
 * which stays in w->answer. Fails the run if there is no answer within 60 s. */
const char *world_command(struct world *w, const char *line);
/* world_settle - wait until no member's table and no actor has changed for 4 s. Fails
 * after 600 s. */
void world_settle(struct world *w);
/* world_settles - world_settle for at most @ns. Returns: false: no rest. */
bool world_settles(struct world *w, uint64_t ns);
/* world_in_order - the lines of @text in order of their octets. Takes: @text. */
char *world_in_order(char *text);
/* world_picture - all tables of members, and what actors hold of the daemon, as sorted
 * text; the caller frees the text. */
char *world_picture(const struct world *w);

/* story_run - play the file; the calling task returns when the story has ended. */
void story_run(const char *path);
/* day_run - a drawn day: @members members, @ns of virtual time. */
void day_run(unsigned members, uint64_t ns);
/* pairs_run - an operator's hour with features that @seed draws (pairs.c). */
void pairs_run(uint64_t seed, unsigned minutes);
/* bridge_run - carry out the requests of a program outside, which holds the other end of
 * the socket @fd (bridge.c), until that program closes the socket. Never returns. */
void bridge_run(int fd);

#endif
