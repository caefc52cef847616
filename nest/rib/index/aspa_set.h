/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes of ASPA tables. The providers that one source attests for a customer are an
 * unnamed custom attribute in the route's attribute set. Pure functions; any thread,
 * under RCU for a route's set. */
#ifndef TERN_NEST_RIB_INDEX_ASPA_SET_H
#define TERN_NEST_RIB_INDEX_ASPA_SET_H

#include "lib/attr/attr_edit.h"
#include "lib/base/strbuf.h"

#define ASPA_PROVIDERS_MAX 10000 /* from one source; longer lists are refused */

/* aspa_set_providers - @cnt is 1 to ASPA_PROVIDERS_MAX. Returns: 0, or the error of
 * attr_edit_set_custom. */
MUST_CHECK int aspa_set_providers(
    struct attr_edit *e, const uint32_t *provider, uint32_t cnt);
/* aspa_get_providers - Returns: number of providers; 0: none. *@provider lives as
 * @set. */
uint32_t aspa_get_providers(const struct attr_set *set, const uint32_t **provider);
/* aspa_print_providers - print "1 2 3"; for AS 0 alone print "transit": the customer has
 * no provider. */
void aspa_print_providers(struct strbuf *b, const uint32_t *provider, uint32_t cnt);

#endif
