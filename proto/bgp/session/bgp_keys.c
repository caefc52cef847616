/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of TCP-AO on an accepted connection (RFC 5925); bgp_rekey.c changes the keys.
 *
 * Loop: the session's. Tested by test/net/test_ao.py. */
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_ao.h"

struct prefix
keys_peer(const struct bgp_session *s)
{
	struct ip_addr a = session_conf(s)->id.remote_ip;
	enum family fam = family_of_ip(a);

	return prefix_make(a, family_bits(fam), fam);
}

int
keys_adopt(struct bgp_session *s, struct os_fd fd)
{
	static const struct sock_ao none;
	struct prefix peer = keys_peer(s);

	if (session_conf(s)->auth.method != BGP_AUTH_AO)
		return 0;
	return sock_ao_change(fd, &peer, &none, &session_conf(s)->auth.ao, false);
}
