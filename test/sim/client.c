/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients of the control socket that stay connected: fast, slow, and never reading.
 *
 * A client connects with its first command. A reply ends with a line of four digits and a
 * blank; lines that begin with `+` were not asked for.
 *
 * I1  `text` holds the replies to the commands since the last one that was sent when all
 *     before it were answered. */
#include "test/sim/actor.h"
#include "test/sim/sim.h"
#include "test/sim/tcp.h"
#include "test/sim/words.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define SLOW_NS  (20 * SIM_MS)
#define SLOW_LEN 2000

enum pace { FAST, SLOW, NEVER };

/* owner: the world. */
struct client {
	struct actor a;
	enum pace pace;
	bool work, closes, closed; /* closed: by the daemon */
	int fd;
	uint64_t read_ns; /* of a slow client: the last time */
	struct octets out, text; /* I1 */
	uint32_t line_at; /* in text: where the line begins that is not whole yet */
	unsigned asked, answered;
};

static struct client *
sim_client_of(struct actor *a)
{
	return (struct client *)a;
}

/* client_lines - count the replies whose last line is whole. */
static void
client_lines(struct client *c)
{
	const char *line = (const char *)c->text.p + c->line_at, *end;

	while (c->line_at < c->text.len &&
	       (end = memchr(line, '\n', c->text.len - c->line_at))) {
		if (end - line > 4 && strspn(line, "0123456789") == 4 && line[4] == ' ' &&
		    strncmp(line, "0001", 4))
			c->answered++;
		c->line_at += (uint32_t)(end + 1 - line);
		line = end + 1;
	}
}

static bool
client_connect(struct client *c)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/sim/tern.ctl" };

	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (!connect(c->fd, (struct sockaddr *)&un, sizeof(un)))
		return true;
	close(c->fd);
	c->fd = -1;
	return false;
}

/* client_read - Returns: false: the daemon has closed. */
static bool
client_read(struct client *c)
{
	char buf[SLOW_LEN];
	ssize_t n = 1;

	if (c->pace == NEVER || (c->pace == SLOW && sim_now() < c->read_ns + SLOW_NS))
		return true;
	c->read_ns = sim_now();
	do {
		n = recv(c->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n > 0)
			octets_put(&c->text, buf, (uint32_t)n);
	} while (n > 0 && c->pace == FAST);
	client_lines(c);
	return n > 0 || (n < 0 && errno == EAGAIN);
}

static void
client_write(struct client *c)
{
	char buf[1024];

	while (c->out.len) {
		uint32_t len = c->out.len < sizeof(buf) ? c->out.len : sizeof(buf);
		ssize_t n;

		memcpy(buf, c->out.p, len);
		n = send(c->fd, buf, len, MSG_DONTWAIT);
		if (n <= 0)
			return;
		octets_drop(&c->out, (uint32_t)n);
	}
}

static bool
client_may_go_on(void *arg)
{
	const struct client *c = arg;
	struct sim_file *f = c->fd >= 0 ? sim_fd_get(c->fd) : NULL;
	/* A slow client looks at the socket when its time has come. */
	short want = (short)((c->pace == FAST ? POLLIN : 0) |
			     (c->pace == NEVER ? POLLRDHUP : 0) |
			     (c->out.len ? POLLOUT : 0));

	return c->work || (f && f->ops->events(f) & want);
}

static void *
client_task(void *arg)
{
	struct client *c = arg;

	for (;;) {
		struct sim_file *f;
		bool lives = true;

		c->work = false;
		if (c->fd < 0 && c->out.len)
			client_connect(c);
		if (c->fd >= 0) {
			client_write(c);
			lives = client_read(c);
			f = sim_fd_get(c->fd);
			if (c->pace == NEVER && f->ops->events(f) & POLLRDHUP)
				lives = false;
		}
		if (c->fd >= 0 && (!lives || c->closes)) {
			c->closed |= !lives;
			sim_event("client %s: %s", c->a.name,
			    lives ? "closes" : "the daemon has closed");
			close(c->fd);
			c->fd = -1;
			c->out.len = 0;
		}
		c->closes = false;
		sim_wait(client_may_go_on, c,
		    c->fd < 0         ? (c->out.len ? sim_now() + 10 * SIM_MS : SIM_NEVER)
		    : c->pace == SLOW ? sim_now() + SLOW_NS
				      : SIM_NEVER);
	}
	return NULL;
}

/* ---- the story ---- */

static bool
client_set_pace(struct client *c, char **words)
{
	char *w = words_next(words);

	if (!strcmp(w, "slowly"))
		c->pace = SLOW;
	else if (!strcmp(w, "nothing"))
		c->pace = NEVER;
	else if (!*w)
		c->pace = FAST;
	else
		return false;
	return true;
}

static struct actor *
client_make(const char *name, char **words)
{
	struct client *c = calloc(1, sizeof(*c));

	c->fd = -1;
	if (words_skip(words, "reads") ? !client_set_pace(c, words) : **words != 0)
		return NULL;
	sim_task_new(name, 0, client_task, c);
	return &c->a;
}

static bool
client_act(struct actor *a, const char *verb, char **words)
{
	struct client *c = sim_client_of(a);

	c->work = true;
	if (!strcmp(verb, "sends")) {
		char *text = words_rest(words);

		if (c->answered == c->asked)
			c->text.len = c->line_at = c->asked = c->answered = 0;
		c->asked++;
		c->closed = false;
		octets_put(&c->out, text, (uint32_t)strlen(text));
		octets_u8(&c->out, '\n');
	} else if (!strcmp(verb, "reads")) {
		return client_set_pace(c, words);
	} else if (!strcmp(verb, "stops") && words_skip(words, "reading")) {
		c->pace = NEVER;
	} else if (!strcmp(verb, "closes")) {
		c->closes = true;
		c->asked = c->answered;
	} else {
		return false;
	}
	return true;
}

static enum actor_truth
client_holds(const struct actor *a, const char *verb, char **words)
{
	const struct client *c = (const struct client *)a;
	bool yes;

	if (!strcmp(verb, "answered"))
		yes = c->answered == c->asked;
	else if (!strcmp(verb, "closed"))
		yes = c->closed;
	else if (!strcmp(verb, "has")) {
		char *text = words_rest(words);

		yes = c->text.len && memmem(c->text.p, c->text.len, text, strlen(text));
	} else
		return ACTOR_WHAT;
	return yes ? ACTOR_YES : ACTOR_NO;
}

static void
client_describe(const struct actor *a, FILE *to)
{
	const struct client *c = (const struct client *)a;

	fprintf(to, "%s, %u of %u commands answered, %u octets; the last:\n%.*s",
	    c->closed ? "closed by the daemon" : "not closed", c->answered, c->asked,
	    c->text.len, (int)(c->text.len < 400 ? c->text.len : 400),
	    c->text.p ? (const char *)c->text.p + c->text.len -
			    (c->text.len < 400 ? c->text.len : 400)
		      : "");
}

const struct actor_kind client_kind = { .word = "client",
	.make = client_make,
	.act = client_act,
	.holds = client_holds,
	.describe = client_describe };
