/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Received attributes: search, and change of communities (codec_take_update describes the
 * octets of struct rib_attrs). Tested by the stories roles and llgr_daemon. */
#include "test/sim/codec.h"

#include <string.h>

#define COMMUNITY 8

const uint8_t *
codec_attr(const struct rib_attrs *a, uint8_t type, uint32_t *len)
{
	const uint8_t *p = a->octets + 2 + a->octets[1], *end = a->octets + a->len;

	for (uint32_t head; p < end; p += head + *len) {
		head = p[0] & 0x10 ? 4 : 3;
		*len = head == 4 ? codec_get16(p + 2) : p[2];
		if (p[1] == type)
			return p + head;
	}
	*len = 0;
	return NULL;
}

bool
codec_has_community(const struct rib_attrs *a, uint32_t community)
{
	uint32_t len;
	const uint8_t *p = codec_attr(a, COMMUNITY, &len);

	for (uint32_t i = 0; i + 4 <= len; i += 4)
		if (codec_get32(p + i) == community)
			return true;
	return false;
}

struct rib_attrs *
codec_with_community(struct rib_attrs *a, uint32_t community)
{
	uint8_t out[65536 + 8], *to = out;
	uint32_t len;
	const uint8_t *old = codec_attr(a, COMMUNITY, &len), *end = a->octets + a->len,
		      *from = old ? old - (old[-3] & 0x10 ? 4 : 3) : end;

	if (codec_has_community(a, community))
		return a;
	/* The attribute in its long form takes the place of the old attribute. */
	to = mempcpy(to, a->octets, (size_t)(from - a->octets));
	*to++ = 0xd0;
	*to++ = COMMUNITY;
	to = codec_put16(to, len + 4);
	if (old)
		to = mempcpy(to, old, len);
	to = codec_put32(to, community);
	if (old)
		to = mempcpy(to, old + len, (size_t)(end - old) - len);
	return rib_attrs_get(out, (uint32_t)(to - out));
}
