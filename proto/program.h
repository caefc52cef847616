/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The common part of the programs ternd and ternshadow. Loop: the thread of main. */
#ifndef TERN_PROTO_PROGRAM_H
#define TERN_PROTO_PROGRAM_H

#include "lib/base/check.h"

struct tern;
struct tern_part;

/* A program. Owner: main.c or main_shadow.c, static. Lives as long as the process. */
struct program {
	const char *name;
	const char *extra_option; /* in the first lines of --help */
	const char *extra_text; /* the last lines of --help */
	/* shadow_part_new - make the part for a dry run (struct tern) that compares with
	 * @feed (--shadow). NULL: the program opens sessions, and --shadow is an error.
	 * Returns: NULL: *@bad is no feed. */
	OWNED struct tern_part *(*part_new)(
	    struct tern *t, char *const *feed, unsigned cnt, const char **bad);
	void (*part_free)(TAKE struct tern_part *p); /* called after all workers ended */
};

/* program_main - run the process from start to end. Returns: the exit status. */
int program_main(const struct program *p, int argc, char **argv);

#endif
