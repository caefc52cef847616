/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dump WHAT ["FILE"]: all objects of a kind, to a file or to the log (class debug), with
 * the text of `show` if such a command exists.
 *
 * No state; in the session's loop. Tested by test/net/test_dump.py. */
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_dump.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "sysdep/os/os.h"
#include "sysdep/sock/sock_info.h"

/* A word after `dump`, with the function and words of its reply. */
struct dump {
	const char *what;
	void (*fn)(struct cli_session *s, struct cli_scan *sc);
	const char *words;
};

static void
cmd_dump_attributes(struct cli_session *s, struct cli_scan *sc)
{
	struct attr_store_stats st;

	(void)sc;
	attr_store_stats(s->tern->store, &st);
	cli_say(s, CLI_MEMORY, "Sets of attributes: %llu", (unsigned long long)st.sets);
	cli_say(s, CLI_MEMORY, "As on the wire:     %llu", (unsigned long long)st.wires);
	cli_say(s, CLI_MEMORY, "Octets:             %llu", (unsigned long long)st.octets);
	cli_end(s, CLI_DONE, "%s", "");
}

/* ---- sockets ---- */

#define FDS_STEP 64

struct fd_job {
	struct cli_job job;
	int next, end;
};

static void
dump_add_end(struct strbuf *b, const char *what, const struct sock_name *n)
{
	char ip[IP_STR_MAX];

	if (n->kind == SOCK_NAME_IP)
		strbuf_addf(
		    b, " %s %s port %u", what, ip_str(ip, n->end.addr), n->end.port);
	else if (n->kind == SOCK_NAME_PATH)
		strbuf_addf(b, " %s \"%s\"", what, n->path);
}

/* dump_say_fd - describe descriptor number @nr. Other threads open and close descriptors
 * meanwhile: each line is right at the time of its query. The socket pairs that wake
 * threads have no names. */
static void
dump_say_fd(struct cli_session *s, int nr)
{
	struct sock_info i;
	struct strbuf b;

	if (!sock_info_get(nr, &i))
		return;
	strbuf_init(&b);
	strbuf_addf(&b, "%4d %s", nr, i.type);
	if (i.listens)
		strbuf_adds(&b, " listens");
	dump_add_end(&b, "at", &i.local);
	dump_add_end(&b, "to", &i.remote);
	if (i.in >= 0)
		strbuf_addf(&b, ", %d octets to be read, %d to be sent", i.in, i.out);
	if (i.local.kind || i.remote.kind || !i.stream)
		cli_put_line(s, CLI_MEMORY, b.s);
	strbuf_fini(&b);
}

static void
dump_fd_step(struct cli_session *s, struct cli_job *j)
{
	struct fd_job *f = container_of(j, struct fd_job, job);

	while (f->next < f->end && cli_go_on(s))
		for (int i = 0; i < FDS_STEP && f->next < f->end; i++)
			dump_say_fd(s, f->next++);
	if (f->next == f->end)
		cli_end(s, CLI_DONE, "%s", "");
}

static void
dump_fd_free(struct cli_session *s, TAKE struct cli_job *j)
{
	(void)s;
	mem_free(MEM_OTHER, container_of(j, struct fd_job, job));
}

/* cmd_dump_sockets - of the whole daemon. */
static void
cmd_dump_sockets(struct cli_session *s, struct cli_scan *sc)
{
	struct fd_job *f = mem_zalloc(MEM_OTHER, sizeof(*f));

	(void)sc;
	f->job = (struct cli_job){ .step = dump_fd_step, .free = dump_fd_free };
	f->end = (int)min_u64(os_nofile(), 1u << 20);
	cli_run_job(s, &f->job);
}

/* ---- the kinds of dump ---- */

static const struct dump dump[] = {
	{ "resources", cmd_show_memory, "" },
	{ "sockets", cmd_dump_sockets, "" },
	{ "events", cmd_show_threads, "" },
	{ "interfaces", cmd_show_interfaces, "" },
	{ "attributes", cmd_dump_attributes, "" },
	{ "routes", cmd_show_route, "all table all" },
	{ "tables", cmd_show_table, "" },
	{ "protocols", cmd_show_protocols, "all" },
	{ "filter", cmd_show_filters, "" },
};

static const struct dump *
dump_take_what(struct cli_session *s, struct cli_scan *sc)
{
	const char *known[ARRAY_LEN(dump) + 1] = { NULL };

	for (unsigned i = 0; i < ARRAY_LEN(dump); i++) {
		known[i] = dump[i].what;
		if (!cli_scan_word(sc, dump[i].what))
			continue;
		if (dump[i].fn != cmd_show_filters || cli_scan_word(sc, "all"))
			return &dump[i];
		cli_syntax(s, sc, "'all'");
		return NULL;
	}
	cmd_no_option(s, sc, "dump", known);
	return NULL;
}

void
cmd_dump(struct cli_session *s, struct cli_scan *sc)
{
	const struct dump *d = dump_take_what(s, sc);
	char *path = NULL;
	int err = 0;

	if (!d)
		return;
	if (sc->tok == TOK_TEXT) {
		path = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	}
	if (sc->tok != TOK_END) {
		cli_syntax(s, sc,
		    path ? CLI_EXPECT_END : "a text in quotes or the end of the command");
	} else if (!(s->dump = cli_dump_new(path, &err))) {
		cli_end(s, CLI_FAILED, "Dump failed: %s: %s", path, strerror(-err));
	} else {
		cli_scan_init(sc, d->words);
		d->fn(s, sc);
	}
	mem_free(MEM_OTHER, path);
}
