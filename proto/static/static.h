/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol static`: routes from the configuration, into an IP, a ROA or an ASPA
 * table. */
#ifndef TERN_PROTO_STATIC_STATIC_H
#define TERN_PROTO_STATIC_STATIC_H

#include "filter/lang/diag.h"
#include "lib/base/check.h"
#include "lib/net/ip.h"
#include "lib/net/roa.h"
#include "nest/channel/proto.h"

enum static_kind { STATIC_IP, STATIC_ROA, STATIC_ASPA };

/* One `route` of the configuration. Immutable after parsing; lives as its
 * configuration. */
struct static_route {
	/* of an IP route: only its prefix; of a customer: only its AS; all else 0 */
	struct vrp vrp;
	uint8_t kind; /* enum static_kind */
	uint8_t dest; /* enum route_dest; of an IP route */
	uint32_t provider_cnt; /* of a customer */
	const uint32_t *provider; /* ascending, each once */
	uint32_t index; /* in the order of the file */
	struct ip_addr via; /* of DEST_UNICAST */
	const struct filter *code; /* sets attributes; NULL: none */
	const struct static_route *before; /* parser: the one before in the file */
	struct src_pos pos;
};

/* Options of an instance. */
struct static_conf {
	const struct static_route *last; /* parser: in the reverse order of the file */
	uint32_t cnt;
	bool check_link;
	/* filled in by the check of the whole instance */
	const struct static_route *const
	    *sorted; /* by vrp_cmp, each VRP or prefix once */
	uint32_t sorted_cnt;
	const struct static_route *const *route; /* in the order of the file */
};

extern const struct conf_class static_conf_class;
extern const struct proto_class static_proto_class;

/* static_route_same - do they mean the same, prefix apart? */
bool static_route_same(const struct static_route *a, const struct static_route *b);

#endif
