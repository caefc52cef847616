/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BFD control packets: what was decoded and encoded again is decoded to the same, and
 * what we have signed is good. */
#include "lib/base/check.h"
#include "lib/wire/bfd.h"
#include "lib/wire/wbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct bfd_key key = { 9, "fuzz this" };

static void
fuzz_bfd_same_again(struct bfd_packet *p)
{
	uint8_t buf[BFD_LEN_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct bfd_packet q;

	bfd_encode(&w, p, &key);
	ASSERT(!w.bad);
	ASSERT(bfd_decode(buf, wbuf_len(&w), &q) == BFD_FAULT_NONE);
	if (p->auth_type)
		ASSERT(bfd_auth_good(&q, buf, &key));
	ASSERT(q.state == p->state && q.diag == p->diag && q.flags == p->flags);
	ASSERT(q.mult == p->mult && q.mine == p->mine && q.yours == p->yours);
	ASSERT(q.min_tx_us == p->min_tx_us && q.min_rx_us == p->min_rx_us);
	ASSERT(q.min_echo_us == p->min_echo_us && q.auth_type == p->auth_type);
	ASSERT(q.seq == p->seq && q.key_id == p->key_id);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct bfd_packet p;
	enum bfd_fault f = bfd_decode(data, len, &p);

	ASSERT(f < BFD_FAULT_CNT);
	if (f != BFD_FAULT_NONE) {
		ASSERT(*bfd_fault_text(f));
		return 0;
	}
	ASSERT(p.mult && p.mine);
	ASSERT(*bfd_state_text(p.state) && *bfd_diag_text(p.diag));
	if (p.auth_type >= BFD_AUTH_CNT)
		return 0;
	if (p.auth_type) {
		/* a digest of ours isn't hit by chance, but the password may be */
		bool good = bfd_auth_good(&p, data, &key);

		ASSERT(!good || p.secret);
	}
	fuzz_bfd_same_again(&p);
	return 0;
}
