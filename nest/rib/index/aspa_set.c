/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Providers of an ASPA route, in its attribute set. No state; any thread. Tested by
 * test/unit/test_aspa_index.c. */
#include "nest/rib/index/aspa_set.h"

#include "filter/run/custom.h"
#include "filter/value/type.h"
#include "lib/attr/attr.h"

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
