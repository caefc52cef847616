/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines about rounds: numbers of new and removed VRPs or customers, and of routes
 * whose filters run again.
 *
 * The index counts the reported routes; subscribers report no counts. A
 * subscriber notified of all nets counts with all its routes; a subscriber that does not
 * keep refused routes requests all routes from its peer and counts as such.
 *
 * I1  A round after a quiet time is logged at its end. Rounds that end within SAY_NS
 *     after a line are summed up in the next line.
 *
 * Loop: the index's. Tests: test_roa_said.c. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/base/plural.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define SAY_NS (10 * NS_PER_S)

static void
roa_said_add(struct strbuf *b, uint64_t cnt, const char *what)
{
	if (cnt)
		strbuf_addf(b, " %llu %s,", (unsigned long long)cnt, what);
}

static void
said_add_asked(struct strbuf *b, uint64_t routes, uint32_t channels, const char *where)
{
	if (channels)
		strbuf_addf(b, " %llu route%s asked again by %u %s filter%s,",
		    (unsigned long long)routes, plural(routes, "", "s"), channels, where,
		    plural(channels, "", "s"));
}

static void
roa_said_log(struct rpki_index *x)
{
	struct roa_said *d = &x->said;
	struct strbuf b;

	strbuf_init(&b);
	roa_said_add(&b, d->of[ROA_CAME], "added");
	roa_said_add(&b, d->of[ROA_WENT], "removed");
	roa_said_add(&b, d->of[ROA_OTHER], "changed");
	if (d->rounds > 1)
		strbuf_addf(&b, " in %u rounds,", d->rounds);
	said_add_asked(&b, d->in, d->ins, "import");
	said_add_asked(&b, d->out, d->outs, "export");
	if (d->all)
		strbuf_addf(&b, " %u channel%s all routes again,", d->all,
		    plural(d->all, " requests", "s request"));
	log_msg(LOG_C_INFO, "Table %s:%.*s", table_name(x->f.table), (int)b.len - 1, b.s);
	strbuf_fini(&b);
	memset(d->of, 0, sizeof(d->of));
	d->in = d->out = 0;
	d->rounds = d->ins = d->outs = d->all = 0;
	d->nr++;
	timer_set(&d->timer, loop_now_ns(&x->f.worker) + SAY_NS);
}

static void
roa_said_log_more(struct timer *tm)
{
	struct rpki_index *x = container_of(tm, struct rpki_index, said.timer);

	if (x->said.rounds)
		roa_said_log(x);
}

/* said_first_time - for the next line? */
static bool
said_first_time(struct rpki_index *x, struct roa_sub *s)
{
	bool first = s->counted != x->said.nr;

	s->counted = x->said.nr;
	return first;
}

void
roa_said_count(struct rpki_index *x, struct roa_sub *s, const struct roa_affected *h)
{
	struct roa_said *d = &x->said;
	bool first = said_first_time(x, s);

	d->in += s->feeder ? h->routes : 0;
	d->ins += s->feeder && first;
	d->out += s->feeder ? 0 : h->cnt;
	d->outs += !s->feeder && first;
}

void
roa_said_all(struct rpki_index *x, struct roa_sub *s, uint64_t nets)
{
	struct roa_said *d = &x->said;

	if (!s->feeder) {
		d->out += nets;
		d->outs += said_first_time(x, s);
	} else if (!s->keeps) {
		d->all += said_first_time(x, s);
	} else {
		d->in += counter64_get(&s->feeder->stats->imported) +
			 counter64_get(&s->feeder->stats->filtered);
		d->ins += said_first_time(x, s);
	}
}

void
roa_said_end(struct rpki_index *x)
{
	struct roa_said *d = &x->said;

	d->rounds++;
	for (unsigned k = 0; k < ROA_CHANGE_CNT; k++)
		d->of[k] += x->round.changes.of[k];
	if (!timer_active(&d->timer))
		roa_said_log(x);
}

void
roa_said_init(struct rpki_index *x)
{
	timer_init(&x->said.timer, &x->f.worker, roa_said_log_more);
	x->said.nr = 1;
}
