/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses in tests, from text. */
#ifndef TERN_TEST_LIB_ADDR_H
#define TERN_TEST_LIB_ADDR_H

#include "sysdep/iface/iface.h"
#include "test/lib/unit.h"

static inline struct ip_addr
addr_of(const char *s)
{
	struct ip_addr a;

	assert_int_equal(ip_parse(&a, s), 0);
	return a;
}

/* local_addr - of an interface, in a subnet of @len bits. */
static inline struct iface_addr
local_addr(const char *s, unsigned len)
{
	struct ip_addr a = addr_of(s);
	enum family fam = ip_is_v4(a) ? FAM_IP4 : FAM_IP6;

	return (struct iface_addr){ .local = a, .subnet = prefix_make(a, len, fam) };
}

#endif
