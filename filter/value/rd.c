/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints and parses route distinguishers. Pure functions; any thread. Tested by
 * test/unit/test_net.c. */
#include "filter/value/rd.h"

#include "lib/base/scan.h"
#include "lib/net/ip.h"

#include <errno.h>

void
rd_print(struct strbuf *b, const uint32_t *rd)
{
	char ip[IP_STR_MAX];

	switch (rd[0] >> 16) {
	case 0:
		strbuf_addf(b, "%u:%u", rd[0] & 0xffff, rd[1]);
		return;
	case 1: /* address and number lie across the words */
		strbuf_addf(b, "%s:%u", ip_str(ip, ip4(rd[0] << 16 | rd[1] >> 16)),
		    rd[1] & 0xffff);
		return;
	default: /* with its type, where it could be taken for the first */
		strbuf_addf(b, (rd[0] & 0xffff) ? "%u:%u" : "2:%u:%u",
		    rd[0] << 16 | rd[1] >> 16, rd[1] & 0xffff);
	}
}

int
rd_parse(uint32_t *rd, const char *s)
{
	const char *last = strrchr(s, ':');
	struct ip_addr ip;
	uint64_t as, n;
	unsigned type = 0;
	char head[64];

	if (!last || (size_t)(last - s) >= sizeof(head) ||
	    scan_u64(&n, last + 1, UINT32_MAX))
		return -EINVAL;
	memcpy(head, s, (size_t)(last - s));
	head[last - s] = '\0';
	if (strchr(head, '.')) {
		if (ip_parse(&ip, head) || !ip_is_v4(ip))
			return -EINVAL;
		type = 1;
		as = ip_to_v4(ip);
	} else {
		const char *as_text = head;

		if (head[0] && head[1] == ':') {
			type = (unsigned)(head[0] - '0');
			if (type != 0 && type != 2)
				return -EINVAL;
			as_text = head + 2;
		}
		if (scan_u64(&as, as_text, UINT32_MAX))
			return -EINVAL;
		if (as_text == head && as > 0xffff)
			type = 2;
		if (type == 0 && as > 0xffff)
			return -ERANGE;
	}
	if (type && n > 0xffff)
		return -ERANGE;
	rd[0] = (uint32_t)(type ? type << 16 | as >> 16 : as);
	rd[1] = (uint32_t)(type ? as << 16 | n : n);
	return 0;
}
