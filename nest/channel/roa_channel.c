/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Import into a ROA table: filter, batch, post.
 *
 * I1  A batch has at most one change of each VRP: the owner gives each once between two
 *     flushes, and a full batch is sent before the next change.
 * I2  At most BATCHES are under way; roa_channel_room is false then.
 *
 * Loop: the instance's. */
#include "nest/channel/roa_channel.h"

#include "filter/run/net.h"

#include "nest/channel/channel.h"
#include "nest/tern.h"
#include "sysdep/log.h"

#define BATCH_ROUTES 1024
#define BATCHES      4

static void
filter_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

const struct conf_channel *
roa_channel_conf(const struct roa_channel *ch)
{
	return load_acquire_ptr(&ch->cf); /* pairs: RCCONF */
}

/* ---- batches ---- */

struct done_msg {
	struct msg msg;
	struct roa_channel *ch;
};

static void
batch_done(struct worker *w, TAKE struct msg *m)
{
	struct done_msg *d = container_of(m, struct done_msg, msg);
	struct roa_channel *ch = d->ch;

	(void)w;
	mem_free(MEM_PROTO, d);
	ch->under_way--;
	if (ch->was_full && !ch->leaving) {
		ch->was_full = false;
		ch->ready(ch);
	}
}

static OWNED struct msg *
done_new(struct roa_channel *ch, void (*fn)(struct worker *w, struct msg *m))
{
	struct done_msg *d = mem_zalloc(MEM_PROTO, sizeof(*d));

	d->msg.handle = fn;
	d->ch = ch;
	return &d->msg;
}

void
roa_channel_flush(struct roa_channel *ch)
{
	struct roa_batch *b = ch->batch;

	if (!b)
		return;
	ch->batch = NULL;
	b->table = ch->table;
	b->src = &ch->src;
	b->done = done_new(ch, batch_done);
	ch->under_way++;
	roa_table_post(ch->table, b);
}

bool
roa_channel_room(struct roa_channel *ch)
{
	ch->was_full = ch->under_way >= BATCHES;
	return !ch->was_full;
}

static void
add(struct roa_channel *ch, const struct vrp *v, struct attr_set *set)
{
	if (!ch->batch) {
		ch->batch = mem_alloc(MEM_TABLE,
		    sizeof(*ch->batch) + BATCH_ROUTES * sizeof(ch->batch->route[0]));
		memset(ch->batch, 0, sizeof(*ch->batch));
	}
	ch->batch->route[ch->batch->cnt++] = (struct roa_route){ *v, set };
	if (ch->batch->cnt == BATCH_ROUTES)
		roa_channel_flush(ch);
}

/* ---- routes ---- */

/* run_policy - Returns: a reference; NULL: rejected. */
static struct attr_set *
run_policy(struct roa_channel *ch, const struct vrp *v, struct attr_set *pre)
{
	static const struct filter_env env = { .log = filter_log };
	const struct filter *f = roa_channel_conf(ch)->import;
	struct fnet what;
	struct route_view rv = {
		.net = v->net, .what = &what, .src = &ch->own, .set = pre
	};
	enum filter_verdict fixed;
	struct attr_set *set = NULL;
	struct attr_edit e;
	uint32_t reads;

	if (filter_is_const(f, &fixed))
		return fixed == FILTER_ACCEPT ? attr_set_ref(pre, 1) : NULL;
	fnet_of_vrp(&what, v, roa_table_aspa(ch->table) != NULL);
	if (!ch->ft)
		ch->ft = filter_thread_new(&ch->p->tern->ifaces);
	attr_edit_init(&e, &ch->arena, pre);
	if (filter_run(f, ch->ft, &env, &rv, &e, &reads) == FILTER_ACCEPT)
		set = attr_store_edit(ch->p->tern->store, &e);
	arena_reset(&ch->arena);
	return set;
}

void
roa_channel_announce(struct roa_channel *ch, const struct vrp *v, struct attr_set *pre)
{
	struct attr_set *set = run_policy(ch, v, pre);

	counter64_bump(&ch->received, 1);
	if (!set)
		counter64_bump(&ch->filtered, 1);
	add(ch, v, set);
}

void
roa_channel_withdraw(struct roa_channel *ch, const struct vrp *v)
{
	counter64_bump(&ch->wd_received, 1);
	add(ch, v, NULL);
}

/* ---- life ---- */

void
roa_channel_init(struct roa_channel *ch, struct proto *p, const struct conf_channel *cf)
{
	ch->p = p;
	ch->src.proto = p;
	ch->src.worker = &p->worker;
	ch->own.proto = cf->name;
	store_release_ptr(&ch->cf, (void *)(uintptr_t)cf); /* pairs: RCCONF */
	ch->table = roa_table_ref(roa_table_of(p->tern, cf->table));
	arena_init(&ch->arena, MEM_PROTO, 4096);
	roa_table_join(ch->table, &ch->src);
	store_release_ptr(&p->roa, ch); /* pairs: PROA */
}

void
roa_channel_fini(struct roa_channel *ch)
{
	arena_fini(&ch->arena);
	if (ch->ft)
		filter_thread_free(ch->ft);
	roa_table_unref(ch->table);
}

void
roa_channel_adopt(struct roa_channel *ch, const struct conf_channel *cf)
{
	store_release_ptr(&ch->cf, (void *)(uintptr_t)cf); /* pairs: RCCONF */
}

static void
left(struct worker *w, TAKE struct msg *m)
{
	struct done_msg *d = container_of(m, struct done_msg, msg);
	struct roa_channel *ch = d->ch;

	(void)w;
	mem_free(MEM_PROTO, d);
	ch->left(ch);
}

void
roa_channel_leave(struct roa_channel *ch)
{
	roa_channel_flush(ch);
	ch->leaving = true;
	roa_table_leave(ch->table, &ch->src, done_new(ch, left));
}

void
roa_channel_set_up(struct roa_channel *ch, bool up)
{
	ch->own.proto = ch->p->name;
	store_relaxed32(&ch->up, up);
}

/* ---- show ---- */

static unsigned long long
get(const struct counter64 *c)
{
	return counter64_get(c);
}

void
roa_channel_show(const struct roa_channel *ch, struct strbuf *out)
{
	const struct conf_channel *cf = roa_channel_conf(ch);
	const struct roa_source *s = &ch->src;
	bool up = load_relaxed32(&ch->up);

	strbuf_addf(out, "  Channel %s\n", cf->name);
	strbuf_addf(out, "    State:          %s\n", up ? "UP" : "DOWN");
	strbuf_addf(out, "    Table:          %s\n", roa_table_name(ch->table));
	strbuf_addf(out, "    Preference:     %u\n", cf->preference);
	strbuf_addf(out, "    Input filter:   %s\n", filter_name(cf->import));
	strbuf_addf(out, "    Output filter:  %s\n", filter_name(cf->export));
	if (!up)
		return;
	strbuf_addf(out,
	    "    Routes:         %llu imported, 0 exported, %llu preferred\n",
	    get(&s->imported), get(&s->preferred));
	strbuf_adds(out, "    Route change stats:     received   rejected   filtered    "
			 "ignored   accepted\n");
	strbuf_addf(out, "      Import updates:     %10llu %10u %10llu %10llu %10llu\n",
	    get(&ch->received), 0, get(&ch->filtered), get(&s->ignored),
	    get(&s->accepted));
	strbuf_addf(out,
	    "      Import withdraws:   %10llu %10u        --- %10llu %10llu\n",
	    get(&ch->wd_received), 0, get(&s->wd_ignored), get(&s->wd_accepted));
	strbuf_addf(out, "      Export updates:     %10u %10u %10u        --- %10u\n", 0,
	    0, 0, 0);
	strbuf_addf(out,
	    "      Export withdraws:   %10u        ---        ---        --- "
	    "%10u\n",
	    0, 0);
}
