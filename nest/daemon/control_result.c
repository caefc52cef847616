/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards on results: `guard { lost routes 5 %; closed sessions 3; }`. A `configure` or a
 * `configure check` first makes a preview (nest/preview); the guards of the new
 * configuration apply to the sums of the preview.
 *
 *      control_take_conf -> control_result_waits -> the reader: steps of the preview ->
 *      control_handle again -> control_result_check
 *
 * I1  The reader works in steps of 1 ms and sends the request to itself, so that grace
 *     periods end and other workers of its loop run.
 * I2  If another configuration comes into force meanwhile, the preview has failed, and a
 *     new preview begins.
 * I3  `configure force` needs no preview: an operator who forces does not wait.
 *
 * Loop: the control worker's; result_step in the reader's. Tested by
 * test/net/test_preview.py. */
#include "nest/daemon/control_preview.h"
#include "nest/daemon/control_priv.h"

#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/control.h"
#include "nest/core/tern.h"
#include "nest/preview/preview.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define RESULT_NAMES 5 /* sessions that the text of a guard names */

/* ---- the preview ---- */

static void
result_step(struct worker *w, TAKE struct msg *m)
{
	struct control *c = container_of(w, struct control, reader);
	struct control_req *r = container_of(m, struct control_req, msg);

	if (load_acquire32(&c->tern->shutting_down) || /* pairs: SHUTDOWN */
	    preview_step(r->preview, clock_now_ns() + NS_PER_MS)) {
		r->msg.handle = r->then;
		worker_post(&c->worker, &r->msg);
		return;
	}
	worker_post(w, &r->msg); /* I1 */
}

bool
control_result_waits(struct control *c, struct control_req *r,
    void (*then)(struct worker *w, TAKE struct msg *m))
{
	const struct conf_guard *g = r->conf ? &r->conf->guard : NULL;
	unsigned lines = r->answer.cnt;

	if (r->kind != CTL_CONFIGURE && r->kind != CTL_CHECK)
		return false;
	if (r->preview && preview_failed(r->preview)) { /* I2 */
		struct config_ref *next = config_ref_get(preview_next(r->preview));

		preview_free(r->preview);
		r->preview = preview_new(c->tern, c->conf, next);
		config_ref_put(next);
	} else if (g && (g->lost.act || g->closed.act) && !r->force) {
		control_preview_start(c, r);
	} else {
		return false;
	}
	control_plan(c, preview_next(r->preview)->conf, r->soft, r);
	c->planned = NULL;
	control_answer_cut(r, lines);
	r->then = then;
	r->msg.handle = result_step;
	worker_post(&c->reader, &r->msg);
	return true;
}

void
control_result_drop(struct control_req *r)
{
	if (r->preview)
		preview_free(r->preview);
	r->preview = NULL;
}

const struct config *
control_result_conf(const struct control_req *r)
{
	return r->preview ? preview_next(r->preview)->conf : r->conf;
}

OWNED struct config_ref *
control_result_take(struct control_req *r)
{
	struct config_ref *ref;

	if (r->preview) {
		ref = config_ref_get(preview_next(r->preview));
		control_result_drop(r);
	} else {
		ref = config_ref_new(r->conf);
		r->conf = NULL;
	}
	return ref;
}

/* ---- the guards ---- */

/* result_names - append the sessions that lose routes (@lost), or that close. */
static void
result_names(struct strbuf *b, const struct preview *pv, bool lost)
{
	const char *between = ": ";
	unsigned left = 0, named = 0;

	for (unsigned i = 0; i < preview_member_cnt(pv); i++) {
		const struct preview_member *m = preview_member_at(pv, i);
		uint64_t cnt = 0;

		for (unsigned k = 0; k < m->channel_cnt; k++)
			cnt += m->channel[k].out.cnt[PREVIEW_LOST];
		if (lost ? !cnt : !preview_closes(m))
			continue;
		if (named++ >= RESULT_NAMES) {
			left++;
			continue;
		}
		strbuf_addf(b, "%s%s", between, m->name);
		if (lost)
			strbuf_addf(b, " %llu", (unsigned long long)cnt);
		between = ", ";
	}
	if (left)
		strbuf_addf(b, " and %u more", left);
}

/* result_trip - the guard @g is tripped; @text: its words. Returns: true: refused. */
static bool
result_trip(struct control_req *r, const struct conf_guard_bound *g, struct strbuf *text)
{
	bool refuses = g->act == GUARD_REFUSE;

	log_msg(refuses ? LOG_C_ERR : LOG_C_WARN, "%s",
	    r->answer.withheld ? "guard: a withheld file" : text->s);
	if (!r->answer.withheld)
		control_answer(
		    r, CLI_READING, "%s%s", refuses ? "" : "Warning: ", text->s);
	strbuf_reset(text);
	return refuses;
}

/* result_tripped - the number of guards that refuse. */
static unsigned
result_tripped(
    struct control_req *r, const struct conf_guard *g, const struct preview *pv)
{
	struct preview_sums m = preview_sums(pv);
	uint64_t lost = m.cnt[PREVIEW_LOST];
	unsigned refused = 0;
	struct strbuf b;

	strbuf_init(&b);
	if (g->lost.act && lost * 100 > m.now * g->lost.max) {
		strbuf_addf(&b, "guard: sessions lose %llu of %llu routes, at most %u %%",
		    (unsigned long long)lost, (unsigned long long)m.now, g->lost.max);
		result_names(&b, pv, true);
		refused += result_trip(r, &g->lost, &b);
	}
	if (g->closed.act && m.closed > g->closed.max) {
		strbuf_addf(&b, "guard: %u of %u sessions close, at most %u", m.closed,
		    m.sessions, g->closed.max);
		result_names(&b, pv, false);
		refused += result_trip(r, &g->closed, &b);
	}
	strbuf_fini(&b);
	return refused;
}

bool
control_result_check(struct control_req *r)
{
	const struct conf_guard *g;

	if (!r->preview)
		return true;
	g = &preview_next(r->preview)->conf->guard;
	if (!result_tripped(r, g, r->preview))
		return true;
	control_answer(r, CLI_BAD_CONF,
	    "A guard on results refuses the configuration; `configure force` commits the "
	    "configuration");
	r->answer.place_len = 0;
	return false;
}
