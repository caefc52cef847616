/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bound for log lines that a peer can cause at will.
 *
 * No lock: one owner.
 *
 * Loop: the loop of the object whose lines are counted. */
#ifndef TERN_SYSDEP_LOG_LOG_RATE_H
#define TERN_SYSDEP_LOG_LOG_RATE_H

#include "lib/base/base.h"

/* Owner: the object whose lines are counted. Life: embedded. All zeros: no line was
 * logged. */
struct log_rate {
	uint64_t from_ns; /* the present period began */
	uint32_t cnt; /* lines that were due in the present period */
};

/* log_rate_take - ask for one line: at most @max lines in each @period_ns may be logged.
 * @limit_left_out: lines of the previous period that were not logged, for the caller to
 * log the number once; 0: none. Returns: true: log the line. */
static inline bool
log_rate_take(struct log_rate *r, uint64_t now_ns, uint64_t period_ns, uint32_t max,
    uint32_t *left_out)
{
	*left_out = 0;
	if (!r->cnt || now_ns - r->from_ns >= period_ns) {
		*left_out = r->cnt > max ? r->cnt - max : 0;
		r->from_ns = now_ns;
		r->cnt = 0;
	}
	r->cnt += r->cnt < UINT32_MAX;
	return r->cnt <= max;
}

/* log_rate_due - Returns: lines that were not logged in the ended period; the caller logs
 * the number. 0: none, or the period lasts. */
static inline uint32_t
log_rate_due(struct log_rate *r, uint64_t now_ns, uint64_t period_ns, uint32_t max)
{
	uint32_t left_out = 0;

	if (r->cnt > max && now_ns - r->from_ns >= period_ns) {
		left_out = r->cnt - max;
		r->cnt = 0;
	}
	return left_out;
}

#endif
