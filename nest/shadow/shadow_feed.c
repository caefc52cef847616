/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of feeds: malformed parts, and the age of records. Loop: the shadow's. Tested
 * by test/net/test_shadow.py, test_shadow_feeds.py. */
#include "nest/shadow/shadow_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/clock.h"
#include <bsd/string.h>
#include <unistd.h>

#define FEED_SAY_NS (10 * NS_PER_S)

void
shadow_feed_bad(struct shadow_feed *f, const char *what, const char *why)
{
	if (log_due(&f->said_ns, shadow_now(f->of), FEED_SAY_NS))
		log_msg(LOG_C_WARN, "Shadow: %s: %s", what, why);
}

void
shadow_feed_progress(struct shadow_feed *f, uint64_t time_us)
{
	uint64_t now = clock_real_ns(shadow_now(f->of)), at = time_us * NS_PER_US;

	f->record_ns = shadow_now(f->of);
	f->lag_ns = at && at < now ? now - at : 0;
}
