/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands of ternfib. Each command returns the exit status of the program.
 *
 * Loop: the main thread of ternfib. */
#ifndef TERN_CLIENT_FIB_FIB_CMD_H
#define TERN_CLIENT_FIB_FIB_CMD_H

#include "lib/base/base.h"

struct ternfib;

/* The options of all commands. Owner: main(). Life: by value. */
struct fib_cmd {
	const char *name, *path; /* the command, the image */
	unsigned threads;
	unsigned seconds; /* 0: the option is absent */
	int plain; /* without AVX2 */
	unsigned record, source, destination; /* octets, of a binary record */
	unsigned csv[2]; /* columns of source and destination, from 1; 0: binary */
};

/* fib_cmd_lookup - print the routes of the addresses in @arg, or of the lines of standard
 * input. */
int fib_cmd_lookup(const struct fib_cmd *c, char **arg);
/* fib_cmd_stat, fib_cmd_verify, fib_cmd_watch, fib_cmd_walk - numbers; check; a line for
 * each publication; all ranges. */
int fib_cmd_stat(const struct fib_cmd *c, char **arg);
int fib_cmd_verify(const struct fib_cmd *c, char **arg);
int fib_cmd_watch(const struct fib_cmd *c, char **arg);
int fib_cmd_walk(const struct fib_cmd *c, char **arg);
/* fib_cmd_bench - lookups per second. */
int fib_cmd_bench(const struct fib_cmd *c, char **arg);
/* fib_cmd_annotate - add origin AS and next hop to flow records from standard input. */
int fib_cmd_annotate(const struct fib_cmd *c, char **arg);

/* fib_cmd_open - open the image, or print why not. Returns: NULL: not open. */
struct ternfib *fib_cmd_open(const struct fib_cmd *c);
/* fib_cmd_follow - ternfib_poll, and the loss of the image on standard error. *@lost: the
 * last result; 0 at first. Returns: true: the handle has a new image. */
bool fib_cmd_follow(const struct fib_cmd *c, struct ternfib *t, int *lost);
/* fib_cmd_lost - say on standard error that the image was removed; @err: of ternfib_poll.
 *  */
void fib_cmd_lost(const struct fib_cmd *c, int err);

#endif
