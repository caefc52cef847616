/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members by name, the control client, and rest: what stories and drawn days share. */
#include "test/sim/world.h"
#include "test/sim/codec.h"
#include "test/sim/script.h"
#include "test/sim/sim_net.h"
#include "test/sim/sim_priv.h"
#include "test/sim/words.h"

#include <bsd/string.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_NS (60 * SIM_S)
#define QUIET_NS  (4 * SIM_S)
#define SETTLE_NS (600 * SIM_S)

struct member *
world_add(struct world *w, const char *name, uint32_t as, const char *address,
    const char *server)
{
	struct member *m = member_new(name, as, address, server);

	if (!w->last)
		w->last = &w->members;
	*w->last = m;
	w->last = &m->next;
	return m;
}

struct member *
world_find(const struct world *w, const char *name)
{
	struct member *m = w->members;

	while (m && strcmp(m->name, name))
		m = m->next;
	return m;
}

struct actor *
world_actor(const struct world *w, const struct actor_kind *kind, const char *name)
{
	struct actor *a = w->actors;

	while (a && (a->kind != kind || (!kind->single && strcmp(a->name, name))))
		a = a->next;
	return a;
}

bool
world_actor_add(
    struct world *w, const struct actor_kind *kind, const char *name, char **words)
{
	struct actor *a = kind->make(name, words);

	if (!a)
		return false;
	a->kind = kind;
	strlcpy(a->name, name, sizeof(a->name));
	a->next = w->actors;
	w->actors = a;
	return true;
}

void
world_put_numbered(FILE *f, const char *text, uint32_t nr)
{
	for (; *text; text++)
		if (*text == '@')
			fprintf(f, "%u", nr);
		else
			fputc(*text, f);
}

/* put_repeated - "N TEXT": the text N times; each @ is the number of the line. */
static void
put_repeated(FILE *f, const char *line, size_t len)
{
	char *text = strndup(line, len), *at = text;
	uint32_t cnt = words_u32(&at);

	for (uint32_t i = 1; i <= cnt; i++) {
		world_put_numbered(f, at, i);
		fputc('\n', f);
	}
	free(text);
}

void
world_config(struct world *w, const char *text)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n == 7 && !strncmp(text, "MEMBERS", 7)) {
			for (const struct member *m = w->members; m; m = m->next) {
				fprintf(f,
				    "protocol bgp %s from member { neighbor %s as %u;",
				    m->name, m->address, m->as);
				if (*m->password)
					fprintf(f, " password \"%s\";", m->password);
				fprintf(f, " }\n");
			}
		} else if (!strncmp(text, "REPEAT ", 7)) {
			put_repeated(f, text + 7, n - 7);
		} else {
			fprintf(f, "%.*s\n", (int)n, text);
		}
		text += n + (text[n] != 0);
	}
	fclose(f);
	sim_file_put("/sim/tern.conf", out);
	free(out);
}

/* router_has_ended - is the line at *@at, or one behind it, the last of an answer? *@at
 * moves to the last line. */
static bool
world_has_ended(const char *s, size_t *at)
{
	const char *end;

	for (; (end = strchr(s + *at, '\n')); *at = (size_t)(end + 1 - s))
		if (strspn(s + *at, "0123456789") >= 4 && s[*at + 4] == ' ' &&
		    strncmp(s + *at, "0001", 4))
			return true;
	return false;
}

/* connect_control - Returns: a descriptor; waits for a daemon that starts. */
static int
connect_control(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/sim/tern.ctl" };
	uint64_t until = sim_now() + ANSWER_NS;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	while (connect(fd, (struct sockaddr *)&un, sizeof(un))) {
		if (sim_now() > until)
			sim_fail("nobody listens at /sim/tern.ctl");
		sim_sleep(sim_now() + 10 * SIM_MS);
	}
	return fd;
}

const char *
world_command(struct world *w, const char *line)
{
	uint64_t until = sim_now() + ANSWER_NS;
	int fd = connect_control();
	size_t len = 0, cap = 1 << 16, at = 0;
	char *buf = malloc(cap);

	script_step("command %s", line);
	sim_event("command %s", line);
	send(fd, line, strlen(line), 0);
	send(fd, "\n", 1, 0);
	sim_fd_get(fd)->read_limit_ns = ANSWER_NS;
	buf[0] = 0;
	while (!world_has_ended(buf, &at)) {
		ssize_t n;

		if (cap - len < 4096)
			buf = realloc(buf, cap *= 2);
		n = recv(fd, buf + len, cap - len - 1, 0);
		if (n <= 0 || sim_now() > until)
			sim_fail("no answer to '%s': %s", line,
			    n < 0 ? strerror(errno) : "closed");
		len += (size_t)n;
		buf[len] = 0;
	}
	close(fd);
	sim_daemon_told(line, buf);
	free(w->answer);
	w->answer = buf;
	return buf;
}

bool
world_settles(struct world *w, uint64_t ns)
{
	uint64_t until = sim_now() + ns, quiet_from = sim_now();

	for (;;) {
		for (const struct member *m = w->members; m; m = m->next) {
			if (m->changed_ns > quiet_from)
				quiet_from = m->changed_ns;
			if (sim_net_is_cut(m->address))
				continue;
			if ((m->wanted && !m->up && sim_daemon_runs(1)) ||
			    (m->reads && m->out_len) || m->pending_cnt)
				quiet_from = sim_now();
		}
		for (const struct actor *a = w->actors; a; a = a->next)
			if (a->changed_ns > quiet_from)
				quiet_from = a->changed_ns;
		if (sim_now() >= quiet_from + QUIET_NS)
			return true;
		if (sim_now() > until)
			return false;
		sim_sleep(quiet_from + QUIET_NS > sim_now() + SIM_S
			      ? sim_now() + SIM_S
			      : quiet_from + QUIET_NS);
	}
}

void
world_settle(struct world *w)
{
	if (!world_settles(w, SETTLE_NS))
		sim_fail("the world does not come to rest");
}

static int
line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* member_picture - a line a route. The id of a path is the daemon's choice. */
static void
member_picture(const struct member *m, FILE *to)
{
	const struct rib_route *r;
	uint32_t at = 0;
	char prefix[64];

	while ((r = rib_next(&m->received, &at))) {
		rib_prefix(prefix, &r->key);
		fprintf(to, "%s has %s %s\n", m->name, prefix, codec_text(r->attrs));
	}
}

char *
world_in_order(char *text)
{
	size_t cnt = 0, cap = 64, len;
	char **line = malloc(cap * sizeof(*line)), *out = NULL, *save = NULL;
	FILE *f = open_memstream(&out, &len);

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		if (cnt == cap)
			line = reallocarray(line, cap *= 2, sizeof(*line));
		line[cnt++] = l;
	}
	qsort(line, cnt, sizeof(*line), line_compare);
	for (size_t i = 0; i < cnt; i++)
		fprintf(f, "%s\n", line[i]);
	fclose(f);
	free(line);
	free(text);
	return out;
}

char *
world_picture(const struct world *w)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (const struct member *m = w->members; m; m = m->next)
		member_picture(m, f);
	for (const struct actor *a = w->actors; a; a = a->next)
		if (a->kind->picture)
			a->kind->picture(a, f);
	fclose(f);
	return world_in_order(text);
}
