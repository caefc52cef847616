/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ttl security (RFC 5082) of accepted connections. The listening socket serves peers with
 * and without ttl security, so the kernel completes a connection from any distance and
 * queues the first octets before the listener accepts the connection. The kernel's own
 * check (IP_MINTTL, conn_adopt) covers later packets alone.
 *
 * I1  The TTL of the SYN decides. The peer that sent the SYN from nearby is the peer that
 *     can complete the connection.
 * I2  Without a SYN, because the kernel answered with a SYN cookie, no octet may have
 *     arrived before the kernel's check began. A near peer may lose a connection by this
 *     rule and dials again.
 *
 * Loop: the listener's. Tested by test/net/test_ttl.py and test/sim/stories/ttl.story. */
#include "lib/net/ip.h"
#include "proto/bgp/listen/bgp_entries.h"
#include "proto/bgp/listen/bgp_listen_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_opt.h"
#include <stdio.h>
#include <string.h>

/* near_refuse - log, @why completes the line. */
static bool
near_refuse(struct bgp_listener *l, const struct sock_end *remote, const char *why)
{
	char text[IP_STR_MAX];

	if (bgp_listen_may_log(l))
		log_msg(LOG_C_AUTH, "BGP: Connection from %s refused: %s (ttl security)",
		    ip_str(text, remote->addr), why);
	return false;
}

bool
bgp_listen_is_near(struct bgp_listener *l, const struct bgp_entry *e, struct os_fd fd,
    const struct sock_end *remote)
{
	const struct sock_conf sc = { .min_ttl = e->min_ttl };
	uint8_t ttl = e->min_ttl ? sock_syn_ttl(fd) : 0;
	char why[64];
	int rc;

	if (!e->min_ttl)
		return true;
	if (ttl && ttl < e->min_ttl) {
		snprintf(why, sizeof(why), "the TTL is %u and must be at least %u", ttl,
		    e->min_ttl);
		return near_refuse(l, remote, why);
	}
	if (ttl)
		return true;
	rc = sock_apply(fd, sock_family(remote), &sc);
	if (rc)
		return near_refuse(l, remote, strerror(-rc));
	if (sock_unread(fd))
		return near_refuse(
		    l, remote, "octets arrived before the TTL was checked");
	return true;
}
