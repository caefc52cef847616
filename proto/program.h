/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ternd and ternshadow have in common: nearly all. */
#ifndef TERN_PROTO_PROGRAM_H
#define TERN_PROTO_PROGRAM_H

#include "lib/base/check.h"

struct tern;
struct tern_part;

struct program {
	const char *name;
	const char *own_option; /* in the first lines of --help */
	const char *own_text; /* the last lines of --help */
	/* part_new - a dry run (struct tern) with what @feed tells (--shadow). NULL: the
	 * program opens sessions, and --shadow is an error. Returns: NULL: *@bad is no
	 * feed. */
	OWNED struct tern_part *(*part_new)(
	    struct tern *t, char *const *feed, unsigned cnt, const char **bad);
	void (*part_free)(TAKE struct tern_part *p); /* when all workers are gone */
};

/* program_main - the whole life of the process. Returns: its exit status. */
int program_main(const struct program *p, int argc, char **argv);

#endif
