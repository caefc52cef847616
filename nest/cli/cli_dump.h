/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the lines of a command go instead of to its client: to a file, or to the log.
 *
 * All in the session's worker, which may block. Lines are collected while the command
 * works, and written between two steps, when it holds nothing that it has found under
 * RCU. */
#ifndef TERN_NEST_CLI_DUMP_H
#define TERN_NEST_CLI_DUMP_H

#include "lib/base/strbuf.h"
#include "nest/mrt/mrt_file.h"

/* owner: its session; lives: for one command. */
struct cli_dump {
	/* private */
	struct mrt_file file; /* closed: to the log */
	char *path; /* MEM_OTHER; NULL: likewise */
	struct strbuf text; /* lines that aren't written yet */
	struct strbuf end; /* text of the reply's last line, when that was said */
	unsigned code; /* of it */
	bool ended;
	uint64_t octets, began_ns;
	int err;
};

/* cli_dump_new - @path: of the file, which is there when all is in it; NULL: the log.
 * Returns: NULL: it can't be; *@err is a negative errno. Blocks. */
OWNED struct cli_dump *cli_dump_new(const char *path, int *err);
/* cli_dump_line - a line, or, with @last, the end of the reply. Doesn't block. */
void cli_dump_line(struct cli_dump *d, unsigned code, bool last, const char *text);
/* cli_dump_waiting - octets that aren't written yet. */
static inline size_t
cli_dump_waiting(const struct cli_dump *d)
{
	return d->text.len;
}

/* cli_dump_write - what there is. Blocks. Returns: true: that was all; *@code and @said,
 * which the caller has initialized, are the reply's last line then. */
bool cli_dump_write(struct cli_dump *d, unsigned *code, struct strbuf *said);
/* cli_dump_free - a file that isn't whole is removed. Blocks. @d: may be NULL. */
void cli_dump_free(TAKE struct cli_dump *d);

#endif
