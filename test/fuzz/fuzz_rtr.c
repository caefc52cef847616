/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PDUs of the RPKI-to-Router protocol, one behind the other, as a cache's stream: what
 * was decoded and encoded again is decoded to the same. */
#include "lib/base/check.h"
#include "lib/wire/rtr.h"
#include "lib/wire/wbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
fuzz_rtr_same_again(const struct rtr_pdu *p)
{
	static uint8_t buf[RTR_PDU_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct rtr_fault fault;
	struct rtr_pdu q;

	rtr_encode(&w, p);
	ASSERT(!w.bad);
	ASSERT(rtr_frame(buf, wbuf_len(&w), &fault) == (int)wbuf_len(&w));
	ASSERT(rtr_decode(buf, (uint32_t)wbuf_len(&w), &q, &fault));
	ASSERT(q.version == p->version && q.type == p->type && q.session == p->session);
	ASSERT(q.announce == p->announce && q.serial == p->serial && q.error == p->error);
	ASSERT(!memcmp(&q.times, &p->times, sizeof(q.times)));
	ASSERT(!vrp_cmp(&q.vrp, &p->vrp));
	ASSERT(q.provider_cnt == p->provider_cnt && q.about_len == p->about_len);
	ASSERT(q.text_len == p->text_len);
	ASSERT(!q.provider_cnt || !memcmp(q.provider, p->provider, 4 * q.provider_cnt));
	ASSERT(!q.about_len || !memcmp(q.about, p->about, q.about_len));
	ASSERT(!q.text_len || !memcmp(q.text, p->text, q.text_len));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rtr_fault fault = { 0 };
	char text[RTR_TEXT_MAX];
	struct rtr_pdu p;
	int one;

	while ((one = rtr_frame(data, len, &fault)) > 0) {
		ASSERT((size_t)one <= len);
		if (!rtr_decode(data, (uint32_t)one, &p, &fault)) {
			ASSERT(fault.text && fault.error < RTR_E_CNT);
		} else {
			if (p.type == RTR_ERROR_REPORT)
				ASSERT(strlen(rtr_report_text(text, &p)) < RTR_TEXT_MAX);
			if (p.type != RTR_ROUTER_KEY)
				fuzz_rtr_same_again(&p);
		}
		data += one;
		len -= (size_t)one;
	}
	ASSERT(one == 0 || fault.text);
	return 0;
}
