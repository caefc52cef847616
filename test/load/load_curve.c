/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test/load/load_curve.h"

#include "lib/mem/mem.h"
#include "test/load/load_run.h"

#include <stdio.h>

void
load_curve_take(struct load_run *r)
{
	struct load_curve *v = &r->curve;
	struct load_point p = { .at_ns = r->now }, *last = NULL;
	uint32_t c;

	if (v->cnt)
		last = &v->point[v->cnt - 1];
	if (!r->opt->curve_ms ||
	    (last && r->now - last->at_ns < r->opt->curve_ms * NS_MS))
		return;
	for (c = 0; c < r->clients; c++) {
		if (r->client[c].elsewhere)
			continue;
		p.wrong += r->board.row[c].wrong;
		p.complete += !r->board.row[c].wrong;
	}
	if (last && last->wrong == p.wrong)
		return;
	if (v->cnt == v->cap) {
		v->cap = v->cap ? 2 * v->cap : 64;
		v->point = mem_realloc(MEM_OTHER, v->point, v->cap, sizeof(*v->point));
	}
	v->point[v->cnt++] = p;
}

void
load_curve_json(const struct load_curve *v, uint64_t start_ns)
{
	uint32_t i;

	if (!v->cnt)
		return;
	printf("\"curve\": [");
	for (i = 0; i < v->cnt; i++)
		printf("%s[%.4f, %llu, %u]", i ? ", " : "",
		    (double)(v->point[i].at_ns - start_ns) / (double)NS_S,
		    (unsigned long long)v->point[i].wrong, v->point[i].complete);
	printf("], ");
}

void
load_curve_fini(struct load_curve *v)
{
	mem_free(MEM_OTHER, v->point);
}
