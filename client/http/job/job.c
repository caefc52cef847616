/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One request of HTTP under way. Loop: the only thread of ternhttp.
 *
 * I1  job_run is the only place that calls the view, and calls of job_run do not nest.
 * I2  While `asking`, the question or the wait is registered elsewhere, and job_free
 *     takes the registration back.
 *
 * Tested by test/net/test_http.py. */
#include "client/http/job/job.h"

#include "client/http/job/ask.h"
#include "client/http/job/feed.h"
#include "client/http/job/share.h"
#include "client/http/job/squeeze.h"
#include "lib/base/list.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

static struct job *
job_of_question(struct feed_ask *a)
{
	return (struct job *)((char *)a - offsetof(struct job, questions.ask));
}

static struct job *
job_of_wait(struct kept_wait *w)
{
	return (struct job *)((char *)w - offsetof(struct job, questions.wait));
}

void
job_wake(struct job *j)
{
	if (list_empty(&j->node))
		list_add_tail(&j->web->wake, &j->node);
}

bool
job_room(const struct job *j)
{
	return j->out.len - j->http.pos < JOB_HIGH;
}

bool
job_ready(const struct job *j)
{
	return j->finished || j->failed ||
	       (j->started || j->view->more ? j->out.len > j->http.pos : !job_room(j));
}

bool
job_wants(const struct job *j, unsigned i)
{
	return i < j->web->server_cnt &&
	       (!*j->req.server || !strcmp(j->req.server, j->web->server[i].name));
}

bool
job_last(const struct job *j)
{
	return j->questions.at + 1 >= j->questions.step_cnt ||
	       j->questions.step[j->questions.at + 1].server != j->now->server;
}

/* job_forget - make room for questions in the place of old questions. */
static void
job_forget(struct job *j)
{
	if (j->questions.step_cnt < JOB_STEPS_MAX || !j->questions.at)
		return;
	memmove(j->questions.step, j->questions.step + j->questions.at,
	    (j->questions.step_cnt - j->questions.at) * sizeof(*j->questions.step));
	j->questions.step_cnt -= j->questions.at;
	j->put -= j->questions.at;
	j->questions.at = 0;
	j->now = j->questions.step;
}

bool
job_ask(struct job *j, unsigned server, enum ask ask, const struct ask_args *args)
{
	struct step s = { .server = (uint8_t)server, .ask = (uint8_t)ask };

	job_forget(j);
	if (j->questions.step_cnt >= JOB_STEPS_MAX ||
	    (ask_private(ask) && !visitor_knows(&j->visitor)))
		return false;
	if (args)
		s.args = *args;
	j->questions.step = vec_room(MEM_OTHER, j->questions.step, &j->questions.step_cap,
	    j->questions.step_cnt + 1, sizeof(*j->questions.step));
	memmove(&j->questions.step[j->put + 1], &j->questions.step[j->put],
	    (j->questions.step_cnt - j->put) * sizeof(*j->questions.step));
	j->questions.step[j->put++] = s;
	j->questions.step_cnt++;
	j->now = j->questions.begun ? &j->questions.step[j->questions.at] : NULL;
	return true;
}

void
job_stop(struct job *j)
{
	j->reply.stopped = true;
}

void
job_drop(struct job *j)
{
	unsigned at = (unsigned)(j->now - j->questions.step) + 1, end = at;

	while (end < j->questions.step_cnt &&
	       j->questions.step[end].server == j->now->server)
		end++;
	memmove(&j->questions.step[at], &j->questions.step[end],
	    (j->questions.step_cnt - end) * sizeof(*j->questions.step));
	j->questions.step_cnt -= end - at;
	j->put = at;
}

void
job_problem(struct job *j, int status, const char *detail)
{
	if (j->started) {
		j->failed = true;
		return;
	}
	strbuf_reset(&j->out);
	j->status = status;
	j->view->problem(j, detail);
	j->finished = true;
}

void
job_unchanged(struct job *j)
{
	strbuf_reset(&j->out);
	j->status = 304;
	j->finished = true;
}

int
job_gone(int rc)
{
	return rc == -ETIMEDOUT ? 504 : 503;
}

/* job_summary - keep the end of the reply. */
static void
job_summary(struct job *j, struct jview line)
{
	j->reply.code = (unsigned)jview_u64(jview_get(line, "code"), 9999);
	if (!jview_copy(
		j->reply.message, sizeof(j->reply.message), jview_get(line, "message")))
		*j->reply.message = 0;
}

/* job_line - one line of the reply. */
static void
job_line(struct job *j, const char *text, size_t len)
{
	struct jview v = jview_of(text, len);

	if (jview_is(jview_get(v, "type"), "summary")) {
		job_summary(j, v);
	} else if (j->reply.stopped) {
		return;
	} else if (line_owner_shows(&j->owners.line, &j->visitor, (enum ask)j->now->ask,
		       &j->now->args, v)) {
		j->reply.shown = true;
		j->view->line(j, v);
	} else {
		j->reply.hidden = true;
	}
}

bool
job_is_refused(const struct job *j)
{
	return j->reply.code >= 8000 && j->reply.code != CLI_NO_ROUTE &&
	       strcmp(j->reply.message, "No valid tables") != 0;
}

/* job_hide - G9: `why` of a network of which the visitor sees no route ends as `why` of
 * an unknown network. */
static void
job_hide(struct job *j)
{
	if (!ask_why((enum ask)j->now->ask) || j->visitor.exchange)
		return;
	if (j->reply.hidden && !j->reply.shown)
		j->reply.code = CLI_NO_ROUTE;
	if (j->reply.code == CLI_NO_ROUTE)
		snprintf(j->reply.message, sizeof(j->reply.message),
		    "no route of this network is public; a member that logs in sees its "
		    "own filtered routes");
}

static bool
job_on_line(struct feed_ask *a, const char *text, size_t len)
{
	struct job *j = job_of_question(a);

	job_line(j, text, len);
	job_wake(j);
	/* job_stop ends the question in job_run */
	return job_room(j) && !j->reply.stopped;
}

static void
job_step_end(struct job *j, int rc)
{
	j->questions.asking = false;
	j->reply.rc = rc;
	if (rc == -ETIMEDOUT)
		j->questions.silent |= 1u << j->now->server;
	if (!rc && j->reply.code == UINT32_MAX && !j->reply.stopped)
		j->reply.rc = -EPROTO;
	if (!j->reply.rc)
		job_hide(j);
	j->put = j->questions.at + 1;
	j->view->step(j);
	j->questions.at++;
	j->owners.known = false;
}

/* job_busy - the present question has no place: the daemon is up, and the client may try
 * again (G8). */
static void
job_busy(struct job *j)
{
	char detail[128];

	snprintf(detail, sizeof(detail),
	    "the server %s is busy: too many requests wait; try again later",
	    j->web->server[j->now->server].name);
	j->questions.asking = false;
	job_problem(j, 503, detail);
}

static void
job_on_end(struct feed_ask *a, int rc)
{
	struct job *j = job_of_question(a);

	if (rc == -EBUSY)
		job_busy(j);
	else
		job_step_end(j, rc);
	job_wake(j);
}

static void
job_on_kept(struct kept_wait *w, struct kept *k, int rc)
{
	struct job *j = job_of_wait(w);

	j->questions.asking = false;
	if (j->owners.asking) {
		kept_unref(j->owners.kept);
		j->owners.kept = k;
		j->owners.asking = false;
		j->owners.known = k != NULL;
		if (k)
			line_owner_begin(&j->owners.line, k->text.s, k->text.len);
		else
			job_step_end(j, rc);
		job_wake(j);
		return;
	}
	j->questions.kept = k;
	j->questions.kept_pos = 0;
	j->reply.rc = rc;
	j->reply.stale = rc && k;
	j->reply.age_ms = k ? feed_now_ms() - k->at_ms : 0;
	if (!k)
		job_step_end(j, rc);
	job_wake(j);
}

/* job_kept - take lines of the kept reply while there is room. */
static void
job_kept(struct job *j)
{
	const struct strbuf *t = &j->questions.kept->text;
	int rc = j->reply.rc;

	while (job_room(j) && j->questions.kept_pos < t->len && !j->reply.stopped) {
		const char *line = t->s + j->questions.kept_pos;
		const char *lf = memchr(line, '\n', t->len - j->questions.kept_pos);
		size_t len = lf ? (size_t)(lf - line) : t->len - j->questions.kept_pos;

		job_line(j, line, len);
		j->questions.kept_pos += len + 1;
	}
	if (j->questions.kept_pos < t->len && !j->reply.stopped)
		return;
	kept_unref(j->questions.kept);
	j->questions.kept = NULL;
	job_step_end(j, rc);
}

/* job_needs_owners - is the owner of lines of the present question of interest? */
static bool
job_needs_owners(const struct job *j)
{
	enum ask ask = (enum ask)j->now->ask;

	return (ask_private(ask) || ask_why(ask)) && !j->visitor.exchange &&
	       visitor_knows(&j->visitor);
}

/* job_is_silent - has the server of the present question let this request wait? */
static bool
job_is_silent(const struct job *j)
{
	return j->questions.silent >> j->now->server & 1;
}

/* job_get_kept - ask for the reply of @k; a silent daemon gives the last reply. */
static void
job_get_kept(struct job *j, struct keeper *k)
{
	j->questions.wait.paged = j->view->paged && !j->owners.asking;
	if (job_is_silent(j))
		keeper_old(k, &j->questions.wait, -ETIMEDOUT);
	else
		keeper_get(k, &j->questions.wait);
}

/* job_begin_step - ask the next question, and before a private question for the sessions
 * of the server. */
static void
job_begin_step(struct job *j)
{
	struct server *s;
	enum ask ask;

	j->now = &j->questions.step[j->questions.at];
	s = &j->web->server[j->now->server];
	ask = (enum ask)j->now->ask;
	j->reply.rc = 0;
	j->reply.code = UINT32_MAX;
	*j->reply.message = 0;
	j->reply.age_ms = 0;
	j->reply.stale = j->reply.stopped = j->reply.shown = j->reply.hidden = false;
	j->put = j->questions.at + 1;
	j->questions.asking = true;
	if (!j->owners.known)
		line_owner_begin(&j->owners.line, NULL, 0);
	j->owners.asking = !j->owners.known && job_needs_owners(j);
	if (j->owners.asking || ask_kept(ask))
		job_get_kept(j, &s->keeper[j->owners.asking ? ASK_MEMBERS : ask]);
	else if (job_is_silent(j))
		job_step_end(j, -ETIMEDOUT);
	else {
		j->questions.ask.client = share_client(j->http.client);
		j->questions.ask.brief = j->brief;
		feed_ask(&s->feed, &j->questions.ask, ask, &j->now->args);
	}
}

void
job_run(struct job *j)
{
	if (!j->questions.begun) {
		j->status = 200;
		j->type = j->view->type;
		if (j->view->state_size)
			j->state = mem_zalloc(MEM_OTHER, j->view->state_size);
		j->view->begin(j);
		j->questions.begun = true;
	}
	while (!j->finished && !j->failed) {
		if (j->reply.stopped && j->questions.asking) {
			feed_cancel(&j->questions.ask);
			job_step_end(j, 0);
		}
		if (!job_room(j))
			return;
		if (j->questions.asking) {
			if (!j->owners.asking)
				feed_go(&j->questions.ask);
			return;
		}
		if (j->questions.kept) {
			job_kept(j);
			continue;
		}
		if (j->questions.at == j->questions.step_cnt) {
			j->now = NULL;
			if (j->view->more && j->view->more(j))
				return;
			j->view->end(j);
			j->finished = true;
			return;
		}
		job_begin_step(j);
	}
}

struct job *
job_new(struct web *w, const char *target)
{
	struct job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	j->web = w;
	j->http.began_ms = j->http.paced_ms = feed_now_ms();
	j->http.target = mem_strdup(MEM_OTHER, target);
	strbuf_init(&j->out);
	j->questions.ask.line = job_on_line;
	j->questions.ask.end = job_on_end;
	j->questions.wait.ready = job_on_kept;
	list_init(&j->node);
	list_add_tail(&w->all, &j->all);
	w->job_cnt++;
	return j;
}

/* job_unask - take back the question, or the wait for a kept reply. */
static void
job_unask(struct job *j)
{
	if (!j->questions.asking)
		return;
	j->questions.asking = false;
	/* one of the two is registered; the other call has no effect */
	if (j->owners.asking || ask_kept((enum ask)j->now->ask))
		keeper_leave(&j->questions.wait);
	else
		feed_cancel(&j->questions.ask);
}

/* job_leave - the client has left, or loses its answer. */
static void
job_leave(struct job *j)
{
	if (j->finished || j->failed)
		return;
	job_unask(j);
	j->failed = true;
	job_wake(j);
}

static void
job_on_client(struct watch *w, unsigned events)
{
	(void)events;
	job_leave((struct job *)((char *)w - offsetof(struct job, http.watch)));
}

void
job_watch(struct job *j)
{
	struct epoll_event ev = { .events = EPOLLRDHUP | EPOLLET,
		.data.ptr = &j->http.watch };

	j->http.watch.ready = job_on_client;
	j->http.watched = !epoll_ctl(j->web->epoll, EPOLL_CTL_ADD, j->http.fd, &ev);
}

void
job_pace(struct job *j, uint64_t now_ms)
{
	uint64_t taken;
	int queued = 0;

	/* the client has not taken the octets in the kernel's queue */
	if (ioctl(j->http.fd, SIOCOUTQ, &queued))
		queued = 0;
	taken = j->http.sent -
		((uint64_t)queued < j->http.sent ? (uint64_t)queued : j->http.sent);
	if (!feed_holds(&j->questions.ask) || taken >= j->http.paced + JOB_PACE) {
		j->http.paced = taken;
		j->http.paced_ms = now_ms;
	} else if (now_ms - j->http.paced_ms >= j->web->stall_s * 1000ull) {
		job_leave(j);
	}
}

void
job_free(struct job *j)
{
	job_unask(j);
	if (j->http.watched)
		(void)epoll_ctl(j->web->epoll, EPOLL_CTL_DEL, j->http.fd, NULL);
	list_del(&j->node);
	list_del(&j->all);
	if (j->view && j->view->free && j->state)
		j->view->free(j);
	kept_unref(j->questions.kept);
	kept_unref(j->owners.kept);
	squeeze_free(j->http.squeeze);
	strbuf_fini(&j->out);
	mem_free(MEM_OTHER, j->state);
	mem_free(MEM_OTHER, j->questions.step);
	mem_free(MEM_OTHER, j->http.target);
	j->web->job_cnt--;
	mem_free(MEM_OTHER, j);
}
