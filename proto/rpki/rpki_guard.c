/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guard of a cache's records (`guard { rpki shrink N %; }`): an answer that would
 * remove too many records of one kind is dropped.
 *
 * Loop: the instance's. Tested by test/net/test_guard.py. */
#include "lib/base/plural.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/nlri.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_priv.h"

#include <stdio.h>

static const char *
guard_kind(unsigned i)
{
	switch (RPKI_FIRST_KIND + i) {
	case NLRI_ROA4:
		return "IPv4 ROA";
	case NLRI_ROA6:
		return "IPv6 ROA";
	default:
		return "ASPA";
	}
}

bool
rpki_guard_refuses(struct rpki_proto *s)
{
	uint32_t percent = s->p.conf->conf->guard.rpki_percent;

	for (unsigned i = 0; percent && i < RPKI_TABLES; i++) {
		const struct rpki_data *d = &s->chan[i].data;
		uint64_t was = rpki_data_cnt(d), now;

		if (!s->chan[i].ch)
			continue;
		now = rpki_data_wants(d);
		if (now * 100 >= was * (100 - percent))
			continue;
		snprintf(s->shown.kept, sizeof(s->shown.kept),
		    "guard: the cache has %llu %s%s, %llu before: %llu %% less, at most "
		    "%u %%",
		    (unsigned long long)now, guard_kind(i), plural(now, "", "s"),
		    (unsigned long long)was,
		    (unsigned long long)((was - now) * 100 / was), percent);
		return true;
	}
	return false;
}
