/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published state of sessions (nest/bfd/bfd_shown.h), and of the instance. Loop: the
 * instance's; bfd_reply in any thread, under RCU. Tested by
 * test/net/test_bfd.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bfd.h"
#include "nest/bfd/bfd_ask.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_shown.h"
#include "nest/core/reply.h"
#include "proto/bfd/bfd_priv.h"

void
bfd_show_session(struct bfd_session *s)
{
	struct bfd_shown *w = s->shown;
	bool heard = s->state == BFD_UP || s->state == BFD_INIT;

	store_relaxed32(&w->state, s->state);
	store_relaxed32(&w->remote.state, s->remote.state);
	store_relaxed32(&w->diag, s->diag);
	store_relaxed32(&w->remote.diag, s->remote.diag);
	store_relaxed32(&w->yours, s->yours);
	store_relaxed32(&w->tx_us, bfd_tx_us(s));
	store_relaxed32(
	    &w->timeout_us, heard ? (uint32_t)min_u64(bfd_detect_us(s), UINT32_MAX) : 0);
	store_relaxed32(&w->min_tx_us, s->rate.tx_us);
	store_relaxed32(&w->min_rx_us, s->rate.rx_us);
	store_relaxed32(&w->mult, s->opts.mult);
	store_relaxed32(&w->remote.min_tx_us, s->remote.min_tx_us);
	store_relaxed32(&w->remote.min_rx_us, s->remote.min_rx_us);
	store_relaxed32(&w->remote.mult, s->remote.mult);
	store_relaxed32(&w->auth, s->opts.auth);
	store_relaxed32(&w->remote.demand, s->remote.demand);
	store_relaxed32(&w->passive, s->opts.passive == BFD_YES);
}

void
bfd_show_gone(struct bfd_proto *b, TAKE struct bfd_shown *w)
{
	w->next = b->gone;
	b->gone = w;
}

void
bfd_show_put(struct bfd_proto *b)
{
	struct bfd_shown *w, *next;

	for (w = b->gone; w; w = next) {
		next = w->next;
		bfd_shown_put(w);
	}
	b->gone = NULL;
}

void
bfd_show_list(struct bfd_proto *b)
{
	struct bfd_shown_list *l = mem_zalloc(
	    MEM_PROTO, sizeof(*l) + b->session_cnt * sizeof(struct bfd_shown *));
	struct list *n;

	list_for_each (n, &b->sessions)
		l->at[l->cnt++] = container_of(n, struct bfd_session, link)->shown;
	b->sessions_changed = false;
	bfd_shown_publish(&b->service->shown, l);
	bfd_show_put(b);
}

/* bfd_show_sums - of an instance that is up. Any thread, under RCU. Returns: false: it
 * isn't. */
static bool
bfd_show_sums(const struct proto *p, uint32_t *all, uint32_t *up)
{
	const struct bfd_service_list *l = bfd_service_list_get(p->tern);

	*all = *up = 0;
	for (uint32_t i = 0; l && i < l->cnt; i++) {
		const struct bfd_shown_list *w;

		if (l->at[i]->proto != p)
			continue;
		w = bfd_shown_get(&l->at[i]->shown);
		for (uint32_t k = 0; w && k < w->cnt; k++)
			*up += load_relaxed32(&w->at[k]->state) == BFD_UP;
		*all = w ? w->cnt : 0;
		return true;
	}
	return false;
}

void
bfd_reply(const struct proto *p, struct reply *r)
{
	uint32_t all, up;

	if (!bfd_show_sums(p, &all, &up))
		return;
	reply_open(r, "bfd");
	reply_u64(r, "sessions", "  Sessions:       %s", all);
	reply_u64(r, "up", ", %s up\n", up);
	reply_close(r);
}
