/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of changed routes. Loop: the owner's. Tested by test/net/test_preview.py. */
#include "nest/preview/preview_priv.h"

#include "lib/mem/mem.h"
#include "nest/preview/preview.h"

bool
preview_wants(const struct preview *pv, const struct preview_member *m)
{
	return !pv->only || pv->only(pv->only_arg, m->name);
}

void
preview_count(struct preview *pv, struct preview_routes *r, enum preview_change k,
    const struct preview_sample *s)
{
	r->cnt[k]++;
	if (k == PREVIEW_LOST)
		r->reason[s->reason]++;
	if (r->samples[k] == pv->keep)
		return;
	if (!r->sample[k])
		r->sample[k] = mem_alloc(MEM_OTHER, pv->keep * sizeof(*s));
	r->sample[k][r->samples[k]++] = *s;
}
