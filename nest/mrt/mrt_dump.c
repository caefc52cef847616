/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps of tables in MRT format.
 *
 *      NEXT   open the file of the next table                 -> PEERS
 *      PEERS  collect the peers of the table and its base     -> WALK
 *      WALK   write nets by id, a bounded number a step       -> NEXT, after the last net
 *      END    the last file gets its name; the answer is sent
 *
 * I1  Between two steps the dump keeps only the name and number of the table and a net
 *     id. If another table has the name by then, the dump of the table ends: net ids
 *     differ.
 * I2  A file is opened, written or closed while no pointer is borrowed: the call leaves
 *     the RCU section, and `configure` may free every table meanwhile. Each step finds
 *     its table again (struct mrt_found), after the last such call.
 * I3  The overlay state of a table (base and policy) is read once, at the start of the
 *     table: without overlay, net numbers have another meaning.
 *
 * Loop: its own, of class WORKER_CONTROL; with a nice value, since nobody waits for a
 * dump. */
#include "nest/mrt/mrt_dump_priv.h"

#include "filter/filter.h"
#include "lib/attr/route.h"
#include "lib/base/plural.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/base/scan.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/wire/mrt.h"
#include "lib/wire/wbuf.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config_ref.h"
#include "nest/mrt/mrt_file.h"
#include "nest/mrt/mrt_name.h"
#include "nest/mrt/mrt_peers.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_try.h"
#include "nest/channel/export/over_routes.h"
#include "nest/channel/proto.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/source.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/core/tern.h"
#include "sysdep/os/clock.h"
#include "sysdep/log/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define STEP_NS     NS_PER_MS
#define LOOK_NETS   32 /* nets between two looks at the clock */
#define BUFFER_FULL (MRT_BUFFER_MIN / 2) /* at this size the buffer is written */

_Static_assert(
    BUFFER_FULL + MRT_NET_MAX < MRT_BUFFER_MAX, "the record has room for any net");

struct mrt_ask *
mrt_ask_new(void)
{
	return mem_zalloc(MEM_OTHER, sizeof(struct mrt_ask));
}

void
mrt_ask_free(TAKE struct mrt_ask *a)
{
	if (a->expr)
		cli_expr_free(a->expr);
	if (a->conf)
		config_ref_put(a->conf);
	mem_free(MEM_OTHER, a->who);
	mem_free(MEM_OTHER, a->tables);
	mem_free(MEM_OTHER, a->filename);
	mem_free(MEM_OTHER, a);
}

/* mrt_dump_fail - the first reason counts. */
static void PRINTF_LIKE(3, 4)
    mrt_dump_fail(struct mrt_dump *d, int err, const char *fmt, ...)
{
	struct mrt_ask *a = d->ask;
	va_list ap;

	d->phase = PHASE_END;
	if (a->err)
		return;
	a->err = err;
	va_start(ap, fmt);
	vsnprintf(a->error, sizeof(a->error), fmt, ap);
	va_end(ap);
}

/* ---- files ---- */

static void
mrt_dump_flush(struct mrt_dump *d)
{
	size_t len = wbuf_len(&d->out);
	int rc = len ? mrt_file_write(&d->file, d->buf, len) : 0;

	d->out = wbuf_of(d->buf, d->cap);
	d->ask->octets += len;
	if (rc)
		mrt_dump_fail(d, rc, "%s: %s", d->file.path, strerror(-rc));
}

static void
dump_close_file(struct mrt_dump *d, bool drop)
{
	char *path = d->file.path ? mem_strdup(MEM_OTHER, d->file.path) : NULL;
	int rc = mrt_file_close(&d->file, drop);

	if (rc)
		mrt_dump_fail(d, rc, "%s: %s", path, strerror(-rc));
	mem_free(MEM_OTHER, path);
}

/* mrt_dump_open_file - open the file of @table. An open file with the name of @table
 * stays open. */
static void
mrt_dump_open_file(struct mrt_dump *d, const char *table)
{
	struct strbuf b;
	int rc = 0;

	strbuf_init(&b);
	mrt_name(&b, d->ask->filename, table, (time_t)d->time_s);
	if (!mrt_file_is_open(&d->file) || strcmp(b.s, d->file.path) != 0) {
		dump_close_file(d, false);
		if (!d->ask->err)
			rc = mrt_file_open(&d->file, b.s);
	}
	if (rc == -ENOTSUP)
		mrt_dump_fail(d, rc, "%s: exists and isn't a file", b.s);
	else if (rc)
		mrt_dump_fail(d, rc, "%s: %s", b.s, strerror(-rc));
	strbuf_fini(&b);
}

/* ---- phases ---- */

/* dump_find_table - find the table @name, for the present RCU section. */
static struct mrt_found
dump_find_table(const struct mrt_dump *d, const char *name)
{
	struct mrt_found f = { NULL, rcu_borrow() };
	const struct tern_view *v = tern_view_get(d->tern);

	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (!strcmp(table_name(v->table[i]), name))
			f.table = v->table[i];
	return f;
}

static void
mrt_dump_drop_over(struct mrt_dump *d)
{
	if (d->over)
		overlay_put(d->over);
	d->over = NULL;
}

/* dump_count_channels - add the sessions of @t whose received routes are not all
 * known. */
static void
dump_count_channels(struct mrt_dump *d, const struct table *t)
{
	const struct tern_view *v = tern_view_get(d->tern);

	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct channel *ch = load_acquire_ptr(
		    &v->proto[i]->channels); /* pairs: PCHAN */

		for (; ch; ch = channel_next(ch)) {
			const struct route_source *src = channel_facts(ch);
			enum try_known known;

			if (!src || !src->is_bgp || channel_table(ch) != t ||
			    !channel_seems_up(ch))
				continue;
			known = channel_try_known(ch);
			d->ask->channels_accepted += known == TRY_ACCEPTED;
			d->ask->channels_unknown += known == TRY_NONE;
		}
	}
}

static void
dump_next_table(struct mrt_dump *d)
{
	struct mrt_found f;
	const char *name;

	if (d->next == d->name_cnt) {
		d->phase = PHASE_END;
		return;
	}
	name = d->name[d->next++];
	if (!dump_find_table(d, name).table)
		/* removed meanwhile: go to the next table; the previous dump file
		 * stays */
		return;
	mrt_dump_open_file(d, name);
	if (d->ask->err)
		return;
	f = dump_find_table(d, name); /* I2 */
	if (!f.table) { /* the file is new and empty */
		dump_close_file(d, true);
		return;
	}
	if (d->has_peers)
		mrt_peers_fini(&d->peers);
	mrt_peers_init(&d->peers, d->tern, d->ask->received);
	d->has_peers = true;
	d->table_nr = table_number(mrt_dump_table(&f));
	if (d->ask->received) /* routes of sessions are in the table itself */
		dump_count_channels(d, mrt_dump_table(&f));
	else
		d->over = overlay_ref(mrt_dump_table(&f));
	d->pos = d->seq = 0;
	d->phase = PHASE_PEERS;
}

/* dump_find_again - I1. */
static bool
dump_find_again(struct mrt_dump *d, struct mrt_found *f)
{
	const char *name = d->name[d->next - 1];

	*f = dump_find_table(d, name);
	if (f->table && table_number(f->table) == d->table_nr)
		return true;
	mrt_dump_fail(d, -ESTALE, "table %s has gone", name);
	return false;
}

static void
dump_take_peers(struct mrt_dump *d, uint64_t until_ns)
{
	const struct table *base = d->over ? d->over->base : NULL;
	struct mrt_found f;

	if (!dump_find_again(d, &f) ||
	    (!d->ask->received &&
		!mrt_peers_take(&d->peers, mrt_dump_table(&f), base, until_ns)))
		return;
	while (wbuf_room(&d->out) < mrt_index_bound(d->peers.cnt))
		mrt_dump_grow(d);
	mrt_index_put(&d->out, d->time_s, d->ask->router_id, d->name[d->next - 1],
	    d->peers.peer, d->peers.cnt);
	d->phase = PHASE_WALK;
}

static void
mrt_dump_walk(struct mrt_dump *d, uint64_t until_ns)
{
	const struct overlay *o = d->over; /* I3 */
	uint32_t limit, cnt = 0;
	struct mrt_found f;

	if (!dump_find_again(d, &f))
		return;
	limit = o ? over_limit(o) : table_id_limit(mrt_dump_table(&f));
	for (; d->pos < limit && wbuf_len(&d->out) < BUFFER_FULL; d->pos++) {
		if ((d->ask->filter || o || ++cnt % LOOK_NETS == 0) &&
		    clock_now_ns() >= until_ns)
			return;
		if (o)
			mrt_dump_net_over(d, o, d->pos);
		else
			mrt_dump_net(d, &f, d->pos);
	}
	if (d->pos >= limit) {
		mrt_dump_drop_over(d);
		d->ask->tables_done++;
		d->phase = PHASE_NEXT;
	}
}

/* mrt_dump_answer - @d->ask goes back; nobody needs us any more. */
static void
mrt_dump_answer(struct mrt_dump *d)
{
	struct mrt_ask *a = d->ask;

	mrt_dump_drop_over(d);
	a->took_ns = clock_now_ns() - d->began_ns;
	d->ask = NULL;
	a->msg.handle = a->done;
	worker_post(a->asker, &a->msg);
	worker_stop(&d->worker);
}

static void
dump_say_end(const struct mrt_dump *d)
{
	const struct mrt_ask *a = d->ask;
	const char *who = a->who ? a->who : "mrt dump";

	if (a->err == -ECANCELED)
		return;
	if (a->err)
		log_msg(LOG_C_ERR, "%s: MRT dump failed: %s", who, a->error);
	else if (d->lost)
		log_msg(LOG_C_WARN,
		    "%s: %llu route%s of nets with more than %u not in the dump", who,
		    (unsigned long long)d->lost, plural(d->lost, "", "s"),
		    MRT_ENTRIES_MAX);
}

static void
mrt_dump_finish(struct mrt_dump *d)
{
	if (!d->ask->err && mrt_file_is_open(&d->file))
		mrt_dump_flush(d);
	dump_close_file(d, d->ask->err != 0);
	dump_say_end(d);
	mrt_dump_answer(d);
}

static void
mrt_dump_run(struct worker *w)
{
	struct mrt_dump *d = container_of(w, struct mrt_dump, worker);
	uint64_t until_ns = clock_now_ns() + STEP_NS;

	if (load_relaxed32(&d->tern->shutting_down) || load_relaxed32(&d->ask->stop))
		mrt_dump_fail(d, -ECANCELED, "not wanted any more");
	else if (d->phase == PHASE_NEXT)
		dump_next_table(d);
	else if (d->phase == PHASE_PEERS)
		dump_take_peers(d, until_ns);
	else if (d->phase == PHASE_WALK)
		mrt_dump_walk(d, until_ns);
	/* from here on nothing found under RCU is used */
	if (d->phase == PHASE_END) {
		mrt_dump_finish(d);
		return;
	}
	/* before the next file is opened, write all records of this file */
	if (wbuf_len(&d->out) >= BUFFER_FULL || d->phase == PHASE_NEXT)
		mrt_dump_flush(d);
	worker_again(w);
}

/* ---- life ---- */

/* dump_list_tables - collect the names of the IP tables that @d->ask names. */
static void
dump_list_tables(struct mrt_dump *d)
{
	const struct tern_view *v = tern_view_get(d->tern);

	d->name = mem_zalloc(MEM_OTHER, (v->table_cnt + 1) * sizeof(*d->name));
	for (uint32_t i = 0; i < v->table_cnt; i++) {
		const char *name = table_name(v->table[i]);

		if (nlri_is_ip(table_kind(v->table[i])) &&
		    (!strcmp(d->ask->tables, name) || scan_glob(d->ask->tables, name)))
			d->name[d->name_cnt++] = mem_strdup(MEM_OTHER, name);
	}
}

static void
mrt_dump_worker_start(struct worker *w)
{
	struct mrt_dump *d = container_of(w, struct mrt_dump, worker);

	worker_nice(w, true);
	worker_patient(w);
	dump_list_tables(d);
	mrt_dump_grow(d);
	d->phase = PHASE_NEXT;
	if (!d->name_cnt)
		mrt_dump_fail(
		    d, -ENOENT, "no table of IP routes has the name %s", d->ask->tables);
	worker_again(w);
}

static void
mrt_dump_gone(struct worker *w)
{
	struct mrt_dump *d = container_of(w, struct mrt_dump, worker);
	struct tern *t = d->tern;

	for (uint32_t i = 0; i < d->name_cnt; i++)
		mem_free(MEM_OTHER, d->name[i]);
	mem_free(MEM_OTHER, d->name);
	mem_free(MEM_OTHER, d->buf);
	if (d->has_peers)
		mrt_peers_fini(&d->peers);
	filter_thread_free(d->ft);
	arena_fini(&d->arena);
	mem_free(MEM_OTHER, d);
	tern_worker_gone(t);
}

static const struct worker_ops dump_ops = {
	.start = mrt_dump_worker_start, .run = mrt_dump_run, .gone = mrt_dump_gone
};

void
mrt_dump_start(struct tern *t, TAKE struct mrt_ask *a)
{
	struct mrt_dump *d = mem_zalloc(MEM_OTHER, sizeof(*d));
	uint64_t now_ns = clock_now_ns();
	enum filter_verdict v;

	d->tern = t;
	d->ask = a;
	d->began_ns = now_ns;
	d->real_ns = clock_real_ns(now_ns) - now_ns;
	d->time_s = (uint32_t)((now_ns + d->real_ns) / NS_PER_S);
	if (a->filter && filter_is_const(a->filter, &v) && v == FILTER_ACCEPT)
		a->filter = NULL;
	d->ft = filter_thread_new(&t->ifaces);
	arena_init(&d->arena, MEM_OTHER, 4096);
	tern_worker_start(t);
	worker_start(&d->worker, &dump_ops, WORKER_CONTROL, "mrt");
}
