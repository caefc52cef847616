/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The judge knows the permitted results of a message in an established session by RFC
 * 4271, 7313 and 7606. The judge does not use the decoder, and decides itself which
 * messages must end the session, and which may. */
#ifndef TERN_TEST_FUZZ_SESSION_JUDGE_H
#define TERN_TEST_FUZZ_SESSION_JUDGE_H

#include "lib/base/base.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_params.h"

struct verdict {
	bool may_end, must_end;
	uint8_t code; /* of the NOTIFICATION if it ends; 0: none is sent */
};

#define JUDGE_STAYS                                                                      \
	(struct verdict)                                                                 \
	{                                                                                \
		false, false, 0                                                          \
	}

/* judge_frame - code BGP_E_HEADER if the header of @m (@len octets, at least a header) is
 * wrong. */
static inline bool
judge_frame(const uint8_t *m, size_t len, unsigned msg_max)
{
	static const unsigned least[] = { 0, 29, 23, 21, 19, 19 };
	unsigned says = get_be16(m + 16), type = m[18];

	for (unsigned i = 0; i < 16; i++)
		if (m[i] != 0xff)
			return false;
	if (type < BGP_OPEN || type > BGP_ROUTE_REFRESH || says > msg_max)
		return false;
	if (type == BGP_OPEN && says > BGP_MSG_MAX) /* RFC 8654, 4 */
		return false;
	if (type == BGP_KEEPALIVE && says > BGP_HDR_LEN)
		return false;
	return says >= least[type] && says <= len;
}

/* judge_nlri - can the @len octets at @p be read as prefixes of IPv4? */
static inline bool
judge_nlri(const uint8_t *p, size_t len, bool ids)
{
	while (len) {
		size_t head = ids ? 5 : 1, all;

		if (len < head || p[head - 1] > 32)
			return false;
		all = head + (p[head - 1] + 7u) / 8;
		if (len < all)
			return false;
		p += all;
		len -= all;
	}
	return true;
}

/* judge_has_mp - is there MP_REACH_NLRI or MP_UNREACH_NLRI among the attributes, as far
 * as they can be told apart? */
static inline bool
judge_has_mp(const uint8_t *p, size_t len)
{
	while (len >= 2) {
		size_t head = p[0] & 0x10 ? 4 : 3, all;

		if (p[1] == 14 || p[1] == 15)
			return true;
		if (len < head)
			return false;
		all = head + (head == 4 ? get_be16(p + 2) : p[2]);
		if (len < all)
			return false;
		p += all;
		len -= all;
	}
	return false;
}

static inline struct verdict
judge_update(const struct bgp_params *pa, const uint8_t *p, size_t len)
{
	bool ids = pa->ids & FAM_BIT(FAM_IP4);
	size_t gone = get_be16(p), attrs;

	if (gone + 4 > len)
		return (struct verdict){ true, true, BGP_E_UPDATE };
	attrs = get_be16(p + 2 + gone);
	if (gone + 4 + attrs > len)
		return (struct verdict){ true, true, BGP_E_UPDATE };
	if (!judge_nlri(p + 2, gone, ids) ||
	    !judge_nlri(p + 4 + gone + attrs, len - gone - 4 - attrs, ids))
		return (struct verdict){ true, true, BGP_E_UPDATE }; /* RFC 7606, 5.3 */
	/* RFC 7606, 7.11 and 3 g; and 5.2: routes may be meant that we don't find */
	if (judge_has_mp(p + 4 + gone, attrs) || (attrs && gone + 4 + attrs == len))
		return (struct verdict){ true, false, BGP_E_UPDATE };
	return JUDGE_STAYS;
}

/* judge_message - @m, of @len octets at most, comes in an established session. */
static inline struct verdict
judge_message(const struct bgp_params *pa, bool enhanced, const uint8_t *m, size_t len)
{
	unsigned msg_max = pa->ext_msg ? BGP_MSG_EXT_MAX : BGP_MSG_MAX;

	if (!judge_frame(m, len, msg_max))
		return (struct verdict){ true, true, BGP_E_HEADER };
	len = get_be16(m + 16) - BGP_HDR_LEN;
	switch (m[18]) {
	case BGP_OPEN:
		return (struct verdict){ true, true, BGP_E_FSM };
	case BGP_UPDATE:
		return judge_update(pa, m + BGP_HDR_LEN, len);
	case BGP_NOTIFICATION:
		return (struct verdict){ true, true, 0 };
	case BGP_ROUTE_REFRESH:
		if (len != 4)
			return (struct verdict){ true, true,
				enhanced ? BGP_E_REFRESH : BGP_E_HEADER };
		break;
	}
	return JUDGE_STAYS;
}

#endif
