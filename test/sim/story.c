/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stories: tests in virtual time as text. doc/testing.md describes the language.
 *
 * Each line is one step; the steps run in order. `at 3s STEP` waits until 3 s after the
 * first step. */
#include "test/sim/rest.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/words.h"
#include "test/sim/world.h"

#include <bsd/string.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *__real_fopen(const char *path, const char *mode);

#define EXPECT_NS (180 * SIM_S)
#define NEVER_MAX 16

/* What must not occur. @m: of a member; else of an actor. */
struct never {
	struct member *m;
	char prefix[64];
	bool lacks;
	const struct actor *a;
	char verb[32], words[200];
};

struct story {
	struct world w;
	const char *path;
	unsigned line;
	uint64_t begin_ns, expect_ns; /* how long an expectation waits */
	char *text, *at; /* the whole file; what is left */
	struct never never[NEVER_MAX];
	unsigned never_cnt, broken; /* number of the line that was broken, from 1 on */
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
	char *name = words_next(&at), *w, address[64] = "", server[64] = "10.0.0.1";
	struct member *m;
	uint32_t as = 0;
	char *rest = strdup(at), *scan = rest;

	while (*(w = words_next(&scan))) {
		if (!strcmp(w, "as"))
			as = (uint32_t)strtoul(words_next(&scan), NULL, 10);
		else if (!strcmp(w, "at"))
			strlcpy(address, words_next(&scan), sizeof(address));
		else if (!strcmp(w, "to"))
			strlcpy(server, words_next(&scan), sizeof(server));
	}
	if (!as || !*address)
		story_fail(
		    s, "a member has an AS and an address: member NAME as N at ADDRESS");
	m = world_add(&s->w, name, as, address, server);
	free(rest);
	while (*(w = words_next(&at))) {
		if (!strcmp(w, "hold"))
			m->hold_s = (uint16_t)atoi(words_next(&at));
		else if (!strcmp(w, "password"))
			strlcpy(m->password, words_next(&at), sizeof(m->password));
		m->add_path |= !strcmp(w, "add-path");
		m->restarts |= !strcmp(w, "restarts");
		m->ipv6 |= !strcmp(w, "ipv6");
	}
}

static void
send_hex(struct story *s, struct member *m, const char *at)
{
	uint8_t buf[4096];
	uint32_t len;

	if (!words_hex(at, buf, sizeof(buf), &len))
		story_fail(s, "'%s' are no octets", at);
	member_send_raw(m, buf, len);
}

static void
step_announce(struct story *s, struct member *m, char *at)
{
	char *prefix = words_next(&at);
	uint32_t id = 0;

	if (!strchr(prefix, '/'))
		story_fail(s, "'%s' is no prefix", prefix);
	at += strspn(at, " ");
	if (!strncmp(at, "id ", 3)) {
		words_next(&at);
		id = (uint32_t)strtoul(words_next(&at), NULL, 10);
	}
	member_announce(m, prefix, id, words_rest(at));
}

static void
step_of_member(struct story *s, struct member *m, char *at)
{
	char *verb = words_next(&at), *prefix;

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
		send_hex(s, m, words_rest(at));
	} else if (!strcmp(verb, "announces")) {
		step_announce(s, m, at);
	} else if (!strcmp(verb, "fills") || !strcmp(verb, "empties")) {
		uint32_t cnt = words_u32(&at);

		if (!words_skip(&at, "from"))
			story_fail(s, "MEMBER fills N from PREFIX path ...");
		prefix = words_next(&at);
		if (!member_fill(m, prefix, cnt, *verb == 'f' ? words_rest(at) : NULL))
			story_fail(s, "'%s' is no prefix", prefix);
	} else if (!strcmp(verb, "withdraws")) {
		prefix = words_next(&at);
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
	const char *r;

	if (!strcmp(e->verb, "up"))
		return e->m->up;
	if (!strcmp(e->verb, "down"))
		return !e->m->up;
	r = member_has(e->m, e->prefix, e->words);
	return !strcmp(e->verb, "has") ? r != NULL : !r;
}

/* actor_is_so - fails the run if the kind of actor does not know the question. */
static bool
actor_is_so(
    const struct story *s, const struct actor *a, const char *verb, const char *words)
{
	bool lacks = !strcmp(verb, "lacks");
	enum actor_truth truth;
	char copy[200];

	strlcpy(copy, words, sizeof(copy));
	truth = a->kind->holds(a, lacks ? "has" : verb, copy);
	if (truth == ACTOR_WHAT)
		story_fail(
		    s, "nobody can tell whether %s '%s %s'", a->kind->word, verb, words);
	return (truth == ACTOR_YES) != lacks;
}

static struct actor *
actor_of(struct story *s, const struct actor_kind *kind, char **at)
{
	const char *name = kind->single ? "" : words_next(at);
	struct actor *a;

	if (kind->single && !world_actor(&s->w, kind, name))
		world_actor_add(&s->w, kind, name, strdup(""));
	a = world_actor(&s->w, kind, name);
	if (!a)
		story_fail(s, "there is no %s '%s'", kind->word, name);
	return a;
}

static void
expect_actor(struct story *s, const struct actor_kind *kind, char *at)
{
	uint64_t until = sim_now() + s->expect_ns;
	const struct actor *a = actor_of(s, kind, &at);
	char *verb = words_next(&at), *words = words_rest(at), *told = NULL;
	size_t len;
	FILE *f;

	if (!strcmp(verb, "lacks"))
		world_settle(&s->w);
	while (!actor_is_so(s, a, verb, words)) {
		if (sim_now() >= until) {
			f = open_memstream(&told, &len);
			kind->tell(a, f);
			fclose(f);
			story_fail(s, "expected: %s %s %s %s; %s", kind->word, a->name,
			    verb, words, told);
		}
		sim_sleep(sim_now() + 20 * SIM_MS);
	}
}

static void
step_actor(struct story *s, const struct actor_kind *kind, char *at)
{
	const char *name = kind->single ? "" : words_next(&at);
	struct actor *a = world_actor(&s->w, kind, name);
	char *verb;

	if (!a && kind->single)
		a = actor_of(s, kind, &at);
	if (!a && !world_actor_add(&s->w, kind, name, at))
		story_fail(s, "no %s can be made of these words", kind->word);
	if (!a)
		return;
	verb = words_next(&at);
	if (!kind->act(a, verb, words_rest(at)))
		story_fail(s, "%s %s: what is '%s'?", kind->word, name, verb);
}

/* expect_answer - "TEXT of COMMAND": asks until the answer has the text. */
static void
expect_answer(struct story *s, char *at)
{
	uint64_t until = sim_now() + s->expect_ns;
	char *text = words_rest(at), *of = strstr(text, " of ");

	if (!of)
		story_fail(s, "expect answer TEXT of COMMAND");
	*of = 0;
	while (!strstr(world_command(&s->w, of + 4), text)) {
		if (sim_now() >= until)
			story_fail(s, "expected: '%s' of '%s'; the answer is:\n%s", text,
			    of + 4, s->w.answer);
		sim_sleep(sim_now() + 200 * SIM_MS);
	}
}

static void
step_expect(struct story *s, char *at)
{
	char *first = words_next(&at);
	const struct actor_kind *kind = actor_kind_of(first);
	struct expected e = { .m = world_find(&s->w, first) };
	uint64_t until = sim_now() + s->expect_ns;
	const char *r;

	if (kind) {
		expect_actor(s, kind, at);
		return;
	}
	if (!strcmp(first, "answer")) {
		expect_answer(s, at);
		return;
	}
	e.verb = words_next(&at);
	e.prefix = words_next(&at);
	e.words = words_rest(at);
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
	r = *e.prefix ? member_has(e.m, e.prefix, "") : NULL;
	story_fail(s, "expected: %s %s %s %s; %s", e.m->name, e.verb, e.prefix, e.words,
	    r ? r : "no such route");
}

static void
step_never(struct story *s, char *at)
{
	struct never *n = &s->never[s->never_cnt];
	char *first = words_next(&at), *verb;
	const struct actor_kind *kind = actor_kind_of(first);

	if (s->never_cnt == NEVER_MAX)
		story_fail(s, "more than %d lines with 'never'", NEVER_MAX);
	*n = (struct never){ .m = world_find(&s->w, first) };
	if (kind) {
		n->a = actor_of(s, kind, &at);
		strlcpy(n->verb, words_next(&at), sizeof(n->verb));
		strlcpy(n->words, words_rest(at), sizeof(n->words));
		s->never_cnt++;
		return;
	}
	verb = words_next(&at);
	snprintf(n->prefix, sizeof(n->prefix), "%s",
	    !strcmp(verb, "down") ? "" : words_next(&at));
	strlcpy(n->words, words_rest(at), sizeof(n->words));
	n->lacks = !strcmp(verb, "lacks");
	if (!n->m || (strcmp(verb, "has") && strcmp(verb, "down") && !n->lacks))
		story_fail(s, "never MEMBER has, lacks PREFIX, or never MEMBER down");
	s->never_cnt++;
}

static bool
never_is_broken(const struct story *s, const struct never *n)
{
	if (n->a)
		return actor_is_so(s, n->a, n->verb, n->words);
	if (!*n->prefix)
		return !n->m->up;
	return (member_has(n->m, n->prefix, n->words) != NULL) != n->lacks;
}

/* never_any - the scheduler asks before each choice of a task, so that no state is too
 * short to be seen. The first break is kept. */
static bool
never_any(void *arg)
{
	struct story *s = arg;

	for (unsigned i = 0; !s->broken && i < s->never_cnt; i++)
		if (never_is_broken(s, &s->never[i]))
			s->broken = i + 1;
	return s->broken || s->ended;
}

static void *
never_task(void *arg)
{
	struct story *s = arg;
	const struct never *n;

	sim_wait(never_any, s, SIM_NEVER);
	if (!s->broken)
		return NULL;
	n = &s->never[s->broken - 1];
	if (n->a)
		story_fail(
		    s, "never was broken: %s %s %s", n->a->name, n->verb, n->words);
	story_fail(s, "never was broken: %s %s %s", n->m->name,
	    *n->prefix ? (n->lacks ? "lacks" : "has") : "down", n->prefix);
}

static void
step_answer(struct story *s, char *at)
{
	char *verb = words_next(&at), *text = words_rest(at);
	bool has = s->w.answer && strstr(s->w.answer, text);

	if (has != !strcmp(verb, "has"))
		story_fail(s, "answer %s '%s'; the answer is:\n%s", verb, text,
		    s->w.answer ? s->w.answer : "");
}

/* ---- steps ---- */

static void
step_link(struct story *s, char *at)
{
	char *name = words_next(&at), *w, *ip4 = NULL, *ip6 = NULL;
	int len4 = 0, len6 = 0;

	while (*(w = words_next(&at))) {
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
	return !sim_daemon_runs(1);
}

static void
step_stop(struct story *s)
{
	sim_signal(1, SIGTERM);
	if (!sim_wait(daemon_gone, NULL, sim_now() + 60 * SIM_S))
		story_fail(s, "ternd does not end within 60 s");
	if (sim_daemon_status(1))
		story_fail(s, "ternd ended with %d", sim_daemon_status(1));
}

static void
step(struct story *s, char *at)
{
	char *verb = words_next(&at), *text;
	struct member *m = world_find(&s->w, verb);
	const struct actor_kind *kind = actor_kind_of(verb);

	if (m) {
		step_of_member(s, m, at);
	} else if (kind) {
		step_actor(s, kind, at);
	} else if (!strcmp(verb, "member")) {
		step_member(s, at);
	} else if (!strcmp(verb, "config")) {
		world_config(&s->w, text = block(s));
		free(text);
	} else if (!strcmp(verb, "file")) {
		text = block(s);
		sim_file_put(words_rest(at), text);
		free(text);
	} else if (!strcmp(verb, "link")) {
		step_link(s, at);
	} else if (!strcmp(verb, "start")) {
		sim_daemon_start(words_rest(at));
	} else if (!strcmp(verb, "crash")) {
		sim_daemon_crash(1);
	} else if (!strcmp(verb, "stop")) {
		step_stop(s);
	} else if (!strcmp(verb, "ended")) {
		if (!sim_wait(daemon_gone, NULL, sim_now() + 60 * SIM_S))
			story_fail(s, "ternd does not end within 60 s");
	} else if (!strcmp(verb, "cut") || !strcmp(verb, "mend")) {
		sim_net_cut(words_rest(at), *verb == 'c');
	} else if (!strcmp(verb, "disk")) {
		sim_disk_room(strstr(at, "full") ? 0 : UINT64_MAX);
	} else if (!strcmp(verb, "clock")) {
		sim_clock_set(sim_clock_step() + (int64_t)time_of(s, words_rest(at)));
	} else if (!strcmp(verb, "command")) {
		world_command(&s->w, words_rest(at));
	} else if (!strcmp(verb, "print")) {
		printf("%s", s->w.answer ? s->w.answer : "");
	} else if (!strcmp(verb, "answer")) {
		step_answer(s, at);
	} else if (!strcmp(verb, "expect")) {
		step_expect(s, at);
	} else if (!strcmp(verb, "never")) {
		step_never(s, at);
	} else if (!strcmp(verb, "forget")) {
		s->never_cnt = 0;
	} else if (!strcmp(verb, "fresh")) {
		rest_check(&s->w, "the story", (unsigned)atoi(words_rest(at)));
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

		words_next(&at);
		when = time_of(s, words_next(&at)) + (after ? sim_now() : s->begin_ns);
		sim_sleep(when);
	}
	s->expect_ns = EXPECT_NS;
	if (words_skip(&at, "within"))
		s->expect_ns = time_of(s, words_next(&at));
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
