/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ROAs of a route that a policy refuses: the reader sees which origin and length the
 * ROAs permit. The rule that refused the route may ask other
 * questions.
 *
 * In the session's loop, under RCU. Tested by test/net/test_http_reasons.py. */
#include "lib/base/base.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "nest/cli/show/route/cmd_filtered.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"

#define FILTERED_ROAS_MAX 8 /* ROAs of an object */

/* filtered_next_roas - the answer of the next ROA table of the family, from the index *@i
 * on. Returns: false: no table is left. */
static bool
filtered_next_roas(const struct tern_view *v, uint32_t *i, struct roa_cover *c,
    const struct prefix *net, uint32_t as)
{
	enum nlri_kind kind = net->fam == FAM_IP4 ? NLRI_ROA4 : NLRI_ROA6;
	const struct rpki_index *x;

	while (*i < v->rpki_cnt) {
		x = v->rpki[(*i)++];
		if (table_kind(rpki_index_table(x)) != kind)
			continue;
		roa_map_cover(rpki_index_map(x), c, net, as);
		return true;
	}
	return false;
}

void
filtered_reply_roas(
    struct reply *r, const struct tern_view *v, const struct prefix *net, uint32_t as)
{
	bool valid = false, invalid = false, any = false;
	uint32_t cnt = 0;
	struct roa_cover c;

	if (!as || (net->fam != FAM_IP4 && net->fam != FAM_IP6))
		return;
	for (uint32_t i = 0; filtered_next_roas(v, &i, &c, net, as); any = true) {
		valid |= c.state == ROA_VALID;
		invalid |= c.state == ROA_INVALID;
	}
	if (!any)
		return;
	reply_str(r, "roa_state", NULL,
	    valid     ? "valid"
	    : invalid ? "invalid"
		      : "unknown");
	if (valid || !invalid)
		return;
	reply_list(r, "roas");
	for (uint32_t i = 0; filtered_next_roas(v, &i, &c, net, as);)
		for (uint32_t k = 0;
		     k < min_u64(c.cnt, ROA_COVER_MAX) && cnt < FILTERED_ROAS_MAX;
		     k++, cnt++) {
			reply_open(r, NULL);
			reply_prefix(r, "network", NULL, &c.vrp[k].net);
			reply_u64(r, "max_length", NULL, c.vrp[k].max_len);
			reply_u64(r, "as", NULL, c.vrp[k].asn);
			reply_close(r);
		}
	reply_close(r);
}
