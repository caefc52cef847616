/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a feeder that is no channel's, for tests; over spine_rig.h. */
#ifndef TERN_TEST_LIB_REC_PUT_H
#define TERN_TEST_LIB_REC_PUT_H

#include "test/lib/spine_rig.h"

/* rig_rec_try - a record with @len octets of @nlri to the ring of @f. Its worker.
 * Returns: was there room? */
static inline bool
rig_rec_try(struct feeder *f, const struct rec *r, const uint8_t *nlri, uint32_t len)
{
	struct rec *to = ring_reserve(&f->ring, (uint32_t)sizeof(*r) + len + REC_SLACK);

	if (!to)
		return false;
	*to = *r;
	to->nlri_len = (uint16_t)len;
	memcpy(to->nlri, nlri, len);
	memset(to->nlri + len, 0, REC_SLACK);
	ring_commit(&f->ring);
	feeder_activate(f);
	return true;
}

/* rig_rec_put - likewise; there is room. */
static inline void
rig_rec_put(struct feeder *f, const struct rec *r, const uint8_t *nlri, uint32_t len)
{
	ASSERT(rig_rec_try(f, r, nlri, len));
}

#endif
