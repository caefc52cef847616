/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a feeder that is no channel's, for tests; over spine_rig.h. */
#ifndef TERN_TEST_LIB_REC_PUT_H
#define TERN_TEST_LIB_REC_PUT_H

#include "test/lib/spine_rig.h"

/* rig_rec_put - a record with @len octets of @nlri to the ring of @f. Its worker. */
static inline void
rig_rec_put(struct feeder *f, const struct rec *r, const uint8_t *nlri, uint32_t len)
{
	struct rec *to = ring_reserve(&f->ring, (uint32_t)sizeof(*r) + len + REC_SLACK);

	assert_non_null(to);
	*to = *r;
	to->nlri_len = (uint16_t)len;
	memcpy(to->nlri, nlri, len);
	memset(to->nlri + len, 0, REC_SLACK);
	ring_commit(&f->ring);
	feeder_activate(f);
}

#endif
