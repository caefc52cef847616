/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A preview without a running daemon. A child process, ternshadow, runs the old
 * configuration with the snapshot as feed; this process asks the child for `configure
 * preview` of the new configuration, and prints the reply.
 *
 * I1  The preview begins when the snapshot was read to its end without a fault, each
 *     session with a place in the old configuration is up, and the routes are at rest
 *     (preview_rests).
 * I2  Each fault gives exit status 2, and nothing is printed to standard output before
 *     the preview.
 *
 * Loop: the thread of main. Tested by test/net/test_offline.py. */
#include "proto/program_preview.h"

#include "lib/json/jview.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"
#include "sysdep/os/child.h"
#include "sysdep/os/daemon.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"
#include "sysdep/os/os_fd.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define PREVIEW_PAUSE_MS 100
#define PREVIEW_RESTS    5 /* equal looks in a row */
#define PREVIEW_UP_LOOKS 300 /* looks until a session without a reason counts as down */
#define PREVIEW_END_MS   10000
#define PREVIEW_ERROR    2

static const char preview_usage[] =
    "Usage: ternd --preview NEW --against OLD --routes SNAPSHOT [--json]\n"
    "             [--fail-if \"lost > 5 %, closed > 3, member.lost > 100\"] [-T "
    "THREADS]\n"
    "  The exit status is 0, 1 if a condition is met, 2 after an error.\n";

/* Owner: program_preview_main. Life: on the stack. */
struct preview_run {
	char *next, *old, *routes; /* absolute paths; MEM_OTHER */
	const char *fail_if, *threads;
	bool json;
	struct child child;
	struct os_fd fd;
	struct cli_reader reader;
	/* the reply under way: */
	void (*line)(struct preview_run *p, const struct cli_line *l);
	unsigned code; /* of the last line */
	/* the state of the shadow: */
	bool complete;
	char why[128]; /* fault of the snapshot; "": none */
	uint32_t waits; /* sessions that are not up yet */
	uint64_t sum, last_sum; /* of counters of sessions and tables */
	uint32_t looks, rests;
	struct strbuf absent; /* sessions without a place, or that are down */
};

PRINTF_LIKE(2, 3)
static bool
preview_bad(const struct preview_run *p, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	(void)p;
	strbuf_init(&b);
	strbuf_adds(&b, "ternd --preview: ");
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	strbuf_addc(&b, '\n');
	daemon_say(true, b.s);
	strbuf_fini(&b);
	return false;
}

/* ---- the child ---- */

static int
preview_child(struct child *c, void *arg)
{
	const struct preview_run *p = arg;
	struct strbuf feed;
	char *argv[16] = { "ternshadow", "-f", "--no-sandbox", "-c", p->old, "-s",
		c->socket, "--shadow" };
	int argc = 8;

	strbuf_init(&feed);
	strbuf_addf(&feed, "snapshot:%s", p->routes);
	argv[argc++] = feed.s;
	if (p->threads) {
		argv[argc++] = "-T";
		argv[argc++] = (char *)(uintptr_t)p->threads;
	}
	preview_bad(
	    p, "cannot start ternshadow: %s", strerror(-child_exec("ternshadow", argv)));
	strbuf_fini(&feed);
	return 1;
}

/* ---- commands ---- */

/* preview_lines - the lines of @len octets at @at. Returns: true: the reply has ended. */
static bool
preview_lines(struct preview_run *p, const char *at, size_t len)
{
	struct cli_line l;
	bool got;

	for (size_t pos = 0; pos < len;) {
		pos += cli_read(&p->reader, at + pos, len - pos, &l, &got);
		if (!got || l.async)
			continue;
		if (p->line)
			p->line(p, &l);
		p->code = l.code;
		if (l.last)
			return true;
	}
	return false;
}

/* preview_reply - read a reply. Returns: false: the child has ended (reported). */
static bool
preview_reply(
    struct preview_run *p, void (*line)(struct preview_run *, const struct cli_line *))
{
	char buf[4096];
	ssize_t n;

	p->line = line;
	do {
		n = fd_read(p->fd, buf, sizeof(buf));
		if (n < 0)
			return preview_bad(p, "the preview ended early: %s",
			    n == -EPIPE ? "see the messages above" : strerror((int)-n));
	} while (!preview_lines(p, buf, (size_t)n));
	return true;
}

static bool
preview_ask(struct preview_run *p, const char *command,
    void (*line)(struct preview_run *, const struct cli_line *))
{
	struct strbuf b;
	int rc;

	strbuf_init(&b);
	strbuf_addf(&b, "%s\n", command);
	rc = fd_write_all(p->fd, b.s, b.len);
	strbuf_fini(&b);
	if (rc)
		return preview_bad(p, "the preview ended early: %s", strerror(-rc));
	return preview_reply(p, line);
}

/* ---- the state of the shadow ---- */

/* preview_look_member - a `shadow_member`. */
static void
preview_look_member(struct preview_run *p, struct jview o)
{
	char name[64], address[64] = "?", why[64];
	bool placed = jview_copy(name, sizeof(name), jview_get(o, "name")) && name[0];

	p->sum += jview_u64(jview_get(o, "announced"), 0) +
		  jview_u64(jview_get(o, "here"), 0);
	if (jview_true(jview_get(o, "session")))
		return;
	if (!jview_copy(why, sizeof(why), jview_get(o, "reason")))
		why[0] = 0;
	if (placed && !why[0] && p->looks < PREVIEW_UP_LOOKS) {
		p->waits++;
		return;
	}
	(void)jview_copy(address, sizeof(address), jview_get(o, "address"));
	strbuf_addf(&p->absent, "%s%s%s%s%s", p->absent.len ? ", " : "",
	    placed ? name : address, why[0] ? " (" : "", why, why[0] ? ")" : "");
}

/* preview_look - a line of `json show shadow` or `json show table`. */
static void
preview_look(struct preview_run *p, const struct cli_line *l)
{
	static const char *const counters[] = { "networks", "routes", "filtered",
		"changes", "segments" };
	struct jview o, type;

	if (l->code != CLI_JSON)
		return;
	o = jview_of(l->text, l->len);
	type = jview_get(o, "type");
	if (jview_is(type, "shadow_member")) {
		preview_look_member(p, o);
	} else if (jview_is(type, "shadow_snapshot")) {
		p->complete = jview_true(jview_get(o, "complete"));
		p->sum += jview_u64(jview_get(o, "records"), 0);
		if (!jview_copy(p->why, sizeof(p->why), jview_get(o, "reason")))
			p->why[0] = 0;
	} else if (jview_is(type, "table")) {
		for (unsigned i = 0; i < sizeof(counters) / sizeof(*counters); i++)
			p->sum += jview_u64(jview_get(o, counters[i]), 0) << i;
	}
}

/* preview_rests - look once. Returns: true: I1. */
static bool
preview_rests(struct preview_run *p)
{
	bool rests = p->complete && !p->waits && p->sum == p->last_sum;

	p->rests = rests ? p->rests + 1 : 0;
	p->last_sum = p->sum;
	p->looks++;
	return p->rests >= PREVIEW_RESTS;
}

/* preview_wait - Returns: false: an error (reported). */
static bool
preview_wait(struct preview_run *p)
{
	do {
		if (p->looks)
			fd_wait(NULL, 0, PREVIEW_PAUSE_MS);
		p->sum = p->waits = 0;
		p->complete = false;
		strbuf_reset(&p->absent);
		if (!preview_ask(p, "json show shadow", preview_look) ||
		    !preview_ask(p, "json show table", preview_look))
			return false;
		if (p->why[0])
			return preview_bad(p, "%s: %s", p->routes, p->why);
	} while (!preview_rests(p));
	if (p->absent.len)
		preview_bad(p, "the snapshot has sessions that are not up in %s: %s",
		    p->old, p->absent.s);
	return true;
}

/* ---- the preview ---- */

static void
preview_print_line(struct preview_run *p, const struct cli_line *l)
{
	struct strbuf b;

	if (p->json && l->code != CLI_JSON)
		return;
	if (l->last && !l->len)
		return;
	strbuf_init(&b);
	strbuf_add(&b, l->text, l->len);
	strbuf_addc(&b, '\n');
	daemon_say(!p->json && l->code >= CLI_FAILED && l->code != CLI_CONDITION, b.s);
	strbuf_fini(&b);
}

/* preview_result - Returns: the exit status. */
static int
preview_result(struct preview_run *p)
{
	struct strbuf b;
	bool asked;

	strbuf_init(&b);
	strbuf_addf(&b, "%sconfigure preview \"%s\"", p->json ? "json " : "", p->next);
	if (p->fail_if)
		strbuf_addf(&b, " fail if \"%s\"", p->fail_if);
	asked = preview_ask(p, b.s, preview_print_line);
	strbuf_fini(&b);
	if (!asked)
		return PREVIEW_ERROR;
	if (p->code == CLI_CONDITION)
		return 1;
	return p->code >= CLI_FAILED ? PREVIEW_ERROR : 0;
}

static int
preview_run(struct preview_run *p)
{
	int rc = child_start(&p->child, preview_child, p), status = PREVIEW_ERROR;

	if (rc) {
		preview_bad(p, "%s", strerror(-rc));
		return PREVIEW_ERROR;
	}
	p->fd = child_connect(&p->child);
	cli_reader_init(&p->reader);
	if (!os_fd_is_open(p->fd)) {
		if (os_fd_error(p->fd) != -ECHILD) /* else the child has said why */
			preview_bad(p, "%s", strerror(-os_fd_error(p->fd)));
	} else if (preview_reply(p, NULL) && preview_wait(p)) {
		status = preview_result(p);
	}
	rc = os_fd_is_open(p->fd) ? fd_write_all(p->fd, "down\n", 5) : -EPIPE;
	child_end(&p->child, rc ? 0 : PREVIEW_END_MS);
	if (os_fd_is_open(p->fd))
		fd_close(p->fd);
	cli_reader_fini(&p->reader);
	return status;
}

/* ---- the command line ---- */

bool
program_preview_wanted(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--preview"))
			return true;
	return false;
}

static char *
preview_path(const char *name)
{
	char *path = file_real(name);

	return path ? path : file_absolute(name);
}

/* preview_options - Returns: false: wrong options. */
static bool
preview_options(struct preview_run *p, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "preview", required_argument, NULL, 'n' },
		{ "against", required_argument, NULL, 'o' },
		{ "routes", required_argument, NULL, 'r' },
		{ "fail-if", required_argument, NULL, 'i' },
		{ "json", no_argument, NULL, 'j' },
		{ "threads", required_argument, NULL, 'T' },
		{ NULL, 0, NULL, 0 },
	};
	const char *next = NULL, *old = NULL, *routes = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "T:", longs, NULL)) != -1) {
		if (c == 'n')
			next = optarg;
		else if (c == 'o')
			old = optarg;
		else if (c == 'r')
			routes = optarg;
		else if (c == 'i')
			p->fail_if = optarg;
		else if (c == 'j')
			p->json = true;
		else if (c == 'T')
			p->threads = optarg;
		else
			return false;
	}
	if (optind < argc || !next || !old || !routes)
		return false;
	p->next = preview_path(next);
	p->old = preview_path(old);
	p->routes = preview_path(routes);
	return p->next && p->old && p->routes;
}

int
program_preview_main(int argc, char **argv)
{
	struct preview_run p = { .fd = OS_FD_NONE };
	int status = PREVIEW_ERROR;

	strbuf_init(&p.absent);
	if (preview_options(&p, argc, argv))
		status = preview_run(&p);
	else
		daemon_say(true, preview_usage);
	strbuf_fini(&p.absent);
	mem_free(MEM_OTHER, p.next);
	mem_free(MEM_OTHER, p.old);
	mem_free(MEM_OTHER, p.routes);
	return status;
}
