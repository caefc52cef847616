/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rights that ternd and ternshadow give up after the start. Loop: the thread of
 * main. */
#ifndef TERN_PROTO_PROGRAM_RIGHTS_H
#define TERN_PROTO_PROGRAM_RIGHTS_H

#include "lib/base/check.h"

struct config;
struct strbuf;
struct tern;

/* Owner: the caller of program_give_up. Life: on the stack. */
struct program_rights {
	const char *user, *group; /* NULL: unchanged */
	bool no_sandbox;
	/* files that the daemon writes; NULL: no such file */
	const char *file[4];
};

/* program_give_up - change the user, then enter the sandbox; t->process.sandbox says what
 * the sandbox refuses. The daemon may write in the folders of r->file, of the logs of
 * @conf, and in the working directory, also below /etc, /root and /usr. Before other
 * threads exist. Returns: false: *@why has the reason. */
MUST_CHECK bool program_give_up(const struct program_rights *r, const struct config *conf,
    struct tern *t, struct strbuf *why);

#endif
