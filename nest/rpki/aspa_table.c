/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is special about tables of type aspa: a route's providers, and what the routes of
 * several sources say together. All else is as in ROA tables (nest/rpki/roa_table.c).
 *
 * Loop: any; aspa_entry: the table's. */
#include "nest/rpki/aspa_table.h"

#include "filter/run/custom.h"
#include "filter/lang/type.h"
#include "nest/rpki/roa_table_priv.h"

int
aspa_set_providers(struct attr_edit *e, const uint32_t *provider, uint32_t cnt)
{
	return attr_edit_set_custom(
	    e, CUSTOM_PROVIDERS, T_INT, provider, cnt * (uint32_t)sizeof(*provider));
}

uint32_t
aspa_get_providers(const struct attr_set *set, const uint32_t **provider)
{
	struct custom_item it;

	if (!custom_find(set, CUSTOM_PROVIDERS, &it))
		return 0;
	*provider = it.val; /* values begin at multiples of 8 octets */
	return it.len / (uint32_t)sizeof(**provider);
}

void
aspa_print_providers(struct strbuf *b, const uint32_t *provider, uint32_t cnt)
{
	if (cnt == 1 && !provider[0]) {
		strbuf_adds(b, "transit");
		return;
	}
	for (uint32_t i = 0; i < cnt; i++)
		strbuf_addf(b, "%s%u", i ? " " : "", provider[i]);
}

/* A customer may spread what it attests over several objects, and several caches may know
 * different ones: what any of them authorizes is authorized (the draft's "union"). That one
 * says "no provider" doesn't matter then. */
struct aspa *
aspa_entry(uint32_t customer, struct roa_paths *l)
{
	uint32_t *all = NULL, cnt = 0;
	struct aspa *a;

	for (uint32_t i = 0; i < l->cnt; i++) {
		const uint32_t *p;
		uint32_t n = aspa_get_providers(l->path[i].set, &p);

		all = mem_realloc(MEM_TABLE, all, (cnt + n + 1) * sizeof(*all));
		if (n)
			memcpy(all + cnt, p, n * sizeof(*all));
		cnt += n;
	}
	if (!cnt)
		all[cnt++] = 0;
	a = aspa_new(customer, all, cnt, l);
	mem_free(MEM_TABLE, all);
	return a;
}
