/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of tables of type aspa: the providers that one source attests of a customer
 * stand in the route's attribute set, as an attribute without a name. */
#ifndef TERN_NEST_ASPA_SET_H
#define TERN_NEST_ASPA_SET_H

#include "lib/attr/attr_edit.h"
#include "lib/base/strbuf.h"

#define ASPA_PROVIDERS_MAX 10000 /* of one source; more are refused */

/* aspa_set_providers - @cnt is 1 to ASPA_PROVIDERS_MAX. Returns: 0, or the error of
 * attr_edit_set_custom. */
MUST_CHECK int aspa_set_providers(
    struct attr_edit *e, const uint32_t *provider, uint32_t cnt);
/* aspa_get_providers - lives as @set. Returns: how many; 0: it has none. */
uint32_t aspa_get_providers(const struct attr_set *set, const uint32_t **provider);
/* aspa_print_providers - "1 2 3"; of AS 0 alone "transit": it has no provider. */
void aspa_print_providers(struct strbuf *b, const uint32_t *provider, uint32_t cnt);

#endif
