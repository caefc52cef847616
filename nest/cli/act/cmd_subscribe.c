/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subscribe: the session gets the events of the daemon until the client leaves.
 *
 *   subscribe events                  from now on
 *   subscribe events since all        the events of the ring, then the next ones
 *   subscribe events since "BOOT-N"   the events behind this event
 *
 * I1  The reply holds no configuration: a subscription may last for weeks. The rights of
 *     the session are looked up again with each new configuration.
 * I2  Events that the ring lost before the session read them are one `gap`. The next
 *     line is the oldest event of the ring.
 * I3  A session whose client does not read stays at its position (nest/cli/cli_serve.c,
 *     I2) and costs the ring nothing.
 *
 * Loop: the session's. Tested by test/net/test_subscribe.py. */
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/act/cmd_act.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/event/event.h"
#include "nest/event/event_ring.h"
#include "sysdep/os/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum subscribe_gap { GAP_NONE, GAP_RESTART, GAP_OLD };
static const char *const gap_word[] = { "", "restart", "lost" };

struct subscribe_job {
	struct cli_job job;
	struct event_sub *sub;
	uint64_t pos; /* the next number */
	uint64_t missing; /* numbers before pos without an event */
	enum subscribe_gap gap; /* to report, with `missing` */
	uint64_t view_nr; /* of the rights */
	bool restricted;
	bool plans; /* as cli_reads_plans says */
};

static struct event_ring *
subscribe_ring(const struct cli_session *s)
{
	return s->tern->events;
}

/* ---- lines ---- */

void
cmd_put_event(struct cli_session *s, const struct event *e, bool restricted, bool plans)
{
	const struct event_face *f = event_face(e, restricted, plans);
	char at[64];

	if (s->json) {
		cli_object_text(s, f->object.s, f->object.len);
		return;
	}
	clock_print(at, sizeof(at), cli_time(s, &time_iso_long_ms), e->at_ns);
	cli_say(s, CLI_EVENT, "%s %-16s %s", at, event_word(e->kind), f->text.s);
}

static void
subscribe_put_id(
    const struct cli_session *s, struct reply *r, const char *key, uint64_t nr)
{
	char id[48];

	snprintf(id, sizeof(id), "%llu-%llu",
	    (unsigned long long)event_ring_boot(subscribe_ring(s)),
	    (unsigned long long)nr);
	reply_str(r, key, NULL, id);
}

/* subscribe_put_gap - report that events before the number @pos are missing. */
static void
subscribe_put_gap(struct cli_session *s, struct subscribe_job *j)
{
	struct reply *r = cli_reply(s, "gap");

	reply_str(r, "reason", NULL, gap_word[j->gap]);
	if (j->gap == GAP_OLD)
		reply_u64(r, "missing", "%s events are missing\n", j->missing);
	else
		reply_text(r, "The daemon was restarted\n");
	subscribe_put_id(s, r, "id", j->pos - 1);
	cli_reply_end(s, CLI_EVENT);
	j->gap = GAP_NONE;
	j->missing = 0;
}

/* subscribe_put_head - JSON alone: the position of the subscription. */
static void
subscribe_put_head(struct cli_session *s, const struct subscribe_job *j)
{
	struct reply *r = cli_reply(s, "subscription");

	subscribe_put_id(s, r, "id", j->pos - 1);
	subscribe_put_id(s, r, "last_id", event_ring_next(subscribe_ring(s)) - 1);
	cli_reply_end(s, CLI_EVENT);
}

/* ---- the job ---- */

/* subscribe_may - look up the rights again. Returns: false: the socket has lost the
 * right. */
static bool
subscribe_may(struct cli_session *s, struct subscribe_job *j)
{
	const struct tern_view *v = tern_view_get(s->tern);

	if (v->nr == j->view_nr)
		return true;
	j->view_nr = v->nr;
	j->restricted = cli_is_restricted(s);
	j->plans = cli_reads_plans(s);
	return cmd_is_granted(s, v->conf->conf, "subscribe events");
}

static bool
subscribe_waits(const struct cli_session *s, const struct cli_job *job)
{
	const struct subscribe_job *j = container_of(
	    job, const struct subscribe_job, job);

	return !s->in.eof && event_ring_next(subscribe_ring(s)) == j->pos;
}

static void
subscribe_step(struct cli_session *s, struct cli_job *job)
{
	struct subscribe_job *j = container_of(job, struct subscribe_job, job);
	const struct event_ring *r = subscribe_ring(s);
	uint64_t next = event_ring_next(r), oldest = event_ring_oldest(r);

	if (s->in.eof || !subscribe_may(s, j)) {
		cli_end(s, s->in.eof ? CLI_DONE : CLI_DENIED, "%s",
		    s->in.eof ? "" : "Access denied");
		return;
	}
	if (j->pos < oldest) {
		j->missing += oldest - j->pos;
		j->pos = oldest;
	}
	while (j->pos < next && cli_go_on(s)) {
		const struct event *e = event_ring_get(r, j->pos);

		if (!e) {
			j->missing++;
			j->pos++;
			continue;
		}
		if (j->missing && !j->gap)
			j->gap = GAP_OLD;
		if (j->gap)
			subscribe_put_gap(s, j);
		cmd_put_event(s, e, j->restricted, j->plans);
		j->pos++;
	}
}

static void
subscribe_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct subscribe_job *j = container_of(job, struct subscribe_job, job);

	(void)s;
	event_sub_leave(j->sub);
	mem_free(MEM_OTHER, j);
}

/* ---- the command ---- */

/* subscribe_since - the position behind the event @id: BOOT-N. Returns: false: no id. */
static bool
subscribe_since(struct cli_session *s, struct subscribe_job *j, const char *id)
{
	const struct event_ring *r = subscribe_ring(s);
	uint64_t boot, nr;
	char *end;

	if (*id < '0' || *id > '9')
		return false;
	boot = strtoull(id, &end, 10);
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return false;
	nr = strtoull(end + 1, &end, 10);
	if (*end)
		return false;
	j->pos = nr + 1;
	if (boot != event_ring_boot(r) || nr >= event_ring_next(r)) {
		j->pos = event_ring_oldest(r);
		j->gap = GAP_RESTART;
	}
	return true;
}

/* subscribe_parse - the arguments. Returns: false: the reply has ended. */
static bool
subscribe_parse(struct cli_session *s, struct cli_scan *sc, struct subscribe_job *j)
{
	const struct event_ring *r = subscribe_ring(s);

	j->pos = event_ring_next(r);
	if (!cli_scan_word(sc, "since"))
		return cli_at_end(s, sc);
	if (cli_scan_word(sc, "all")) {
		j->pos = event_ring_oldest(r);
		return cli_at_end(s, sc);
	}
	if (sc->tok != TOK_TEXT || !subscribe_since(s, j, sc->text)) {
		cli_syntax(s, sc, "'all' or the id of an event in quotes");
		return false;
	}
	cli_scan_step(sc);
	return cli_at_end(s, sc);
}

void
cmd_subscribe_events(struct cli_session *s, struct cli_scan *sc)
{
	struct subscribe_job *j = mem_zalloc(MEM_OTHER, sizeof(*j));

	if (!subscribe_parse(s, sc, j)) {
		mem_free(MEM_OTHER, j);
		return;
	}
	j->job = (struct cli_job){
		.step = subscribe_step, .free = subscribe_free, .waits = subscribe_waits
	};
	j->restricted = cli_is_restricted(s);
	j->plans = cli_reads_plans(s);
	j->view_nr = tern_view_get(s->tern)->nr;
	j->sub = event_sub_new(subscribe_ring(s), &s->worker);
	cli_drop_conf(s); /* I1 */
	subscribe_put_head(s, j);
	if (j->gap)
		subscribe_put_gap(s, j);
	cli_run_job(s, &j->job);
}
