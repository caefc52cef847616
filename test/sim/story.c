/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stories: tests in virtual time as text. doc/testing.md describes the language.
 *
 * Each line is one step; the steps run in order. `at 3s STEP` waits until 3 s after the
 * first step. */
#include "test/sim/link.h"
#include "test/sim/oracle/oracle.h"
#include "test/sim/rest.h"
#include "test/sim/sim_disk.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/story.h"
#include "test/sim/words.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

FILE *__real_fopen(const char *path, const char *mode);

int __real_dup(int fd);
ssize_t __real_pread(int fd, void *buf, size_t len, off_t at);
int __real_close(int fd);

#define EXPECT_NS (180 * SIM_S)

void
story_bad_word(const struct story *s, const char *at)
{
	size_t end = (size_t)(at - s->cut), from;

	while (end && strchr(" \t", s->whole[end - 1]))
		end--;
	for (from = end; from && !strchr(" \t", s->whole[from - 1]);)
		from--;
	sim_fail("'%.*s' has no meaning here", (int)(end - from), s->whole + from);
}

/* story_time_of - up to a year. */
static uint64_t
story_time_of(const char *text)
{
	static const struct {
		const char *word;
		double ns;
	} unit[] = { { "ms", 1e6 }, { "s", 1e9 }, { "min", 60e9 }, { "h", 3600e9 } };
	char *end;
	double v = strtod(text, &end);

	for (unsigned i = 0; end != text && v >= 0 && i < 4; i++) {
		if (strcmp(end, unit[i].word))
			continue;
		if (v * unit[i].ns > 366 * 24 * 3600e9)
			sim_fail("'%s' is more than a year", text);
		return (uint64_t)(v * unit[i].ns);
	}
	sim_fail("'%s' is no time: a number and ms, s, min or h", text);
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
story_block(struct story *s)
{
	char *out = NULL, *line;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	while ((line = next_line(s)) && strcmp(line, "."))
		fprintf(f, "%s\n", line);
	fclose(f);
	if (!line)
		sim_fail("the block has no end: a line with a single dot");
	return out;
}

/* ---- steps ---- */

/* link_address - cut "ADDRESS/LENGTH". Returns: the length. */
static int
link_address(char *w)
{
	char *slash = strchr(w, '/');
	uint8_t octets[16], len;

	if (!slash || !*slash)
		sim_fail("'%s' is no ADDRESS/LENGTH, up or down", w);
	*slash = 0;
	if (inet_pton(strchr(w, ':') ? AF_INET6 : AF_INET, w, octets) != 1 ||
	    !words_length(slash + 1, strchr(w, ':') ? 128 : 32, &len))
		sim_fail("'%s/%s' is no address and length", w, slash + 1);
	return len;
}

/* link_changes - "ADDRESS/LENGTH" comes to the interface, or leaves the interface. */
static void
link_changes(const char *name, char *w, bool comes)
{
	int len = link_address(w);

	if (comes ? link_address_add(0, name, w, NULL, len)
		  : link_address_delete(0, name, w, len))
		sim_fail("link %s: %s/%d: %s", name, w, len, strerror(errno));
}

/* step_name - "NAME is ADDRESS". */
static void
step_name(char **at)
{
	char *name = words_next(at), address[64];

	if (!words_skip(at, "is") || !**at)
		sim_fail("name NAME is ADDRESS");
	words_address(at, address);
	sim_name_add(name, address);
}

static void
step_link(char **at)
{
	char *name = words_next(at), *w = *at;
	bool up = words_skip(at, "up");

	if (up || words_skip(at, "down")) {
		if (!link_find(0, name))
			sim_fail("there is no link '%s'", name);
		sim_link_set(name, up);
		return;
	}
	if (words_skip(at, "gets")) {
		link_changes(name, words_next(at), true);
		return;
	}
	if (words_skip(at, "loses")) {
		link_changes(name, words_next(at), false);
		return;
	}
	if (!*w)
		sim_fail("link NAME ADDRESS/LENGTH..., or link NAME up, or link NAME "
			 "down");
	if (link_find(0, name))
		sim_fail("'%s': the link %s is there; link NAME up, down, gets or loses",
		    words_next(at), name);
	sim_link_add(name, NULL, 0, NULL, 0);
	while (*(w = words_next(at)))
		link_changes(name, w, true);
}

static bool
daemon_began(void *arg)
{
	(void)arg;
	return !sim_daemon_runs(1) || sim_disk_listener("/sim/tern.ctl");
}

/* step_start - until the daemon has read the file and listens to commands. */
static void
step_start(struct story *s, char **at)
{
	bool recovers = words_skip(at, "-R");
	int errors = memfd_create("errors", 0);
	char text[2000];
	ssize_t n;

	if (**at) {
		words_next(at);
		story_bad_word(s, *at);
	}
	if (sim_daemon_runs(1))
		sim_fail("ternd runs already");
	s->started = true;
	sim_daemon_start(recovers ? "-R" : NULL);
	sim_daemon_errors_to(1, __real_dup(errors));
	if (!sim_wait(daemon_began, NULL, sim_now() + 60 * SIM_S))
		sim_fail("ternd does not listen to commands within 60 s");
	n = __real_pread(errors, text, sizeof(text) - 1, 0);
	__real_close(errors);
	text[n > 0 ? n : 0] = 0;
	if (!sim_daemon_runs(1))
		sim_fail("ternd ended with %d: %s", sim_daemon_status(1), text);
	fputs(text, stderr);
	sim_daemon_errors_to(1, -1);
}

static bool
story_has_host(const struct story *s, const char *address)
{
	for (const struct member *m = s->w.members; m; m = m->next)
		if (!strcmp(m->address, address))
			return true;
	for (const struct actor *a = s->w.actors; a; a = a->next)
		if (!strcmp(a->address, address))
			return true;
	return false;
}

static void
step_cut(const struct story *s, char **at, bool cut)
{
	char address[64];

	words_address(at, address);
	if (!story_has_host(s, address))
		sim_fail("no member and no actor is at '%s'", address);
	if (!cut && !sim_net_is_cut(address))
		sim_fail("the cable of '%s' is not cut", address);
	sim_net_cut(address, cut);
}

static void
step_disk(struct story *s, char **at)
{
	bool full = words_skip(at, "full");

	if (!full && !words_skip(at, "free")) {
		words_next(at);
		story_bad_word(s, *at);
	}
	sim_disk_room(full ? 0 : UINT64_MAX);
}

static bool
story_daemon_gone(void *arg)
{
	(void)arg;
	return !sim_daemon_runs(1);
}

static void
story_need_daemon(void)
{
	if (!sim_daemon_runs(1))
		sim_fail("ternd does not run: no 'start', or the daemon has ended");
}

static void
step_stop(void)
{
	story_need_daemon();
	sim_signal(1, SIGTERM);
	if (!sim_wait(story_daemon_gone, NULL, sim_now() + 60 * SIM_S))
		sim_fail("ternd does not end within 60 s");
	if (sim_daemon_status(1))
		sim_fail("ternd ended with %d", sim_daemon_status(1));
}

static void line_run(struct story *s, char *line);

/* story_repeat - "N" and a block: the steps of the block N times; each @ is the number of
 * the turn. */
static void
story_repeat(struct story *s, char **at)
{
	uint32_t cnt = words_u32(at);
	unsigned first = s->line, last;
	char *text = story_block(s), *rest = s->at, *turn, *line;

	last = s->line;
	for (uint32_t i = 1; i <= cnt; i++) {
		size_t len;
		FILE *f = open_memstream(&turn, &len);

		world_put_numbered(f, text, i);
		fclose(f);
		s->at = turn;
		s->line = first;
		while ((line = next_line(s)))
			line_run(s, line);
		free(turn);
	}
	s->at = rest;
	s->line = last;
	free(text);
}

static void
story_step(struct story *s, char **at)
{
	char *verb = words_next(at), *text;
	struct member *m = world_find(&s->w, verb);
	const struct actor_kind *kind = actor_kind_of(verb);

	if (m) {
		story_of_member(s, m, at);
	} else if (kind) {
		story_actor(s, kind, at);
	} else if (!strcmp(verb, "member")) {
		story_member(s, at);
	} else if (!strcmp(verb, "config")) {
		world_config(&s->w, text = story_block(s));
		free(text);
	} else if (!strcmp(verb, "file")) {
		text = story_block(s);
		sim_file_put(words_rest(at), text);
		free(text);
	} else if (!strcmp(verb, "repeat")) {
		story_repeat(s, at);
	} else if (!strcmp(verb, "link")) {
		step_link(at);
	} else if (!strcmp(verb, "name")) {
		step_name(at);
	} else if (!strcmp(verb, "start")) {
		step_start(s, at);
	} else if (!strcmp(verb, "crash")) {
		story_need_daemon();
		sim_daemon_crash(1);
	} else if (!strcmp(verb, "stop")) {
		step_stop();
	} else if (!strcmp(verb, "ended")) {
		if (!s->started)
			sim_fail("ternd was not started");
		s->started = false;
		if (!sim_wait(story_daemon_gone, NULL, sim_now() + 60 * SIM_S))
			sim_fail("ternd does not end within 60 s");
	} else if (!strcmp(verb, "cut") || !strcmp(verb, "mend")) {
		step_cut(s, at, *verb == 'c');
	} else if (!strcmp(verb, "disk")) {
		step_disk(s, at);
	} else if (!strcmp(verb, "clock")) {
		sim_clock_set(sim_clock_step() + (int64_t)story_time_of(words_next(at)));
	} else if (!strcmp(verb, "command")) {
		world_command(&s->w, words_rest(at));
	} else if (!strcmp(verb, "print")) {
		story_need_answer(s);
		printf("%s", s->w.answer);
	} else if (!strcmp(verb, "answer")) {
		story_answer(s, at);
	} else if (!strcmp(verb, "log")) {
		story_log(s, at);
	} else if (!strcmp(verb, "expect")) {
		story_expect(s, at);
	} else if (!strcmp(verb, "never")) {
		story_never(s, at);
	} else if (!strcmp(verb, "forget")) {
		story_forget(s);
	} else if (!strcmp(verb, "fresh")) {
		rest_check(&s->w, "the story", **at ? words_u32(at) : 0);
	} else if (!strcmp(verb, "settle")) {
		story_need_daemon();
		world_settle(&s->w);
		oracle_check(&s->w, "the story");
	} else {
		sim_fail("no step, member or kind of actor is called '%s'", verb);
	}
}

static void
line_run(struct story *s, char *line)
{
	char *at = line, *comment = *line == '#' ? line : strstr(line, " #"), *surplus;
	uint64_t when;
	bool after, waits;

	if (comment)
		*comment = 0;
	free(s->whole);
	s->whole = strdup(line);
	s->cut = line;
	snprintf(s->place, sizeof(s->place), "%s:%u", s->path, s->line);
	at += strspn(at, " \t");
	after = words_skip(&at, "after");
	waits = !after && words_skip(&at, "at");
	if (after || waits) {
		when = story_time_of(words_next(&at)) + (after ? sim_now() : s->begin_ns);
		sim_sleep(when);
	}
	s->expect_ns = EXPECT_NS;
	s->within = words_skip(&at, "within");
	if (s->within)
		s->expect_ns = story_time_of(words_next(&at));
	at += strspn(at, " \t");
	if (!*at && (after || waits || s->within))
		sim_fail("a time without a step");
	if (!*at)
		return;
	if (s->within && !words_is(at, "expect"))
		sim_fail("'within' without 'expect': %s", at);
	s->step_cnt++;
	story_step(s, &at);
	if (*(surplus = words_next(&at)))
		sim_fail("surplus word '%s'", surplus);
}

/* mrt_read_file - a real file; the caller frees the text. NULL: it cannot be read. */
static char *
story_read_file(const char *path)
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

/* story_check_lines - a line ends with a newline alone. */
static void
story_check_lines(struct story *s)
{
	const char *cr = strchr(s->text, '\r');

	if (!cr)
		return;
	s->line = 1;
	for (const char *at = s->text; (at = strchr(at, '\n')) && at < cr; at++)
		s->line++;
	snprintf(s->place, sizeof(s->place), "%s:%u", s->path, s->line);
	sim_fail("the line has a carriage return; lines end with a newline alone");
}

void
story_run(const char *path)
{
	struct story *s = calloc(1, sizeof(*s));
	char *line;

	s->path = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	s->text = s->at = story_read_file(path);
	if (!s->text)
		sim_fail("can't read %s", path);
	s->begin_ns = sim_now();
	strlcpy(s->place, s->path, sizeof(s->place));
	sim->place = s->place;
	story_check_lines(s);
	story_read_check(s);
	story_start_never(s);
	while ((line = next_line(s)))
		line_run(s, line);
	if (!s->step_cnt)
		sim_fail("the story has no step");
	story_end_never(s);
}
