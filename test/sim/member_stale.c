/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graceful restart of the daemon at a member (RFC 4724), and its long-lived form
 * (RFC 9494).
 *
 * I1  m->stale has the keys of received routes that no session has confirmed since the
 *     loss. A family's stale routes go when a time is over, when the daemon comes back
 *     without preserved state, or at End-of-RIB.
 * I2  The restart time ends with a new session. The long-lived stale time runs on until
 *     End-of-RIB (RFC 9494, 4.2).
 * I3  A long-lived stale route has LLGR_STALE. A route with NO_LLGR never becomes a
 *     long-lived stale route (RFC 9494, 4.2).
 *
 * The member's task runs all functions. Tested by the stories llgr_daemon and
 * own_restart. */
#include "test/sim/member_stale.h"

#include "test/sim/codec.h"
#include "test/sim/sim.h"

#define LLGR_STALE 0xffff0006u
#define NO_LLGR    0xffff0007u

static bool
stale_has(const struct member *m, bool v6)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while ((r = rib_next(&m->stale, &at)))
		if (r->key.v6 == v6)
			return true;
	return false;
}

static bool
stale_may_be_long(const struct member *m, bool v6)
{
	return m->long_lived_s && m->restart[v6].long_s;
}

bool
stale_keeps(const struct member *m)
{
	bool agreed = false;

	for (unsigned v6 = 0; v6 < 2; v6++)
		agreed |= m->restart[v6].agreed || stale_may_be_long(m, v6);
	return m->restarts && m->wanted && m->up && agreed && !m->error_code;
}

void
stale_drop(struct member *m, bool v6)
{
	const struct rib_route *r;
	struct rib stays = { 0 };
	uint32_t at = 0;

	while ((r = rib_next(&m->stale, &at)))
		if (r->key.v6 == v6)
			rib_drop(&m->received, &r->key);
		else
			rib_put(&stays, &r->key, r->attrs);
	rib_clear(&m->stale);
	m->stale = stays;
	m->restart[v6].is_long = false;
	m->restart[v6].until_ns = SIM_NEVER;
	m->changed_ns = sim_now();
}

/* stale_begin_long - I3. The time runs since the family's first long-lived stale
 * route. */
static void
stale_begin_long(struct member *m, bool v6)
{
	const struct rib_route *r;
	struct rib stays = { 0 };
	uint32_t at = 0;

	sim_event("routes of %s are long-lived stale", m->name);
	while ((r = rib_next(&m->stale, &at))) {
		bool refuses = r->key.v6 == v6 && codec_has_community(r->attrs, NO_LLGR);

		if (refuses)
			rib_drop(&m->received, &r->key);
		else
			rib_put(&stays, &r->key, r->attrs);
		if (!refuses && r->key.v6 == v6)
			rib_put(&m->received, &r->key,
			    codec_with_community(r->attrs, LLGR_STALE));
	}
	rib_clear(&m->stale);
	m->stale = stays;
	if (!m->restart[v6].is_long)
		m->restart[v6].until_ns = sim_now() + member_ns(m, m->restart[v6].long_s);
	m->restart[v6].is_long = true;
	m->changed_ns = sim_now();
}

void
stale_begin(struct member *m)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while ((r = rib_next(&m->received, &at)))
		rib_put(&m->stale, &r->key, r->attrs);
	for (unsigned v6 = 0; v6 < 2; v6++) {
		struct member_restart *f = &m->restart[v6];

		if (stale_may_be_long(m, v6) && (f->is_long || !f->agreed))
			stale_begin_long(m, v6);
		else if (f->agreed)
			f->until_ns = sim_now() + member_ns(m, m->peer_restart_s);
		else
			stale_drop(m, v6);
	}
}

void
stale_back(struct member *m)
{
	for (unsigned v6 = 0; v6 < 2; v6++) {
		const struct member_restart *f = &m->restart[v6];

		if (!(f->is_long ? f->long_kept : f->kept))
			stale_drop(m, v6);
	}
}

void
stale_clear(struct member *m)
{
	rib_clear(&m->stale);
	for (unsigned v6 = 0; v6 < 2; v6++) {
		m->restart[v6].is_long = false;
		m->restart[v6].until_ns = SIM_NEVER;
	}
}

/* stale_until_ns - I2. */
static uint64_t
stale_until_ns(const struct member *m, bool v6)
{
	const struct member_restart *f = &m->restart[v6];

	return (m->up && !f->is_long) || !m->stale.cnt ? SIM_NEVER : f->until_ns;
}

void
stale_expire(struct member *m)
{
	for (unsigned v6 = 0; v6 < 2; v6++) {
		if (sim_now() < stale_until_ns(m, v6))
			continue;
		if (!m->restart[v6].is_long && stale_may_be_long(m, v6) &&
		    stale_has(m, v6))
			stale_begin_long(m, v6);
		else
			stale_drop(m, v6);
	}
}

uint64_t
stale_next_ns(const struct member *m)
{
	uint64_t a = stale_until_ns(m, false), b = stale_until_ns(m, true);

	return a < b ? a : b;
}
