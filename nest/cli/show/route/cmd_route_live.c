/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subscribe routes: the routes of a query of `show route`, then their changes, until the
 * client leaves.
 *
 *   subscription  the first object, at once
 *   route         a route of the first look, or a route that is new or has other members
 *   snapshot      the first look is complete
 *   withdrawn     a route that the query has no longer
 *
 * The job runs the query of `show route` again and again, as a tap of the query's
 * objects (struct cli_tap), and lets objects pass that differ from the last look.
 *
 * I1  A look begins only if a table, the configuration or a state of an instance has
 *     changed since the last look. Looks use at most a part in LIVE_SHARE of the time.
 * I2  Tables and sessions have no part in a subscription: a client that does not read
 *     stops its own look (nest/cli/cli_serve.c, I2). The next look shows the state of
 *     then, so that states between two looks have no object.
 * I3  A route is the same in two looks if table, network, protocol, path identifier and
 *     the rank among equal routes are equal. The time of the last change is no
 *     difference, as the clock may be set.
 * I4  The job holds a configuration during a look only.
 * I5  A query with more than LIVE_MAX routes ends the reply.
 *
 * Loop: the session's. Tested by test/net/test_subscribe_routes.py. */
#include "nest/cli/show/route/cmd_route.h"

#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "lib/wire/cli_frame.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>
#include <string.h>

#define LIVE_PERIOD_NS NS_PER_S
#define LIVE_SHARE     100
#define LIVE_MAX       100000

/* A route of the last look. Owner: the job. Freed by: live_drop. */
struct live_route {
	struct htab_node node;
	uint64_t content; /* hash of the members */
	uint32_t look; /* number of the look that has seen the route */
	uint32_t rank; /* among routes with equal keys */
	char key[]; /* members of JSON: table, network, protocol ... */
};

struct live_job {
	struct cli_job job;
	struct cli_tap tap;
	struct cli_session *s;
	struct strbuf command; /* `show route` with the arguments */
	const char *query; /* the arguments, in `command` */
	struct timer timer;
	bool due;
	uint64_t stamp; /* of the last look (I1) */
	uint32_t look; /* number of the present or last look */
	struct htab routes; /* struct live_route, by hash of key and rank */
	/* Of the look under way. */
	struct cli_job *inner; /* NULL: none */
	bool looks, ended;
	unsigned code; /* of the end of the query */
	char said[CLI_LINE_MAX]; /* likewise */
	uint64_t spent_ns;
	struct strbuf gone; /* keys of routes that are gone, each with NUL; to send */
	size_t gone_pos;
};

static void
live_timer_fired(struct timer *t)
{
	struct live_job *j = container_of(t, struct live_job, timer);

	j->due = true;
	worker_again(&j->s->worker);
}

/* live_stamp - changes with each change of a table, of the configuration or of the state
 * of an instance. */
static uint64_t
live_stamp(const struct tern_view *v)
{
	uint64_t h = hash_u64(1, v->nr);

	for (uint32_t i = 0; i < v->table_cnt; i++) {
		struct table_stats st;

		table_stats(v->table[i], &st);
		h = hash_u64(h, st.changes);
	}
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		h = hash_u64(h, proto_status_get(v->proto[i])->since_ns);
	return h;
}

/* ---- objects of the query ---- */

/* live_key - the members of the object @text that name the route. Returns: false: no
 * route. */
static bool
live_key(struct strbuf *key, const char *text)
{
	static const char head[] = "{\"type\":\"route\",";
	const char *from = text + strlen(head), *end, *id;

	if (strncmp(text, head, strlen(head)) != 0)
		return false;
	/* quotes within a text have a backslash, so that no text has such a member */
	end = strstr(from, ",\"source\":\"");
	if (!end)
		return false;
	strbuf_add(key, from, (size_t)(end - from));
	id = strstr(end, ",\"path_id\":");
	if (id)
		strbuf_add(key, id, 1 + strcspn(id + 1, ",}"));
	return true;
}

/* live_content - I3. */
static uint64_t
live_content(const char *text, size_t len)
{
	const char *time = strstr(text, ",\"changed_unix_s\":");
	size_t before = time ? (size_t)(time - text) : len;
	size_t skip = time ? 1 + strcspn(time + 1, ",}") : 0;
	uint64_t h = hash_bytes(1, text, before);

	return hash_bytes(h, text + before + skip, len - before - skip);
}

/* live_find - the route @key of rank @rank; NULL: new. */
static struct live_route *
live_find(const struct live_job *j, const char *key, uint32_t rank, uint64_t hash)
{
	struct htab_node *n;

	htab_each_same (n, &j->routes, hash) {
		struct live_route *r = container_of(n, struct live_route, node);

		if (r->rank == rank && !strcmp(r->key, key))
			return r;
	}
	return NULL;
}

/* live_note - note the route @key in this look. Returns: true: the route is new or has
 * changed. */
static bool
live_note(struct live_job *j, const struct strbuf *key, uint64_t content)
{
	struct live_route *r;
	uint32_t rank = 0;
	uint64_t hash;

	for (;; rank++) {
		hash = hash_u64(hash_bytes(1, key->s, key->len), rank);
		r = live_find(j, key->s, rank, hash);
		if (!r || r->look != j->look)
			break;
	}
	if (!r) {
		r = mem_zalloc(MEM_OTHER, sizeof(*r) + key->len + 1);
		memcpy(r->key, key->s, key->len + 1);
		r->rank = rank;
		htab_add(&j->routes, &r->node, hash);
	} else if (r->content == content) {
		r->look = j->look;
		return false;
	}
	r->content = content;
	r->look = j->look;
	return true;
}

static bool
live_object(struct cli_tap *t, const char *text, size_t len)
{
	struct live_job *j = container_of(t, struct live_job, tap);
	struct strbuf key;
	bool shows;

	strbuf_init(&key);
	shows = live_key(&key, text) && live_note(j, &key, live_content(text, len));
	strbuf_fini(&key);
	return shows;
}

static void
live_ended(struct cli_tap *t, unsigned code, const char *text)
{
	struct live_job *j = container_of(t, struct live_job, tap);

	j->ended = true;
	j->code = code;
	snprintf(j->said, sizeof(j->said), "%s", text);
}

/* ---- a look ---- */

static void
live_look_drop(struct cli_session *s, struct live_job *j)
{
	if (j->inner)
		j->inner->free(s, j->inner);
	j->inner = NULL;
	s->object.tap = NULL;
	if (j->looks && s->conf)
		cli_drop_conf(s); /* I4 */
	j->looks = j->ended = false;
}

static void
live_look_begin(struct cli_session *s, struct live_job *j)
{
	struct cli_scan sc;

	cli_hold_conf(s);
	j->looks = true;
	j->ended = false;
	j->look++;
	j->spent_ns = 0;
	j->stamp = live_stamp(tern_view_get(s->tern));
	s->object.tap = &j->tap;
	s->job = NULL;
	cli_scan_init(&sc, j->query);
	cmd_show_route(s, &sc);
	j->inner = s->job;
	s->job = &j->job;
}

/* live_gone - note the routes that this look has not seen. */
static void
live_gone(struct live_job *j)
{
	struct htab_node *n = htab_walk(&j->routes, NULL);

	strbuf_reset(&j->gone);
	j->gone_pos = 0;
	while (n) {
		struct live_route *r = container_of(n, struct live_route, node);

		n = htab_walk(&j->routes, n);
		if (r->look == j->look)
			continue;
		strbuf_add(&j->gone, r->key, strlen(r->key) + 1);
		htab_del(&j->routes, &r->node);
		mem_free(MEM_OTHER, r);
	}
}

/* live_put_gone - send withdrawals while the client takes them. Returns: true: all are
 * sent. */
static bool
live_put_gone(struct cli_session *s, struct live_job *j)
{
	struct strbuf o;

	strbuf_init(&o);
	while (j->gone_pos < j->gone.len && cli_go_on(s)) {
		const char *key = j->gone.s + j->gone_pos;

		strbuf_reset(&o);
		strbuf_addf(&o, "{\"type\":\"withdrawn\",%s}", key);
		cli_object_text(s, o.s, o.len);
		j->gone_pos += strlen(key) + 1;
	}
	strbuf_fini(&o);
	return j->gone_pos == j->gone.len;
}

static void
live_look_end(struct cli_session *s, struct live_job *j)
{
	uint64_t now = clock_now_ns();

	live_look_drop(s, j);
	live_gone(j);
	if (j->look == 1) {
		reply_u64(cli_reply(s, "snapshot"), "routes", NULL, htab_cnt(&j->routes));
		cli_reply_end(s, CLI_ROUTE);
	}
	j->due = false;
	timer_set(&j->timer, now + max_u64(LIVE_PERIOD_NS, j->spent_ns * LIVE_SHARE));
}

/* ---- the job ---- */

static bool
live_waits(const struct cli_session *s, const struct cli_job *job)
{
	const struct live_job *j = container_of(job, const struct live_job, job);

	return !s->in.eof && !j->due && j->gone_pos == j->gone.len;
}

/* live_fails - Returns: the code that ends the reply; 0: the reply goes on. */
static enum cli_code
live_fails(struct cli_session *s, const struct live_job *j)
{
	const struct config *conf = tern_view_get(s->tern)->conf->conf;

	if (s->in.eof)
		return CLI_DONE;
	if (!cmd_is_granted(s, conf, "subscribe routes") ||
	    !cmd_is_granted(s, conf, j->command.s))
		return CLI_DENIED;
	return htab_cnt(&j->routes) > LIVE_MAX ? CLI_FAILED : 0;
}

static void
live_end(struct cli_session *s, struct live_job *j, enum cli_code code)
{
	live_look_drop(s, j);
	s->json = true;
	cli_end(s, code, "%s",
	    code == CLI_DENIED   ? "Access denied"
	    : code == CLI_FAILED ? "The query has too many routes"
	    : code == CLI_DONE   ? ""
				 : j->said);
}

static void
live_step(struct cli_session *s, struct cli_job *job)
{
	struct live_job *j = container_of(job, struct live_job, job);
	enum cli_code code = live_fails(s, j);
	uint64_t began = clock_thread_cpu_ns();

	if (code || !live_put_gone(s, j)) {
		if (code)
			live_end(s, j, code);
		return;
	}
	if (!j->due)
		return;
	if (!j->looks && j->look &&
	    live_stamp(tern_view_get(s->tern)) == j->stamp) { /* I1 */
		j->due = false;
		timer_set(&j->timer, clock_now_ns() + LIVE_PERIOD_NS);
		return;
	}
	if (!j->looks)
		live_look_begin(s, j);
	if (j->inner && !j->ended)
		j->inner->step(s, j->inner);
	j->spent_ns += clock_thread_cpu_ns() - began;
	if (!j->ended)
		return;
	/* a network without a route now may have a route later */
	if (j->code >= CLI_FAILED && j->code != CLI_NO_ROUTE)
		live_end(s, j, (enum cli_code)j->code);
	else
		live_look_end(s, j);
}

static void
live_free(struct cli_session *s, TAKE struct cli_job *job)
{
	struct live_job *j = container_of(job, struct live_job, job);
	struct htab_node *n;

	live_look_drop(s, j);
	timer_cancel(&j->timer);
	while ((n = htab_walk(&j->routes, NULL))) {
		htab_del(&j->routes, n);
		mem_free(MEM_OTHER, container_of(n, struct live_route, node));
	}
	htab_fini(&j->routes);
	strbuf_fini(&j->command);
	strbuf_fini(&j->gone);
	mem_free(MEM_OTHER, j);
}

/* live_has_objects - false: the query @query has sums or a verdict in place of routes. */
static bool
live_has_objects(const char *query)
{
	static const char *const other[] = { "why", "count", "stats", "reasons" };
	struct cli_scan sc;

	for (cli_scan_init(&sc, query); sc.tok != TOK_END; cli_scan_step(&sc))
		for (unsigned i = 0; sc.tok == TOK_WORD && i < ARRAY_LEN(other); i++)
			if (!strcmp(sc.text, other[i]))
				return false;
	return true;
}

void
cmd_subscribe_routes(struct cli_session *s, struct cli_scan *sc)
{
	struct live_job *j;

	if (!s->json) {
		cli_end(s, CLI_BAD_COMMAND, "Only `json subscribe routes` exists");
		return;
	}
	if (!live_has_objects(sc->at)) {
		cli_end(s, CLI_BAD_COMMAND,
		    "`why`, `count`, `stats` and `reasons` have no routes to "
		    "follow");
		return;
	}
	j = mem_zalloc(MEM_OTHER, sizeof(*j));
	j->job = (struct cli_job){
		.step = live_step, .free = live_free, .waits = live_waits
	};
	j->tap = (struct cli_tap){ .object = live_object, .end = live_ended };
	j->s = s;
	j->due = true;
	strbuf_init(&j->command);
	strbuf_init(&j->gone);
	strbuf_addf(&j->command, "show route %s", sc->at);
	j->query = j->command.s + strlen("show route ");
	htab_init(&j->routes, MEM_OTHER);
	timer_init(&j->timer, &s->worker, live_timer_fired);
	cli_drop_conf(s);
	(void)cli_reply(s, "subscription");
	cli_reply_end(s, CLI_ROUTE);
	cli_run_job(s, &j->job);
}
