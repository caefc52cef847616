/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Redirects the lines of a command from its client to a file, or to the log.
 *
 * In the session's worker, which may block. Lines are collected while the command works,
 * and written between two steps, when the command holds no pointer found under RCU. */
#ifndef TERN_NEST_CLI_CLI_DUMP_H
#define TERN_NEST_CLI_CLI_DUMP_H

#include "lib/base/strbuf.h"
#include "nest/mrt/mrt_file.h"

/* Owner: its session. Lives for one command; freed by: cli_dump_free. */
struct cli_dump {
	/* private */
	struct mrt_file file; /* closed: write to the log */
	char *path; /* MEM_OTHER; NULL: write to the log */
	struct strbuf text; /* unwritten lines */
	struct strbuf end; /* text of the reply's last line, if ended */
	unsigned code; /* code of the reply's last line */
	bool ended;
	uint64_t octets, began_ns;
	int err;
};

/* cli_dump_new - @path: name of the file, given when the file is complete; NULL: the log.
 * Returns: NULL: an error, with the negative errno in *@err. Blocks. */
OWNED struct cli_dump *cli_dump_new(const char *path, int *err);
/* cli_dump_line - add a line, or, with @last, the end of the reply. Never blocks. */
void cli_dump_line(struct cli_dump *d, unsigned code, bool last, const char *text);
/* cli_dump_waiting - number of unwritten octets. */
static inline size_t
cli_dump_waiting(const struct cli_dump *d)
{
	return d->text.len;
}

/* cli_dump_write - write the collected lines. Blocks. Returns: true: the reply is
 * complete; *@code and @said, initialized by the caller, are its last line. */
bool cli_dump_write(struct cli_dump *d, unsigned *code, struct strbuf *said);
/* cli_dump_free - remove an incomplete file. Blocks. @d: may be NULL. */
void cli_dump_free(TAKE struct cli_dump *d);

#endif
