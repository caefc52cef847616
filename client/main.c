/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ternc: the client of the control socket.
 *
 *   ternc [-n NAME] [-s SOCKET] [-l] [-r] [-v] [--json] [COMMAND...]
 *   ternc [-n NAME] [-s SOCKET] [-l] snapshot FILE
 *   ternc [-n NAME] [-s SOCKET] [-l] [-r] [--json] report manrs [--json]
 *   ternc [-n NAME] [-s SOCKET] [-l] [-r] support FILE [CONFIGURATION]
 *   ternc --help | --version, anywhere before a command
 *   birdc, birdcl [-s SOCKET] [-l] [-r] [-v] [COMMAND...]
 *
 * With a command ternc sends the command, shows the reply and returns the result as exit
 * status. Without a command ternc reads commands from the terminal or from its input
 * until the end of input. Under one of BIRD's names ternc accepts the options, prints the
 * texts and finds the socket of birdc. Tested by test/net/test_compat.py and
 * test/net/test_ternc_birdc.sh.
 *
 * Loop: the only thread of ternc. */
#include "client/report.h"
#include "client/session.h"
#include "client/support.h"
#include "client/term.h"
#include "lib/base/named.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef TERN_BIRD_SOCKET_PATH
#define TERN_BIRD_SOCKET_PATH "/run/bird/bird.ctl"
#endif
#ifndef TERN_VERSION
#define TERN_VERSION "unknown"
#endif

/* main_bird_name - the name of BIRD's program in @argv0, or NULL. */
static const char *
main_bird_name(const char *argv0)
{
	const char *name = strrchr(argv0, '/');

	name = name ? name + 1 : argv0;
	return !strcmp(name, "birdc") || !strcmp(name, "birdcl") ? name : NULL;
}

/* main_default_socket - for birdc: BIRD's socket if it exists (it may be a link to tern's
 * socket). */
static const char *
main_default_socket(const char *bird)
{
	return bird && !access(TERN_BIRD_SOCKET_PATH, F_OK) ? TERN_BIRD_SOCKET_PATH
							    : TERN_SOCKET_PATH;
}

static void
main_ternc_usage(FILE *to, const char *bird)
{
	if (bird) {
		fprintf(to, "Usage: %s [-s <control-socket>] [-v] [-r] [-l]\n", bird);
		return;
	}
	fprintf(to,
	    "Usage: ternc [-n NAME] [-s SOCKET] [-l] [-r] [-v] [--json] [COMMAND...]\n"
	    "       ternc [-n NAME] [-s SOCKET] [-l] [-r] [--json] preview FILE "
	    "[for PATTERN] [limit N]\n"
	    "             [--fail-if \"lost > 5 %%, closed > 3, member.lost > 100\"]\n"
	    "       ternc [-n NAME] [-s SOCKET] [-l] snapshot FILE\n"
	    "       ternc [-n NAME] [-s SOCKET] [-l] [-r] [--json] report manrs\n"
	    "       ternc [-n NAME] [-s SOCKET] [-l] [-r] support FILE.tar "
	    "[CONFIGURATION]\n"
	    "  -n NAME    the daemon of `ternd -n NAME`, service tern@NAME\n"
	    "  -s SOCKET  control socket of the daemon (" TERN_SOCKET_PATH ")\n"
	    "  -l         tern.ctl in the current folder is the socket\n"
	    "  -r         restricted: this session can look but not change the daemon\n"
	    "  -v         show reply codes\n"
	    "  --json     show and subscribe give JSON, an object a line\n"
	    "  --help, --version\n");
}

/* join - join the words of the shell to a command, with a blank between words. */
static void
main_join(struct strbuf *to, char **words, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		if (i > 0)
			strbuf_addc(to, ' ');
		strbuf_adds(to, words[i]);
	}
}

static void
main_put_name_octet(struct strbuf *to, char c)
{
	if (c == '%')
		strbuf_addc(to, c);
	strbuf_addc(to, c);
}

/* main_put_snapshot - `snapshot FILE` is a dump of all received routes, with the whole
 * name of the file. In names of dumps `%` begins a part of the time. */
static void
main_put_snapshot(struct strbuf *to, const char *file)
{
	char *folder = file[0] == '/' ? NULL : realpath(".", NULL);

	strbuf_adds(to, "mrt dump table \"*\" to \"");
	for (const char *p = folder; p && *p; p++)
		main_put_name_octet(to, *p);
	if (folder)
		strbuf_addc(to, '/');
	for (; *file; file++)
		main_put_name_octet(to, *file);
	strbuf_adds(to, "\" received");
	free(folder);
}

/* main_put_command - the command of the shell's words. `preview FILE` is `configure
 * preview "FILE"`, with the whole name of the file: the daemon has another folder.
 * Returns: true: the command has conditions (--fail-if). */
static bool
main_put_command(struct strbuf *to, char **words, int cnt)
{
	bool conditions = false;
	char *path;

	if (!strcmp(words[0], "snapshot") && cnt == 2) {
		main_put_snapshot(to, words[1]);
		return false;
	}
	if (strcmp(words[0], "preview") || cnt < 2) {
		main_join(to, words, cnt);
		return false;
	}
	path = realpath(words[1], NULL);
	strbuf_addf(to, "configure preview \"%s\"", path ? path : words[1]);
	for (int i = 2; i < cnt; i++) {
		bool fail = !strcmp(words[i], "--fail-if") && i + 1 < cnt;

		if (fail)
			strbuf_addf(to, " fail if \"%s\"", words[++i]);
		else
			strbuf_addf(to, " %s", words[i]);
		conditions |= fail;
	}
	free(path);
	return conditions;
}

/* main_status - the exit status. @rc: negative: the session failed. With conditions 1
 * means that one is met, and 2 an error. */
static int
main_status(const struct session *s, int rc, bool conditions)
{
	bool bad = rc < 0 || session_status(s);

	if (conditions && bad && (rc < 0 || s->last_code != CLI_CONDITION))
		return 2;
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Paths of the daemon of -n; both empty: the option is not given. Owner: main. Life: the
 * life of the process. */
struct main_paths {
	struct strbuf socket, conf;
};

/* main_named - let the session be with the daemon @name. Returns: false: not a name. */
static bool
main_named(struct session *s, struct main_paths *p, const char *name)
{
	if (!named_ok(name)) {
		fprintf(stderr, "ternc: -n %s: not the name of a daemon\n", name);
		return false;
	}
	strbuf_reset(&p->socket);
	strbuf_reset(&p->conf);
	named_socket(&p->socket, name);
	named_conf(&p->conf, name);
	s->path = p->socket.s;
	return true;
}

/* Returns: -1 to go on, else the exit status. */
static int
main_ternc_options(
    struct session *s, struct main_paths *p, const char *bird, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = bird ? getopt(argc, argv, "+s:lrv")
			 : getopt_long(argc, argv, "+n:s:lrvh", longs, NULL)) != -1) {
		switch (c) {
		case 'h':
			main_ternc_usage(stdout, NULL);
			return 0;
		case 'V':
			printf("ternc (tern " TERN_VERSION ")\n");
			return 0;
		case 'n':
			if (!main_named(s, p, optarg))
				return EXIT_FAILURE;
			break;
		case 's':
			s->path = optarg;
			break;
		case 'l':
			s->path = bird ? "bird.ctl" : "tern.ctl";
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
			main_ternc_usage(stderr, bird);
			return 1;
		}
	}
	return -1;
}

/* main_support - `support FILE [CONFIGURATION]`. Returns: exit status. */
static int
main_support(struct session *s, const struct main_paths *p, int argc, char **argv)
{
	bool local = s->path && !strcmp(s->path, "tern.ctl");

	if (s->json || argc < 2 || argc > 3) {
		main_ternc_usage(stderr, NULL);
		return EXIT_FAILURE;
	}
	return support_run(s, argv[1], argc == 3 ? argv[2] : NULL,
	    local         ? "tern.conf"
	    : p->conf.len ? p->conf.s
			  : TERN_CONF_PATH);
}

/* main_report - `report manrs [--json]`. Returns: exit status. */
static int
main_report(struct session *s, int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[2], "--json"))
		s->json = true;
	else if (argc != 2)
		argc = 0;
	if (!argc || strcmp(argv[1], "manrs") != 0) {
		main_ternc_usage(stderr, NULL);
		return EXIT_FAILURE;
	}
	return report_manrs(s);
}

int
main(int argc, char **argv)
{
	const char *bird = main_bird_name(argv[0]);
	struct session s = { .path = main_default_socket(bird) };
	struct main_paths p;
	struct term t;
	struct strbuf command;
	bool conditions = false;
	int rc;

	strbuf_init(&p.socket);
	strbuf_init(&p.conf);
	rc = main_ternc_options(&s, &p, bird, argc, argv);
	if (rc >= 0)
		return rc;
	if (!bird && optind < argc && !strcmp(argv[optind], "support"))
		return main_support(&s, &p, argc - optind, argv + optind);
	if (!bird && optind < argc && !strcmp(argv[optind], "report"))
		return main_report(&s, argc - optind, argv + optind);
	term_init(&t, &s);
	t.as_bird = bird;
	if (bird)
		s.io.confirm = NULL;
	s.colour = s.colour && !bird;
	strbuf_init(&command);
	if (optind < argc)
		conditions = main_put_command(&command, argv + optind, argc - optind);
	rc = session_open(&s);
	if (rc == 0 && optind < argc) {
		rc = session_run(&s, command.s);
	} else if (rc == 0) {
		s.last_code = 0;
		rc = term_loop(&t);
	}
	term_fini(&t);
	session_close(&s);
	strbuf_fini(&command);
	strbuf_fini(&p.socket);
	strbuf_fini(&p.conf);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ternc: the reply could not be written: %s\n",
		    strerror(errno));
		rc = -1;
	}
	return main_status(&s, rc, conditions);
}
