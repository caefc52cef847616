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
#include "lib/mem/mem.h"

#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

static struct job *
job_of_question(struct feed_ask *a)
{
	return (struct job *)((char *)a - offsetof(struct job, question));
}

static struct job *
job_of_wait(struct kept_wait *w)
{
	return (struct job *)((char *)w - offsetof(struct job, wait));
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
	return j->out.len - j->pos < JOB_HIGH;
}

bool
job_ready(const struct job *j)
{
	return j->finished || j->failed ||
	       (j->started || j->view->more ? j->out.len > j->pos : !job_room(j));
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
	return j->at + 1 >= j->step_cnt || j->step[j->at + 1].server != j->now->server;
}

/* job_forget - make room for questions in the place of old questions. */
static void
job_forget(struct job *j)
{
	if (j->step_cnt < JOB_STEPS_MAX || !j->at)
		return;
	memmove(j->step, j->step + j->at, (j->step_cnt - j->at) * sizeof(*j->step));
	j->step_cnt -= j->at;
	j->put -= j->at;
	j->at = 0;
	j->now = j->step;
}

bool
job_ask(struct job *j, unsigned server, enum ask ask, const struct ask_args *args)
{
	struct step s = { .server = (uint8_t)server, .ask = (uint8_t)ask };

	job_forget(j);
	if (j->step_cnt >= JOB_STEPS_MAX ||
	    (ask_private(ask) && !visitor_knows(&j->visitor)))
		return false;
	if (args)
		s.args = *args;
	if (!(j->step_cnt & (j->step_cnt - 1)))
		j->step = mem_realloc(MEM_OTHER, j->step,
		    j->step_cnt ? 2 * j->step_cnt : 1, sizeof(*j->step));
	memmove(&j->step[j->put + 1], &j->step[j->put],
	    (j->step_cnt - j->put) * sizeof(*j->step));
	j->step[j->put++] = s;
	j->step_cnt++;
	j->now = j->begun ? &j->step[j->at] : NULL;
	return true;
}

void
job_stop(struct job *j)
{
	j->stopped = true;
}

void
job_drop(struct job *j)
{
	j->step_cnt = (unsigned)(j->now - j->step) + 1;
	j->put = j->step_cnt;
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
	j->code = (unsigned)jview_u64(jview_get(line, "code"), 9999);
	if (!jview_copy(j->message, sizeof(j->message), jview_get(line, "message")))
		*j->message = 0;
}

/* job_line - one line of the reply. */
static void
job_line(struct job *j, const char *text, size_t len)
{
	struct jview v = jview_of(text, len);

	if (jview_is(jview_get(v, "type"), "summary"))
		job_summary(j, v);
	else if (!j->stopped && line_owner_shows(&j->line_owner, &j->visitor,
				    (enum ask)j->now->ask, &j->now->args, v))
		j->view->line(j, v);
}

static bool
job_on_line(struct feed_ask *a, const char *text, size_t len)
{
	struct job *j = job_of_question(a);

	job_line(j, text, len);
	job_wake(j);
	/* job_stop ends the question in job_run */
	return job_room(j) && !j->stopped;
}

static void
job_step_end(struct job *j, int rc)
{
	j->asking = false;
	j->rc = rc;
	if (rc == -ETIMEDOUT)
		j->silent |= 1u << j->now->server;
	if (!rc && j->code == UINT32_MAX && !j->stopped)
		j->rc = -EPROTO;
	j->put = j->at + 1;
	j->view->step(j);
	j->at++;
	j->owner_known = false;
}

static void
job_on_end(struct feed_ask *a, int rc)
{
	struct job *j = job_of_question(a);

	job_step_end(j, rc);
	job_wake(j);
}

static void
job_on_kept(struct kept_wait *w, struct kept *k, int rc)
{
	struct job *j = job_of_wait(w);

	j->asking = false;
	if (j->owning) {
		kept_unref(j->owners);
		j->owners = k;
		j->owning = false;
		j->owner_known = k != NULL;
		if (k)
			line_owner_begin(&j->line_owner, k->text.s, k->text.len);
		else
			job_step_end(j, rc);
		job_wake(j);
		return;
	}
	j->kept = k;
	j->kept_pos = 0;
	j->rc = rc;
	j->stale = rc && k;
	j->age_ms = k ? feed_now_ms() - k->at_ms : 0;
	if (!k)
		job_step_end(j, rc);
	job_wake(j);
}

/* job_kept - take lines of the kept reply while there is room. */
static void
job_kept(struct job *j)
{
	const struct strbuf *t = &j->kept->text;
	int rc = j->rc;

	while (job_room(j) && j->kept_pos < t->len && !j->stopped) {
		const char *line = t->s + j->kept_pos;
		const char *lf = memchr(line, '\n', t->len - j->kept_pos);
		size_t len = lf ? (size_t)(lf - line) : t->len - j->kept_pos;

		job_line(j, line, len);
		j->kept_pos += len + 1;
	}
	if (j->kept_pos < t->len && !j->stopped)
		return;
	kept_unref(j->kept);
	j->kept = NULL;
	job_step_end(j, rc);
}

/* job_needs_owners - is the owner of lines of the present question of interest? */
static bool
job_needs_owners(const struct job *j)
{
	enum ask ask = (enum ask)j->now->ask;

	return (ask_private(ask) || ask == ASK_WHY || ask == ASK_WHY_WITH) &&
	       !j->visitor.exchange && visitor_knows(&j->visitor);
}

/* job_is_silent - has the server of the present question let this request wait? */
static bool
job_is_silent(const struct job *j)
{
	return j->silent >> j->now->server & 1;
}

/* job_get_kept - ask for the reply of @k; a silent daemon gives the last reply. */
static void
job_get_kept(struct job *j, struct keeper *k)
{
	if (job_is_silent(j))
		keeper_old(k, &j->wait, -ETIMEDOUT);
	else
		keeper_get(k, &j->wait);
}

/* job_begin_step - ask the next question, and before a private question for the sessions
 * of the server. */
static void
job_begin_step(struct job *j)
{
	struct server *s;
	enum ask ask;

	j->now = &j->step[j->at];
	s = &j->web->server[j->now->server];
	ask = (enum ask)j->now->ask;
	j->rc = 0;
	j->code = UINT32_MAX;
	*j->message = 0;
	j->age_ms = 0;
	j->stale = j->stopped = false;
	j->put = j->at + 1;
	j->asking = true;
	if (!j->owner_known)
		line_owner_begin(&j->line_owner, NULL, 0);
	j->owning = !j->owner_known && job_needs_owners(j);
	if (j->owning || ask_kept(ask))
		job_get_kept(j, &s->keeper[j->owning ? ASK_MEMBERS : ask]);
	else if (job_is_silent(j))
		job_step_end(j, -ETIMEDOUT);
	else {
		j->question.client = share_client(j->client);
		j->question.brief = j->brief;
		feed_ask(&s->feed, &j->question, ask, &j->now->args);
	}
}

void
job_run(struct job *j)
{
	if (!j->begun) {
		j->status = 200;
		j->type = j->view->type;
		if (j->view->state_size)
			j->state = mem_zalloc(MEM_OTHER, j->view->state_size);
		j->view->begin(j);
		j->begun = true;
	}
	while (!j->finished && !j->failed) {
		if (j->stopped && j->asking) {
			feed_cancel(&j->question);
			job_step_end(j, 0);
		}
		if (!job_room(j))
			return;
		if (j->asking) {
			if (!j->owning)
				feed_go(&j->question);
			return;
		}
		if (j->kept) {
			job_kept(j);
			continue;
		}
		if (j->at == j->step_cnt) {
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
	j->began_ms = j->paced_ms = feed_now_ms();
	j->target = mem_strdup(MEM_OTHER, target);
	strbuf_init(&j->out);
	j->question.line = job_on_line;
	j->question.end = job_on_end;
	j->wait.ready = job_on_kept;
	list_init(&j->node);
	list_add_tail(&w->all, &j->all);
	w->job_cnt++;
	return j;
}

/* job_unask - take back the question, or the wait for a kept reply. */
static void
job_unask(struct job *j)
{
	if (!j->asking)
		return;
	j->asking = false;
	/* one of the two is registered; the other call has no effect */
	if (j->owning || ask_kept((enum ask)j->now->ask))
		keeper_leave(&j->wait);
	else
		feed_cancel(&j->question);
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
	job_leave((struct job *)((char *)w - offsetof(struct job, watch)));
}

void
job_watch(struct job *j)
{
	struct epoll_event ev = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = &j->watch };

	j->watch.ready = job_on_client;
	j->watched = !epoll_ctl(j->web->epoll, EPOLL_CTL_ADD, j->fd, &ev);
}

void
job_pace(struct job *j, uint64_t now_ms)
{
	uint64_t taken;
	int queued = 0;

	/* what the kernel holds the client has not taken */
	if (ioctl(j->fd, SIOCOUTQ, &queued))
		queued = 0;
	taken = j->sent - ((uint64_t)queued < j->sent ? (uint64_t)queued : j->sent);
	if (!feed_holds(&j->question) || taken >= j->paced + JOB_PACE) {
		j->paced = taken;
		j->paced_ms = now_ms;
	} else if (now_ms - j->paced_ms >= j->web->stall_s * 1000ull) {
		job_leave(j);
	}
}

void
job_free(struct job *j)
{
	job_unask(j);
	if (j->watched)
		(void)epoll_ctl(j->web->epoll, EPOLL_CTL_DEL, j->fd, NULL);
	list_del(&j->node);
	list_del(&j->all);
	if (j->view && j->view->free && j->state)
		j->view->free(j);
	kept_unref(j->kept);
	kept_unref(j->owners);
	squeeze_free(j->squeeze);
	strbuf_fini(&j->out);
	mem_free(MEM_OTHER, j->state);
	mem_free(MEM_OTHER, j->step);
	mem_free(MEM_OTHER, j->target);
	j->web->job_cnt--;
	mem_free(MEM_OTHER, j);
}
