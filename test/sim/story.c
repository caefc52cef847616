/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stories: tests in virtual time as text. doc/testing.md describes the language.
 *
 * Each line is one step; the steps run in order. `at 3s STEP` waits until 3 s after the
 * first step. */
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/world.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *__real_fopen(const char *path, const char *mode);

#define EXPECT_NS (180 * SIM_S)
#define NEVER_MAX 16

struct never {
	struct member *m;
	char prefix[64];
};

struct story {
	struct world w;
	const char *path;
	unsigned line;
	uint64_t begin_ns;
	char *text, *at; /* the whole file; what is left */
	struct never never[NEVER_MAX];
	unsigned never_cnt;
	bool ended;
};

static void __attribute__((format(printf, 2, 3), noreturn))
story_fail(const struct story *s, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	sim_fail("%s:%u: %s", s->path, s->line, text);
}

/* word - the next word of *@at, cut off; "" at the end. */
static char *
word(char **at)
{
	char *w = *at + strspn(*at, " \t");

	*at = w + strcspn(w, " \t");
	if (**at)
		*(*at)++ = 0;
	return w;
}

/* rest_of - what follows, without blanks at both ends and without quotes around. */
static char *
rest_of(char *at)
{
	size_t len;

	at += strspn(at, " \t");
	len = strlen(at);
	while (len && isspace((unsigned char)at[len - 1]))
		at[--len] = 0;
	if (len > 1 && *at == '"' && at[len - 1] == '"') {
		at[len - 1] = 0;
		at++;
	}
	return at;
}

static uint64_t
time_of(const struct story *s, const char *text)
{
	char *unit;
	double v = strtod(text, &unit);

	if (!strcmp(unit, "ms"))
		return (uint64_t)(v * 1e6);
	if (!strcmp(unit, "s"))
		return (uint64_t)(v * 1e9);
	if (!strcmp(unit, "min"))
		return (uint64_t)(v * 60e9);
	if (!strcmp(unit, "h"))
		return (uint64_t)(v * 3600e9);
	story_fail(s, "'%s' is no time: a number and ms, s, min or h", text);
}

/* next_line - NULL: the end. */
static char *
next_line(struct story *s)
{
	char *line = s->at, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	s->at = end ? end + 1 : NULL;
	if (end)
		*end = 0;
	s->line++;
	return line;
}

/* block - the lines up to one with a single dot; the caller frees the text. */
static char *
block(struct story *s)
{
	char *out = NULL, *line;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	while ((line = next_line(s)) && strcmp(line, "."))
		fprintf(f, "%s\n", line);
	fclose(f);
	if (!line)
		story_fail(s, "the block has no end: a line with a single dot");
	return out;
}

/* ---- members ---- */

static void
step_member(struct story *s, char *at)
{
	char *name = word(&at), *w, address[64] = "", server[64] = "10.0.0.1";
	struct member *m;
	uint32_t as = 0;
	char *rest = strdup(at), *scan = rest;

	while (*(w = word(&scan))) {
		if (!strcmp(w, "as"))
			as = (uint32_t)strtoul(word(&scan), NULL, 10);
		else if (!strcmp(w, "at"))
			snprintf(address, sizeof(address), "%s", word(&scan));
		else if (!strcmp(w, "to"))
			snprintf(server, sizeof(server), "%s", word(&scan));
	}
	if (!as || !*address)
		story_fail(
		    s, "a member has an AS and an address: member NAME as N at ADDRESS");
	m = world_add(&s->w, name, as, address, server);
	free(rest);
	while (*(w = word(&at))) {
		if (!strcmp(w, "hold"))
			m->hold_s = (uint16_t)atoi(word(&at));
		else if (!strcmp(w, "password"))
			snprintf(m->password, sizeof(m->password), "%s", word(&at));
		m->add_path |= !strcmp(w, "add-path");
		m->restarts |= !strcmp(w, "restarts");
		m->ipv6 |= !strcmp(w, "ipv6");
	}
}

static void
send_hex(struct story *s, struct member *m, const char *at)
{
	uint8_t buf[4096];
	uint32_t len = 0;
	unsigned v;

	for (; *at; at += 2) {
		at += strspn(at, " ");
		if (sscanf(at, "%2x", &v) != 1 || len == sizeof(buf))
			story_fail(s, "'%s' are no octets", at);
		buf[len++] = (uint8_t)v;
	}
	member_send_raw(m, buf, len);
}

static void
step_announce(struct story *s, struct member *m, char *at)
{
	char *prefix = word(&at);
	uint32_t id = 0;

	if (!strchr(prefix, '/'))
		story_fail(s, "'%s' is no prefix", prefix);
	at += strspn(at, " ");
	if (!strncmp(at, "id ", 3)) {
		word(&at);
		id = (uint32_t)strtoul(word(&at), NULL, 10);
	}
	member_announce(m, prefix, id, rest_of(at));
}

static void
step_of_member(struct story *s, struct member *m, char *at)
{
	char *verb = word(&at), *prefix;

	if (!strcmp(verb, "up")) {
		member_up(m);
	} else if (!strcmp(verb, "down")) {
		member_down(m, false);
	} else if (!strcmp(verb, "reset")) {
		member_down(m, true);
		member_up(m);
	} else if (!strcmp(verb, "lost")) {
		member_down(m, true);
	} else if (!strcmp(verb, "silent")) {
		m->silent = true;
	} else if (!strcmp(verb, "stops")) {
		m->reads = false;
		m->work = true;
	} else if (!strcmp(verb, "reads")) {
		m->reads = m->work = true;
	} else if (!strcmp(verb, "refreshes")) {
		member_refresh(m);
	} else if (!strcmp(verb, "sends")) {
		send_hex(s, m, rest_of(at));
	} else if (!strcmp(verb, "announces")) {
		step_announce(s, m, at);
	} else if (!strcmp(verb, "withdraws")) {
		prefix = word(&at);
		at += strspn(at, " ");
		member_announce(
		    m, prefix, *at ? (uint32_t)strtoul(at + 3, NULL, 10) : 0, NULL);
	} else {
		story_fail(s, "a member does not do '%s'", verb);
	}
}

/* ---- expectations ---- */

struct expected {
	const struct member *m;
	const char *verb, *prefix;
	char *words; /* that the route's text holds */
};

static bool
is_so(const struct expected *e)
{
	const struct mroute *r;

	if (!strcmp(e->verb, "up"))
		return e->m->up;
	if (!strcmp(e->verb, "down"))
		return !e->m->up;
	r = e->m->received;
	while (r && (strcmp(r->prefix, e->prefix) || !strstr(r->attrs, e->words)))
		r = r->next;
	return !strcmp(e->verb, "has") ? r != NULL : !r;
}

static void
step_expect(struct story *s, char *at)
{
	struct expected e = { .m = world_find(&s->w, word(&at)) };
	uint64_t until = sim_now() + EXPECT_NS;
	const struct mroute *r;

	e.verb = word(&at);
	e.prefix = word(&at);
	e.words = rest_of(at);
	if (!e.m)
		story_fail(s, "expect names a member");
	if (strcmp(e.verb, "has") && strcmp(e.verb, "lacks") && strcmp(e.verb, "up") &&
	    strcmp(e.verb, "down"))
		story_fail(s, "expect MEMBER has, lacks, up or down; not '%s'", e.verb);
	if (!strcmp(e.verb, "lacks"))
		world_settle(&s->w);
	while (!is_so(&e) && sim_now() < until)
		sim_sleep(sim_now() + 20 * SIM_MS);
	if (is_so(&e))
		return;
	r = *e.prefix ? member_has(e.m, e.prefix) : NULL;
	story_fail(s, "expected: %s %s %s %s; %s", e.m->name, e.verb, e.prefix, e.words,
	    r ? r->attrs : "no such route");
}

static void
step_never(struct story *s, char *at)
{
	struct never *n = &s->never[s->never_cnt];
	char *verb;

	if (s->never_cnt == NEVER_MAX)
		story_fail(s, "more than %d lines with 'never'", NEVER_MAX);
	n->m = world_find(&s->w, word(&at));
	verb = word(&at);
	snprintf(
	    n->prefix, sizeof(n->prefix), "%s", !strcmp(verb, "down") ? "" : word(&at));
	if (!n->m || (strcmp(verb, "has") && strcmp(verb, "down")))
		story_fail(s, "never MEMBER has PREFIX, or never MEMBER down");
	s->never_cnt++;
}

static void *
never_task(void *arg)
{
	struct story *s = arg;

	while (!s->ended) {
		for (unsigned i = 0; i < s->never_cnt; i++) {
			const struct never *n = &s->never[i];

			if (*n->prefix ? member_has(n->m, n->prefix) != NULL : !n->m->up)
				story_fail(s, "never was broken: %s %s", n->m->name,
				    *n->prefix ? n->prefix : "down");
		}
		sim_sleep(sim_now() + SIM_MS);
	}
	return NULL;
}

static void
step_answer(struct story *s, char *at)
{
	char *verb = word(&at), *text = rest_of(at);
	bool has = s->w.answer && strstr(s->w.answer, text);

	if (has != !strcmp(verb, "has"))
		story_fail(s, "answer %s '%s'; the answer is:\n%s", verb, text,
		    s->w.answer ? s->w.answer : "");
}

/* ---- steps ---- */

static void
step_link(struct story *s, char *at)
{
	char *name = word(&at), *w, *ip4 = NULL, *ip6 = NULL;
	int len4 = 0, len6 = 0;

	while (*(w = word(&at))) {
		char *slash = strchr(w, '/');

		if (!slash) {
			sim_link_set(name, !strcmp(w, "up"));
			return;
		}
		*slash = 0;
		if (strchr(w, ':')) {
			ip6 = w;
			len6 = atoi(slash + 1);
		} else {
			ip4 = w;
			len4 = atoi(slash + 1);
		}
	}
	if (!ip4 && !ip6)
		story_fail(
		    s, "link NAME ADDRESS/LENGTH..., or link NAME up, or link NAME down");
	sim_link_add(name, ip4, len4, ip6, len6);
}

static bool
daemon_gone(void *arg)
{
	(void)arg;
	return !sim_daemon_runs();
}

static void
step_stop(struct story *s)
{
	sim_signal(SIGTERM);
	if (!sim_wait(daemon_gone, NULL, sim_now() + 60 * SIM_S))
		story_fail(s, "ternd does not end within 60 s");
	if (sim_daemon_status())
		story_fail(s, "ternd ended with %d", sim_daemon_status());
}

static void
step(struct story *s, char *at)
{
	char *verb = word(&at), *text;
	struct member *m = world_find(&s->w, verb);

	if (m) {
		step_of_member(s, m, at);
	} else if (!strcmp(verb, "member")) {
		step_member(s, at);
	} else if (!strcmp(verb, "config")) {
		world_config(&s->w, text = block(s));
		free(text);
	} else if (!strcmp(verb, "file")) {
		text = block(s);
		sim_file_put(rest_of(at), text);
		free(text);
	} else if (!strcmp(verb, "link")) {
		step_link(s, at);
	} else if (!strcmp(verb, "start")) {
		sim_daemon_start(rest_of(at));
	} else if (!strcmp(verb, "crash")) {
		sim_daemon_crash();
	} else if (!strcmp(verb, "stop")) {
		step_stop(s);
	} else if (!strcmp(verb, "ended")) {
		if (!sim_wait(daemon_gone, NULL, sim_now() + 60 * SIM_S))
			story_fail(s, "ternd does not end within 60 s");
	} else if (!strcmp(verb, "cut") || !strcmp(verb, "mend")) {
		sim_net_cut(rest_of(at), *verb == 'c');
	} else if (!strcmp(verb, "disk")) {
		sim_disk_room(strstr(at, "full") ? 0 : UINT64_MAX);
	} else if (!strcmp(verb, "clock")) {
		sim_clock_set(sim_clock_step() + (int64_t)time_of(s, rest_of(at)));
	} else if (!strcmp(verb, "command")) {
		world_command(&s->w, rest_of(at));
	} else if (!strcmp(verb, "answer")) {
		step_answer(s, at);
	} else if (!strcmp(verb, "expect")) {
		step_expect(s, at);
	} else if (!strcmp(verb, "never")) {
		step_never(s, at);
	} else if (!strcmp(verb, "forget")) {
		s->never_cnt = 0;
	} else if (!strcmp(verb, "settle")) {
		world_settle(&s->w);
	} else {
		story_fail(s, "no step and no member is called '%s'", verb);
	}
}

static void
line_run(struct story *s, char *line)
{
	char *at = line, *comment = *line == '#' ? line : strstr(line, " #");
	uint64_t when;

	if (comment)
		*comment = 0;
	at += strspn(at, " \t");
	if (!strncmp(at, "at ", 3) || !strncmp(at, "after ", 6)) {
		bool after = at[1] == 'f';

		word(&at);
		when = time_of(s, word(&at)) + (after ? sim_now() : s->begin_ns);
		sim_sleep(when);
	}
	at += strspn(at, " \t");
	if (*at)
		step(s, at);
}

/* read_file - a real file; the caller frees the text. NULL: it cannot be read. */
static char *
read_file(const char *path)
{
	FILE *f = __real_fopen(path, "r"), *to;
	char *out = NULL, buf[4096];
	size_t len, n;

	if (!f)
		return NULL;
	to = open_memstream(&out, &len);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		fwrite(buf, 1, n, to);
	fclose(f);
	fclose(to);
	return out;
}

void
story_run(const char *path)
{
	struct story *s = calloc(1, sizeof(*s));
	char *line;

	s->path = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	s->text = s->at = read_file(path);
	if (!s->text)
		sim_fail("can't read %s", path);
	s->begin_ns = sim_now();
	sim_task_new("never", false, never_task, s);
	while ((line = next_line(s)))
		line_run(s, line);
	s->ended = true;
}
