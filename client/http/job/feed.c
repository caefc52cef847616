/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to one daemon, over a few connections to its control socket. Loop: the only
 * thread of ternhttp.
 *
 *   state     entered by                         left by
 *   OFF       the start, an error, idleness      a question: connect
 *   HELLO     connect                            the daemon's first line: send `restrict`
 *   RESTRICT  `restrict` was sent                its reply: send the question
 *   IDLE      the end of a reply                 a question, or FEED_IDLE_MS
 *   BUSY      a question was sent                the end of the reply
 *
 * I1  A line has a question in all states but OFF and IDLE.
 * I2  The epoll set has a line's descriptor unless the line is OFF or paused: a closed
 *     connection reports an event for as long as the set has the descriptor.
 * I3  No question waits for a line while the daemon is silent.
 *
 * Tested by test/net/test_http.py and test/net/test_http_queue.py. */
#include "client/http/job/feed.h"

#include "lib/base/list.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#define FEED_SILENT_MS 8000
#define FEED_IDLE_MS   5000

enum { LINE_OFF, LINE_HELLO, LINE_RESTRICT, LINE_IDLE, LINE_BUSY };

uint64_t
feed_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void feed_event(struct watch *w, unsigned events);

static struct feed *
feed_of_probe(struct feed_ask *a)
{
	return (struct feed *)((char *)a - offsetof(struct feed, probe));
}

static bool
feed_probe_line(struct feed_ask *a, const char *text, size_t len)
{
	(void)a;
	(void)text;
	(void)len;
	return true;
}

static void
feed_probe_end(struct feed_ask *a, int rc)
{
	struct feed *f = feed_of_probe(a);

	f->probing = false;
	f->probe_ms = feed_now_ms() + FEED_PROBE_MS;
	/* a daemon that is dead is not silent: each connect fails at once. -EAGAIN: the
	 * daemon does not accept connections */
	if (rc != -ETIMEDOUT && rc != -EAGAIN)
		f->silent = false;
}

void
feed_init(struct feed *f, const char *path, int epoll)
{
	memset(f, 0, sizeof(*f));
	f->path = path;
	f->epoll = epoll;
	f->probe.line = feed_probe_line;
	f->probe.end = feed_probe_end;
	share_init(&f->share);
	for (int i = 0; i < FEED_LINES; i++)
		f->line[i] = (struct feed_line){
			.watch.ready = feed_event, .feed = f, .conn.fd = -1
		};
}

/* feed_line_watch - add the descriptor to the set, or remove the descriptor. */
static void
feed_line_watch(struct feed_line *l, bool on)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = &l->watch };

	/* both calls fail only if the descriptor is in the wanted state already */
	(void)epoll_ctl(
	    l->feed->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, l->conn.fd, &ev);
}

/* feed_line_end - @a has no line any longer. */
static void
feed_line_end(struct feed_ask *a)
{
	a->on = NULL;
	share_end(&a->share);
}

/* feed_line_close - close the connection. Returns: the question under way, or NULL. */
static struct feed_ask *
feed_line_close(struct feed_line *l)
{
	struct feed_ask *a = l->ask;

	if (l->state == LINE_OFF)
		return NULL;
	feed_line_watch(l, false);
	conn_close(&l->conn);
	l->state = LINE_OFF;
	l->ask = NULL;
	l->paused = false;
	if (a)
		feed_line_end(a);
	return a;
}

static void feed_next(struct feed *f);

static void
feed_line_fail(struct feed_line *l, int rc)
{
	struct feed_ask *a = feed_line_close(l);

	if (a)
		a->end(a, rc);
	feed_next(l->feed);
}

static bool
feed_line_send(struct feed_line *l, const char *command, int state)
{
	int rc = conn_send(&l->conn, command);

	l->state = state;
	l->heard_ms = feed_now_ms();
	if (rc) {
		feed_line_fail(l, rc);
		return false;
	}
	return true;
}

/* feed_line_begin - begin with @a on the line @l, which is OFF or IDLE. */
static void
feed_line_begin(struct feed_line *l, struct feed_ask *a)
{
	int rc;

	share_begin(&l->feed->share, &a->share);
	a->on = l;
	a->heard = false;
	l->ask = a;
	l->heard_ms = feed_now_ms();
	/* a connection of the time before a restart of the daemon fails here */
	if (l->state == LINE_IDLE && !conn_send(&l->conn, a->text)) {
		l->state = LINE_BUSY;
		return;
	}
	if (l->state == LINE_IDLE) {
		feed_line_watch(l, false);
		conn_close(&l->conn);
		l->state = LINE_OFF;
	}
	rc = conn_open_now(&l->conn, l->feed->path);
	if (rc) {
		feed_line_end(a);
		l->ask = NULL;
		a->end(a, rc);
		return;
	}
	l->state = LINE_HELLO;
	feed_line_watch(l, true);
}

/* feed_free - a line for a question, or NULL. */
static struct feed_line *
feed_free(struct feed *f)
{
	struct feed_line *off = NULL;

	for (int i = 0; i < FEED_LINES; i++) {
		if (f->line[i].state == LINE_IDLE)
			return &f->line[i];
		if (f->line[i].state == LINE_OFF && !off)
			off = &f->line[i];
	}
	return off;
}

static struct feed_ask *
feed_of_share(struct share_item *i)
{
	return (struct feed_ask *)((char *)i - offsetof(struct feed_ask, share));
}

/* feed_next - begin with waiting questions as long as lines are free. */
static void
feed_next(struct feed *f)
{
	struct share_item *i;
	struct feed_line *l;

	/* I3 */
	while (f->silent && !list_empty(&f->share.waiting)) {
		i = share_first(&f->share);
		share_end(i);
		feed_of_share(i)->end(feed_of_share(i), -ETIMEDOUT);
	}
	while ((l = feed_free(f)) && (i = share_next(&f->share)))
		feed_line_begin(l, feed_of_share(i));
}

void
feed_ask(struct feed *f, struct feed_ask *a, enum ask ask, const struct ask_args *args)
{
	struct share_item *surplus;
	struct feed_line *l;

	list_init(&a->share.node);
	a->on = NULL;
	a->feed = f;
	a->share.client = a->client;
	a->share.longer = ask_long(ask) && !a->brief;
	if (!ask_text(a->text, ask, args)) {
		a->end(a, -EINVAL);
		return;
	}
	if (f->silent && a != &f->probe) {
		a->end(a, -ETIMEDOUT);
		return;
	}
	l = share_permits(&f->share, &a->share) ? feed_free(f) : NULL;
	if (l) {
		feed_line_begin(l, a);
		return;
	}
	surplus = share_wait(&f->share, &a->share);
	if (surplus)
		feed_of_share(surplus)->end(feed_of_share(surplus), -EBUSY);
}

void
feed_cancel(struct feed_ask *a)
{
	struct feed_line *l = a->on;

	if (l) {
		(void)feed_line_close(l);
		feed_next(l->feed);
	} else {
		share_end(&a->share);
	}
}

bool
feed_holds(const struct feed_ask *a)
{
	return a->on && a->on->paused && !list_empty(&a->feed->share.waiting);
}

/* feed_line_ready - a reply of the opening has ended with @code: the next step. Returns:
 * false: the line is closed. */
static bool
feed_line_ready(struct feed_line *l, unsigned code)
{
	if (l->state == LINE_HELLO && code == CLI_WELCOME)
		return feed_line_send(l, "restrict", LINE_RESTRICT);
	if (l->state == LINE_RESTRICT && code == CLI_RESTRICTED)
		return feed_line_send(l, l->ask->text, LINE_BUSY);
	feed_line_fail(l, code >= 8000 ? -EBUSY : -EPROTO);
	return false;
}

/* feed_line_take - a line of the daemon. Returns: false: @l is closed, idle or paused. */
static bool
feed_line_take(struct feed_line *l, const struct cli_line *line)
{
	struct feed_ask *a = l->ask;

	if (line->async)
		return true;
	if (l->state != LINE_BUSY)
		return !line->last || feed_line_ready(l, line->code);
	a->heard = true;
	if (a->passed && l->conn.passed >= 0) {
		*a->passed = l->conn.passed;
		l->conn.passed = -1;
	}
	if (line->code == CLI_JSON && !a->line(a, line->text, line->len)) {
		l->paused = true;
		feed_line_watch(l, false);
		return false;
	}
	if (!line->last)
		return true;
	l->ask = NULL;
	feed_line_end(a);
	l->state = LINE_IDLE;
	a->end(a, 0);
	feed_next(l->feed);
	return false;
}

/* feed_line_read - take the received lines. */
static void
feed_line_read(struct feed_line *l)
{
	struct cli_line line;
	int rc;

	if (l->state == LINE_OFF || l->paused)
		return;
	l->heard_ms = feed_now_ms();
	while ((rc = conn_next(&l->conn, &line)) > 0) {
		l->feed->heard_ms = l->heard_ms;
		l->feed->silent = false;
		if (l->state == LINE_IDLE || !feed_line_take(l, &line))
			return;
	}
	if (rc < 0)
		feed_line_fail(l, rc);
}

static void
feed_event(struct watch *w, unsigned events)
{
	(void)events;
	feed_line_read((struct feed_line *)w);
}

void
feed_go(struct feed_ask *a)
{
	struct feed_line *l = a->on;

	if (!l || !l->paused)
		return;
	l->paused = false;
	feed_line_watch(l, true);
	feed_line_read(l);
}

bool
feed_is_silent(const struct feed *f)
{
	return f->silent;
}

/* feed_line_follows - is the reply of the line under way, and has no end? */
static bool
feed_line_follows(const struct feed_line *l)
{
	return l->state == LINE_BUSY && l->ask->lasts && l->ask->heard;
}

bool
feed_is_followed(const struct feed *f)
{
	for (int i = 0; i < FEED_LINES; i++)
		if (feed_line_follows(&f->line[i]))
			return true;
	return false;
}

void
feed_probe(struct feed *f)
{
	static const struct ask_args none;
	uint64_t now = feed_now_ms();

	if (f->probing || now < f->probe_ms ||
	    (!f->silent && now - f->heard_ms < FEED_QUIET_MS) || !feed_free(f))
		return;
	f->probing = true;
	feed_ask(f, &f->probe, ASK_STATUS, &none);
}

void
feed_silence(struct feed *f)
{
	for (int i = 0; i < FEED_LINES; i++)
		if (feed_line_follows(&f->line[i]))
			feed_line_fail(&f->line[i], -ETIMEDOUT);
}

/* feed_line_late - the daemon has let the question of @l wait in vain. A daemon that
 * answers other questions meanwhile is slow and not silent. */
static void
feed_line_late(struct feed_line *l, uint64_t now)
{
	struct feed *f = l->feed;
	bool silent = l->state != LINE_IDLE && now - f->heard_ms > FEED_SILENT_MS;

	f->silent |= silent;
	feed_line_fail(l, -ETIMEDOUT);
	if (silent)
		feed_silence(f);
}

void
feed_tick(struct feed *f)
{
	uint64_t now = feed_now_ms();

	for (int i = 0; i < FEED_LINES; i++) {
		struct feed_line *l = &f->line[i];

		if (l->state == LINE_OFF || l->paused || feed_line_follows(l))
			continue;
		if (l->state == LINE_IDLE ? now - l->heard_ms > FEED_IDLE_MS
					  : now - l->heard_ms > FEED_SILENT_MS)
			feed_line_late(l, now);
	}
	if (f->silent || feed_is_followed(f))
		feed_probe(f);
}

void
feed_fini(struct feed *f)
{
	for (int i = 0; i < FEED_LINES; i++)
		(void)feed_line_close(&f->line[i]);
}
