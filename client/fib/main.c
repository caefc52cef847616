/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternfib: look at a table image, and use the image.
 *
 *   ternfib [OPTION...] COMMAND IMAGE [ARGUMENT...]
 *
 * Tested by test/unit/test_ternfib.c.
 *
 * Loop: the main thread; bench and annotate start threads of their own. */
#include "client/fib/fib_cmd.h"
#include "lib/base/base.h"
#include "lib/fib/ternfib.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TERN_VERSION
#define TERN_VERSION "unknown"
#endif

#define THREADS_MAX 256u
#define SECONDS_MAX 1000000u
#define COLUMNS_MAX 262144u /* of a line */
#define RECORD_MAX  65536u /* octets */

static void
main_fib_usage(FILE *to)
{
	fprintf(to,
	    "Usage: ternfib [OPTION...] COMMAND IMAGE [ARGUMENT...]\n"
	    "Commands:\n"
	    "  lookup IMAGE [ADDRESS...]  routes of addresses (default: standard input)\n"
	    "  stat IMAGE                 numbers of the image\n"
	    "  verify IMAGE               check the whole image\n"
	    "  walk IMAGE                 all ranges of addresses with a route\n"
	    "  watch IMAGE                a line for each publication\n"
	    "  bench IMAGE                lookups per second\n"
	    "  annotate IMAGE             add AS and next hop to flow records\n"
	    "Options:\n"
	    "  -t THREADS                 of bench and annotate; default 1\n"
	    "  -s SECONDS                 of watch (default: no end) and bench (1)\n"
	    "  -p                         without AVX2 and AVX-512\n"
	    "  -c SOURCE,DESTINATION      annotate: lines with these columns, from 1\n"
	    "  -r OCTETS,SOURCE,DEST      annotate: records of OCTETS octets, with the\n"
	    "                             addresses at these offsets; default 16,0,4\n"
	    "  -h, --help, --version\n");
}

/* main_fib_why - the reason @err of ternfib_open or ternfib_poll. */
static const char *
main_fib_why(int err)
{
	if (err == -EINVAL)
		return "no table image, or a damaged table image";
	if (err == -EPROTONOSUPPORT)
		return "a table image of another version";
	if (err == -EAGAIN)
		return "the first publication is not complete";
	return strerror(-err);
}

struct ternfib *
fib_cmd_open(const struct fib_cmd *c)
{
	struct ternfib *t;
	int err = ternfib_open(&t, c->path);

	if (!err) {
		ternfib_plain(t, c->plain);
		return t;
	}
	fprintf(stderr, "ternfib: %s: %s\n", c->path, main_fib_why(err));
	return NULL;
}

void
fib_cmd_lost(const struct fib_cmd *c, int err)
{
	fprintf(stderr,
	    "ternfib: %s: the image was removed, and no other image has the name: %s; "
	    "the former image stays in use\n",
	    c->path, main_fib_why(err));
}

bool
fib_cmd_follow(const struct fib_cmd *c, struct ternfib *t, int *lost)
{
	int got = ternfib_poll(t), was = *lost;

	*lost = got;
	if (got < 0 && got != was)
		fib_cmd_lost(c, got);
	return got > 0;
}

/* main_fib_numbers - read @cnt numbers between commas. Returns: false: other text, or the
 * first number is below @least, or a number is above @most. */
static bool
main_fib_numbers(
    const char *text, unsigned *out, unsigned cnt, unsigned least, unsigned most)
{
	for (unsigned i = 0; i < cnt; i++) {
		unsigned long v;
		char *end;

		v = strtoul(text, &end, 10);
		if (*text < '0' || *text > '9' || *end != (i + 1 < cnt ? ',' : 0) ||
		    v > most || (!i && v < least))
			return false;
		out[i] = (unsigned)v;
		text = end + 1;
	}
	return true;
}

/* main_fib_want - say on standard error what an option takes. Returns: false. */
static bool
main_fib_want(int option, const char *want)
{
	fprintf(stderr, "ternfib: -%c %s: the option takes %s\n", option, optarg, want);
	return false;
}

static bool
main_fib_option(struct fib_cmd *c, int option)
{
	unsigned v[3];

	switch (option) {
	case 't':
		return main_fib_numbers(optarg, &c->threads, 1, 1, THREADS_MAX) ||
		       main_fib_want(option, "a number from 1 to 256");
	case 's':
		return main_fib_numbers(optarg, &c->seconds, 1, 1, SECONDS_MAX) ||
		       main_fib_want(option, "a number from 1 to 1000000");
	case 'p':
		c->plain = 1;
		return true;
	case 'c':
		return (main_fib_numbers(optarg, c->csv, 2, 1, COLUMNS_MAX) &&
			   c->csv[1]) ||
		       main_fib_want(option, "two columns, counted from 1");
	case 'r':
		if (!main_fib_numbers(optarg, v, 3, 1, RECORD_MAX))
			return main_fib_want(option, "three numbers of at most 65536");
		c->record = v[0];
		c->source = v[1];
		c->destination = v[2];
		return true;
	default:
		return false;
	}
}

/* main_fib_end - the exit status of a command that ended with @rc: output that is lost is
 * a fault. */
static int
main_fib_end(int rc)
{
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	fprintf(stderr, "ternfib: standard output: %s\n", strerror(errno));
	return rc ? rc : 1;
}

/* A command. @options: the letters of the options that change what the command does.
 * Owner: the program. Life: static; nothing to free. */
struct main_fib_command {
	const char *name, *options;
	bool arguments; /* words may follow the image */
	int (*run)(const struct fib_cmd *c, char **arg);
};

static const struct main_fib_command *
main_fib_command(const char *name)
{
	static const struct main_fib_command command[] = {
		{ "lookup", "p", true, fib_cmd_lookup },
		{ "stat", "", false, fib_cmd_stat },
		{ "verify", "", false, fib_cmd_verify },
		{ "watch", "s", false, fib_cmd_watch },
		{ "walk", "", false, fib_cmd_walk },
		{ "bench", "pst", false, fib_cmd_bench },
		{ "annotate", "cprt", false, fib_cmd_annotate },
	};

	for (unsigned i = 0; i < ARRAY_LEN(command); i++)
		if (!strcmp(name, command[i].name))
			return &command[i];
	return NULL;
}

/* main_fib_fault - the first fault of the words of a command line, on standard error.
 * @given: the letters of the options. Returns: true: a fault. */
static bool
main_fib_fault(const struct main_fib_command *m, const char *given, char **word)
{
	size_t known = m ? strspn(given, m->options) : 0;

	if (!word[0])
		fprintf(stderr, "ternfib: a command is missing\n");
	else if (!m)
		fprintf(stderr, "ternfib: %s: no such command\n", word[0]);
	else if (given[known])
		fprintf(stderr, "ternfib: %s: the option -%c has no effect\n", m->name,
		    given[known]);
	else if (strchr(given, 'c') && strchr(given, 'r'))
		fprintf(stderr, "ternfib: %s: -c and -r exclude each other\n", m->name);
	else if (!word[1])
		fprintf(stderr, "ternfib: %s: an image is missing\n", m->name);
	else if (word[2] && !m->arguments)
		fprintf(stderr, "ternfib: %s: '%s' after the image has no effect\n",
		    m->name, word[2]);
	else
		return false;
	return true;
}

int
main(int argc, char **argv)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' }, { NULL, 0, NULL, 0 } };
	struct fib_cmd c = { .threads = 1, .record = 16, .destination = 4 };
	const struct main_fib_command *m;
	char given[sizeof("tspcr")] = "";
	int option;

	while ((option = getopt_long(argc, argv, "+ht:s:pc:r:", longs, NULL)) >= 0) {
		if (option == 'h') {
			main_fib_usage(stdout);
			return main_fib_end(0);
		}
		if (option == 'V') {
			printf("ternfib %s\n", TERN_VERSION);
			return main_fib_end(0);
		}
		if (!main_fib_option(&c, option)) {
			main_fib_usage(stderr);
			return 2;
		}
		if (!strchr(given, option))
			given[strlen(given)] = (char)option;
	}
	m = optind < argc ? main_fib_command(argv[optind]) : NULL;
	if (main_fib_fault(m, given, argv + optind)) {
		main_fib_usage(stderr);
		return 2;
	}
	c.name = m->name;
	c.path = argv[optind + 1];
	return main_fib_end(m->run(&c, argv + optind + 2));
}
