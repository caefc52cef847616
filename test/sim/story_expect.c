/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expectations of a story: of members, of actors, of answers; now, within a time, or
 * never.
 */
#include "test/sim/sim_priv.h"
#include "test/sim/story.h"
#include "test/sim/words.h"

#include <bsd/string.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expected {
	const struct member *m;
	const char *verb, *prefix;
	char *words; /* that the route's text holds */
	uint32_t code, subcode; /* of `told`; subcode UINT32_MAX: any */
};

static bool
is_so(const struct expected *e)
{
	const char *r;

	if (!strcmp(e->verb, "up"))
		return e->m->up;
	if (!strcmp(e->verb, "down"))
		return !e->m->up;
	if (!strcmp(e->verb, "refreshed"))
		return e->m->refreshes;
	if (!strcmp(e->verb, "got"))
		return e->m->longest >= e->code;
	if (!strcmp(e->verb, "told"))
		return e->m->error_code == e->code &&
		       (e->subcode == UINT32_MAX || e->m->error_subcode == e->subcode);
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
	char copy[200], *at = copy;

	(void)s;
	strlcpy(copy, words, sizeof(copy));
	truth = a->kind->holds(a, lacks ? "has" : verb, &at);
	if (truth != ACTOR_WHAT && *at)
		sim_fail("surplus words: '%s'", at);
	if (truth == ACTOR_WHAT)
		sim_fail(
		    "nobody can tell whether %s '%s %s'", a->kind->word, verb, words);
	return (truth == ACTOR_YES) != lacks;
}

static struct actor *
actor_of(struct story *s, const struct actor_kind *kind, char **at)
{
	const char *name = kind->single ? "" : words_next(at);
	char nothing[] = "", *words = nothing;
	struct actor *a;

	if (kind->single && !world_actor(&s->w, kind, name))
		world_actor_add(&s->w, kind, name, &words);
	a = world_actor(&s->w, kind, name);
	if (!a)
		sim_fail("there is no %s '%s'", kind->word, name);
	return a;
}

static void
expect_actor(struct story *s, const struct actor_kind *kind, char **at)
{
	uint64_t until = sim_now() + s->expect_ns;
	const struct actor *a = actor_of(s, kind, at);
	char *verb = words_next(at), *words = words_rest(at), *told = NULL;
	size_t len;
	FILE *f;

	actor_is_so(s, a, verb, words); /* are the words right? */
	if (!strcmp(verb, "lacks") && !s->within)
		world_settle(&s->w);
	while (!actor_is_so(s, a, verb, words)) {
		if (sim_now() >= until) {
			f = open_memstream(&told, &len);
			kind->describe(a, f);
			fclose(f);
			sim_fail("expected: %s %s %s %s; %s", kind->word, a->name, verb,
			    words, told);
		}
		sim_sleep(sim_now() + 20 * SIM_MS);
	}
}

void
story_actor(struct story *s, const struct actor_kind *kind, char **at)
{
	const char *name = kind->single ? "" : words_next(at);
	struct actor *a = world_actor(&s->w, kind, name);
	char *verb;

	if (!a && kind->single)
		a = actor_of(s, kind, at);
	if (!a && !world_actor_add(&s->w, kind, name, at))
		story_bad_word(s, *at);
	if (!a)
		return;
	verb = words_next(at);
	if (!kind->act(a, verb, at))
		story_bad_word(s, *at);
}

/* story_text - the rest of the line: a text to look for, which is not empty. */
static char *
story_text(char **at)
{
	char *text = words_rest(at);

	if (!*text)
		sim_fail("no text to look for");
	return text;
}

/* expect_answer - "TEXT of COMMAND": asks until the answer has the text. */
static void
expect_answer(struct story *s, char **at)
{
	uint64_t until = sim_now() + s->expect_ns;
	char *text = story_text(at), *of = strstr(text, " of ");

	if (!of)
		sim_fail("expect answer TEXT of COMMAND");
	*of = 0;
	while (!strstr(world_command(&s->w, of + 4), text)) {
		if (sim_now() >= until)
			sim_fail("expected: '%s' of '%s'; the answer is:\n%s", text,
			    of + 4, s->w.answer);
		sim_sleep(sim_now() + 200 * SIM_MS);
	}
}

/* log_lines - how many lines of the daemon's log have the text. */
static uint32_t
story_expect_log_lines(const char *text)
{
	const char *log = sim_file_text("/sim/log"), *line = log ? log : "", *hit;
	uint32_t cnt = 0;

	while ((hit = strstr(line, text))) {
		cnt++;
		line = hit + strcspn(hit, "\n");
	}
	return cnt;
}

/* expect_log - "TEXT": waits until the log has the text. */
static void
expect_log(struct story *s, char **at)
{
	uint64_t until = sim_now() + s->expect_ns;
	const char *text = story_text(at);

	while (!story_expect_log_lines(text)) {
		if (sim_now() >= until)
			sim_fail("expected: a line of the log with '%s'", text);
		sim_sleep(sim_now() + 20 * SIM_MS);
	}
}

/* prefix_of - the next word. */
static char *
story_expect_prefix_of(char **at)
{
	char *prefix = words_next(at);
	struct rib_key k;

	if (!rib_key_of(&k, prefix, 0))
		sim_fail("'%s' is no prefix", prefix);
	return prefix;
}

/* story_expect_notification - "CODE [SUBCODE]" of a NOTIFICATION. */
static void
story_expect_notification(struct expected *e, char **at)
{
	e->code = words_u32(at);
	e->subcode = **at ? words_u32(at) : UINT32_MAX;
}

/* expect_fails - name what the member has instead. */
static void __attribute__((noreturn)) expect_fails(const struct expected *e)
{
	const char *r = *e->prefix ? member_has(e->m, e->prefix, "") : NULL;

	if (!strcmp(e->verb, "told"))
		sim_fail("expected: %s told %u; the last NOTIFICATION is %u/%u",
		    e->m->name, e->code, e->m->error_code, e->m->error_subcode);
	if (!*e->prefix)
		sim_fail("expected: %s %s; the longest message has %u octets", e->m->name,
		    e->verb, e->m->longest);
	sim_fail("expected: %s %s %s %s; %s", e->m->name, e->verb, e->prefix, e->words,
	    r ? r : "no such route");
}

void
story_expect(struct story *s, char **at)
{
	char *first = words_next(at);
	const struct actor_kind *kind = actor_kind_of(first);
	struct expected e = { .m = world_find(&s->w, first), .prefix = "" };
	uint64_t until = sim_now() + s->expect_ns;

	if (kind) {
		expect_actor(s, kind, at);
		return;
	}
	if (!strcmp(first, "answer")) {
		expect_answer(s, at);
		return;
	}
	if (!strcmp(first, "log")) {
		expect_log(s, at);
		return;
	}
	if (!e.m)
		sim_fail("there is no member and no kind of actor '%s'", first);
	e.verb = words_next(at);
	if (!strcmp(e.verb, "has") || !strcmp(e.verb, "lacks"))
		e.prefix = story_expect_prefix_of(at);
	else if (!strcmp(e.verb, "told"))
		story_expect_notification(&e, at);
	else if (!strcmp(e.verb, "got"))
		e.code = words_u32(at);
	else if (strcmp(e.verb, "up") && strcmp(e.verb, "down") &&
		 strcmp(e.verb, "refreshed"))
		sim_fail("expect MEMBER has, lacks, told, got, refreshed, up or down; "
			 "not '%s'",
		    e.verb);
	if (!*e.prefix && **at)
		return; /* story.c names the surplus word */
	e.words = words_rest(at);
	if (!strcmp(e.verb, "lacks") && !s->within)
		world_settle(&s->w);
	while (!is_so(&e) && sim_now() < until)
		sim_sleep(sim_now() + 20 * SIM_MS);
	if (!is_so(&e))
		expect_fails(&e);
}

void
story_never(struct story *s, char **at)
{
	struct never *n = &s->never[s->never_cnt];
	char *first = words_next(at), *verb;
	const struct actor_kind *kind = actor_kind_of(first);

	if (s->never_cnt == NEVER_MAX)
		sim_fail("more than %d lines with 'never'", NEVER_MAX);
	*n = (struct never){ .m = world_find(&s->w, first) };
	if (kind) {
		n->a = actor_of(s, kind, at);
		strlcpy(n->verb, words_next(at), sizeof(n->verb));
		strlcpy(n->words, words_rest(at), sizeof(n->words));
		actor_is_so(s, n->a, n->verb, n->words); /* are the words right? */
		s->never_cnt++;
		return;
	}
	if (!n->m)
		sim_fail("there is no member and no kind of actor '%s'", first);
	verb = words_next(at);
	n->lacks = !strcmp(verb, "lacks");
	if (n->lacks || !strcmp(verb, "has")) {
		strlcpy(n->prefix, story_expect_prefix_of(at), sizeof(n->prefix));
		strlcpy(n->words, words_rest(at), sizeof(n->words));
	} else if (strcmp(verb, "down")) {
		sim_fail("never MEMBER has, lacks or down; not '%s'", verb);
	}
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
 * short to be seen. The first break is kept. In the copy of the process where a fresh
 * daemon comes up, nothing is forbidden. */
static bool
never_any(void *arg)
{
	struct story *s = arg;

	for (unsigned i = 0; !s->w.is_copy && !s->broken && i < s->never_cnt; i++)
		if (never_is_broken(s, &s->never[i])) {
			s->broken = true;
			s->broken_never = s->never[i];
		}
	return s->broken || s->ended;
}

/* never_check - fail if a line was broken. */
static void
never_check(const struct story *s)
{
	const struct never *n = &s->broken_never;

	if (!s->broken)
		return;
	if (n->a)
		sim_fail("never was broken: %s %s %s", n->a->name, n->verb, n->words);
	sim_fail("never was broken: %s %s %s", n->m->name,
	    *n->prefix ? (n->lacks ? "lacks" : "has") : "down", n->prefix);
}

static void *
never_task(void *arg)
{
	sim_wait(never_any, arg, SIM_NEVER);
	never_check(arg);
	return NULL;
}

/* The steps since the last choice of a task may have broken a `never`. */
void
story_forget(struct story *s)
{
	never_any(s);
	never_check(s);
	s->never_cnt = 0;
}

void
story_end_never(struct story *s)
{
	story_forget(s);
	s->ended = true;
}

void
story_start_never(struct story *s)
{
	sim_task_new("never", false, never_task, s);
}

void
story_need_answer(const struct story *s)
{
	if (!s->w.answer)
		sim_fail("there is no answer: no 'command' before");
}

void
story_answer(struct story *s, char **at)
{
	char *verb = words_next(at), *text;

	if (strcmp(verb, "has") && strcmp(verb, "lacks"))
		sim_fail("answer has or lacks TEXT; not '%s'", verb);
	text = story_text(at);
	story_need_answer(s);
	if (!strstr(s->w.answer, text) != !strcmp(verb, "lacks"))
		sim_fail("answer %s '%s'; the answer is:\n%s", verb, text, s->w.answer);
}

/* "has TEXT", "lacks TEXT", "at most N TEXT". */
void
story_log(struct story *s, char **at)
{
	char *verb = words_next(at);
	bool most = !strcmp(verb, "at") && words_skip(at, "most");
	uint32_t bound = most ? words_u32(at) : 0, cnt;
	const char *text;

	if (!most && strcmp(verb, "has") && strcmp(verb, "lacks"))
		story_bad_word(s, verb + strlen(verb));
	text = story_text(at);
	if (!sim_file_text("/sim/log"))
		sim_fail("there is no /sim/log: config with log \"/sim/log\" all, and "
			 "start");
	cnt = story_expect_log_lines(text);
	if (!strcmp(verb, "has") ? !cnt : cnt > bound)
		sim_fail("log %s '%s': %u lines have the text", verb, text, cnt);
}
