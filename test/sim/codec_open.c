/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OPEN messages of the simulated members: capabilities, written and read.
 *
 * Played by each story; capabilities by stories of their own (roles, extended_next_hop,
 * llgr). */
#include "test/sim/codec.h"
#include "test/sim/tcp.h"

#include <netinet/in.h>
#include <string.h>

/* put_capability - of @len octets of @value. */
static uint8_t *
put_capability(uint8_t *p, uint8_t code, const uint8_t *value, uint8_t len)
{
	*p++ = code;
	*p++ = len;
	if (len)
		memcpy(p, value, len);
	return p + len;
}

/* put_long_lived - RFC 9494, 3: each family, with the stale time. The F bit says that the
 * member has preserved its forwarding state. */
static uint8_t *
put_long_lived(uint8_t *p, const struct member *m)
{
	uint8_t value[16], *v = value;

	for (unsigned family = 1; family <= (m->ipv6 ? 2u : 1u); family++) {
		v = codec_put16(v, family);
		*v++ = 1;
		v = codec_put32(v, (m->forgets ? 0u : 0x80u << 24) | m->long_lived_s);
	}
	return put_capability(p, 71, value, (uint8_t)(v - value));
}

/* put_router_id - the IPv4 address; of an IPv6 member 10.9 and the end of the address. */
static uint8_t *
put_router_id(uint8_t *p, const struct member *m)
{
	struct sockaddr_storage sa;

	tcp_address(&sa, m->address, 0);
	if (sa.ss_family == AF_INET)
		return mempcpy(p, &((struct sockaddr_in *)&sa)->sin_addr, 4);
	p = mempcpy(p, "\12\11", 2);
	return mempcpy(p, &((struct sockaddr_in6 *)&sa)->sin6_addr.s6_addr[14], 2);
}

uint32_t
codec_open(const struct member *m, uint8_t *out)
{
	uint8_t *p = out + 19, *params, value[16];

	*p++ = 4;
	p = codec_put16(p, m->as > 65535 ? 23456 : m->as);
	p = codec_put16(p, m->hold_s);
	p = put_router_id(p, m);
	params = p;
	p += 3;
	p = put_capability(p, 1, (const uint8_t *)"\0\1\0\1", 4);
	if (m->ipv6)
		p = put_capability(p, 1, (const uint8_t *)"\0\2\0\1", 4);
	p = put_capability(p, 2, NULL, 0);
	codec_put32(value, m->as);
	p = put_capability(p, 65, value, 4);
	if (m->add_path)
		p = put_capability(
		    p, 69, (const uint8_t *)"\0\1\1\3\0\2\1\3", m->ipv6 ? 8 : 4);
	if (m->restarts)
		p = put_capability(p, 64,
		    (const uint8_t *)(m->forgets ? "\0\170\0\1\1\0\0\2\1\0"
						 : "\0\170\0\1\1\200\0\2\1\200"),
		    m->ipv6 ? 10 : 6);
	if (m->extended_hop)
		p = put_capability(p, 5, (const uint8_t *)"\0\1\0\1\0\2", 6);
	if (m->extended_messages)
		p = put_capability(p, 6, NULL, 0);
	if (m->enhanced_refresh)
		p = put_capability(p, 70, NULL, 0);
	if (m->role) {
		value[0] = (uint8_t)(m->role - 1);
		p = put_capability(p, 9, value, 1);
	}
	if (m->long_lived_s)
		p = put_long_lived(p, m);
	params[0] = (uint8_t)(p - params - 1);
	params[1] = 2;
	params[2] = (uint8_t)(p - params - 3);
	return codec_header(out, BGP_OPEN, (uint32_t)(p - out));
}

/* is_family - does @f begin with IPv4 unicast or IPv6 unicast? */
static bool
is_family(const uint8_t *f)
{
	return (codec_get16(f) == 1 || codec_get16(f) == 2) && f[2] == 1;
}

static void
take_capability(struct member *m, uint8_t code, const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len;

	switch (code) {
	case 5: /* RFC 8950: IPv4 unicast over IPv6 */
		for (; p + 6 <= end; p += 6)
			m->uses_extended_hop |= m->extended_hop &&
						!memcmp(p, "\0\1\0\1\0\2", 6);
		break;
	case 6: /* RFC 8654 */
		m->uses_extended_messages = m->extended_messages;
		break;
	case 9:
		m->peer_role = len == 1 && *p < 5 ? (enum member_role)(*p + 1)
						  : ROLE_NONE;
		break;
	case 64:
		if (len >= 2)
			m->peer_restart_s = codec_get16(p) & 0xfff;
		for (p += 2; p + 4 <= end; p += 4) {
			if (!is_family(p))
				continue;
			m->restart[codec_get16(p) == 2].agreed = m->restarts;
			m->restart[codec_get16(p) == 2].kept = p[3] & 0x80;
		}
		break;
	case 65:
		m->peer_as4 = true;
		m->peer_as = len == 4 ? codec_get32(p) : 0;
		break;
	case 69:
		for (; m->add_path && p + 4 <= end; p += 4) {
			m->sends_id[codec_get16(p) == 2] = p[3] & 1;
			m->gets_id[codec_get16(p) == 2] = p[3] & 2;
		}
		break;
	case 70: /* RFC 7313 */
		m->uses_enhanced_refresh = m->enhanced_refresh;
		break;
	case 71: /* RFC 9494, 3 */
		for (; p + 7 <= end; p += 7) {
			if (!is_family(p))
				continue;
			m->restart[codec_get16(p) == 2].long_kept = p[3] & 0x80;
			m->restart[codec_get16(p) == 2].long_s = codec_get32(p + 3) &
								 0xffffff;
		}
		break;
	default:
		break;
	}
}

bool
codec_take_open(struct member *m, const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len, *cap;

	if (len < 10 || p[0] != 4)
		return false;
	m->hold_used_s = (uint16_t)codec_get16(p + 3);
	if (m->hold_s < m->hold_used_s)
		m->hold_used_s = m->hold_s;
	m->peer_as4 = m->uses_extended_hop = false;
	m->uses_extended_messages = m->uses_enhanced_refresh = false;
	m->peer_as = codec_get16(p + 1);
	m->peer_role = ROLE_NONE;
	memset(m->sends_id, 0, sizeof(m->sends_id));
	memset(m->gets_id, 0, sizeof(m->gets_id));
	for (unsigned v6 = 0; v6 < 2; v6++) {
		struct member_restart *f = &m->restart[v6];

		f->agreed = f->kept = f->long_kept = false;
		f->long_s = 0;
	}
	for (p += 10; p + 2 <= end; p += 2 + p[1])
		for (cap = p + 2; p[0] == 2 && cap + 2 <= p + 2 + p[1]; cap += 2 + cap[1])
			take_capability(m, cap[0], cap + 2, cap[1]);
	return true;
}
