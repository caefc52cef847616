/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternc: the client of the control socket.
 *
 *   ternc [-s SOCKET] [-l] [-r] [-v] [--json] [COMMAND...]
 *   ternc --help | --version, wherever they stand before a command
 *
 * With a command it sends that one, shows the reply and says by its exit status whether
 * it worked; without, it takes commands from the terminal or from its input until that
 * ends. */
#include "client/session.h"
#include "client/term.h"
#include "lib/base/strbuf.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef TERN_SOCKET_PATH
#define TERN_SOCKET_PATH "/run/tern.ctl"
#endif
#ifndef TERN_VERSION
#define TERN_VERSION "unknown"
#endif

static void
usage(FILE *to)
{
	fprintf(to,
	    "Usage: ternc [-s SOCKET] [-l] [-r] [-v] [--json] [COMMAND...]\n"
	    "  -s SOCKET  control socket of the daemon (" TERN_SOCKET_PATH ")\n"
	    "  -l         tern.ctl in the current folder is the socket\n"
	    "  -r         restricted: this session can look but not change anything\n"
	    "  -v         show reply codes\n"
	    "  --json     show commands give JSON, an object a line\n"
	    "  --help, --version\n");
}

/* Words of the shell are one command, with one blank between them. */
static void
join(struct strbuf *to, char **words, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		if (i > 0)
			strbuf_addc(to, ' ');
		strbuf_adds(to, words[i]);
	}
}

/* Returns: -1 to go on, else the exit status. */
static int
options(struct session *s, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "+s:lrvh", longs, NULL)) != -1) {
		switch (c) {
		case 'h':
			usage(stdout);
			return 0;
		case 'V':
			printf("ternc (tern " TERN_VERSION ")\n");
			return 0;
		case 's':
			s->path = optarg;
			break;
		case 'l':
			s->path = "tern.ctl";
			break;
		case 'r':
			s->restricted = true;
			break;
		case 'v':
			s->verbose = true;
			break;
		case 'j':
			s->json = true;
			break;
		default:
			usage(stderr);
			return 1;
		}
	}
	return -1;
}

int
main(int argc, char **argv)
{
	struct session s = { .path = TERN_SOCKET_PATH };
	struct term t;
	struct strbuf command;
	int rc = options(&s, argc, argv);

	if (rc >= 0)
		return rc;
	term_init(&t, &s);
	rc = session_open(&s);
	if (rc == 0 && optind < argc) {
		strbuf_init(&command);
		join(&command, argv + optind, argc - optind);
		rc = session_run(&s, command.s);
		strbuf_fini(&command);
	} else if (rc == 0) {
		s.last_code = 0;
		rc = term_loop(&t);
	}
	term_fini(&t);
	session_close(&s);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ternc: the reply could not be written: %s\n",
		    strerror(errno));
		rc = -1;
	}
	return rc < 0 || session_status(&s) ? EXIT_FAILURE : EXIT_SUCCESS;
}
