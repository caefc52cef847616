/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of a session to the monitors that want the events. Loop: the session's. Tested
 * by test/net/test_bmp_out.py. */
#include "lib/base/base.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bmp.h"
#include "nest/monitor/monitor.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include <bsd/string.h>

/* mon_report_lost - report the loss, unless a report of the loss is still queued. */
static void
mon_report_lost(struct bgp_mon *mon, struct monitor *m, uint32_t i)
{
	uint32_t takes = counter32_get(&m->takes);

	if (mon->lost & 1u << i && mon->lost_at[i] == takes)
		return;
	mon->lost |= 1u << i;
	mon->lost_at[i] = takes;
	monitor_report(m, MON_LOST, 0, mon->life, NULL);
}

void
mon_report(struct bgp_session *s, const struct monitor_list *l, uint32_t who,
    const struct monitor_event *what)
{
	struct bgp_mon *mon = &s->mon;

	for (uint32_t i = 0; i < l->cnt; i++) {
		struct monitor *m = l->at[i];

		if (!(who & 1u << i) || (what->kind == MON_MIRROR && !m->mirror))
			continue;
		if (monitor_report(m, (enum monitor_kind)what->kind, what->reason,
			mon->life, what->octets))
			mon->lost &= ~(1u << i);
		else
			mon_report_lost(mon, m, i);
	}
}

void
mon_lost(struct bgp_session *s, const struct monitor_list *l, uint32_t who)
{
	for (uint32_t i = 0; i < l->cnt; i++)
		if (who & 1u << i)
			mon_report_lost(&s->mon, l->at[i], i);
}
