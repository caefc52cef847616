/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The refresh, retry and expire intervals in force, from the configuration or from the
 * cache's End of Data, and the number of records in all tables of the instance. Loop:
 * the instance's. Tested by test/net/test_rpki.py. */
#include "nest/conf/config.h"
#include "proto/rpki/rpki.h"
#include "lib/wire/rtr.h"
#include "nest/channel/channel.h"
#include "proto/rpki/rpki_data.h"
#include "proto/rpki/rpki_priv.h"
#include <bsd/string.h>

static uint32_t
time_of(const struct rpki_time *t, uint32_t received)
{
	return t->keep || !received ? t->sec : received;
}

uint32_t
rpki_refresh_s(const struct rpki_proto *s)
{
	return time_of(&rpki_conf(s)->refresh, s->cache.times.refresh);
}

uint32_t
rpki_retry_s(const struct rpki_proto *s)
{
	return time_of(&rpki_conf(s)->retry, s->cache.times.retry);
}

uint32_t
rpki_expire_s(const struct rpki_proto *s)
{
	return time_of(&rpki_conf(s)->expire, s->cache.times.expire);
}

uint32_t
rpki_records(const struct rpki_proto *s)
{
	uint32_t cnt = 0;

	for (unsigned i = 0; i < RPKI_TABLES; i++)
		cnt += rpki_data_cnt(&s->chan[i].data);
	return cnt;
}
