/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of sockets as values, and the options that TCP sockets of routing protocols
 * need. Nothing here has state; any thread may call for a socket that it owns. All
 * functions that set something return 0 or negative errno. */
#ifndef TERN_SYSDEP_SOCK_OPT_H
#define TERN_SYSDEP_SOCK_OPT_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include <sys/socket.h>

/* One end of a connection. The family follows from the address: ip4(0) is any IPv4
 * address, IP_NONE any IPv6 address. */
struct sock_end {
	struct ip_addr addr;
	uint16_t port; /* host order */
	uint32_t ifindex; /* scope of a link-local address, else 0 */
};

/* What a socket is to have; all zeros: the system's defaults. */
struct sock_conf {
	uint8_t ttl; /* TTL or hop limit of what is sent; 0: default */
	uint8_t min_ttl; /* drop what comes with less (RFC 5082); 0: off */
	uint8_t dscp_ecn; /* TOS or traffic class octet; 0: default */
	uint8_t priority; /* of queueing on this machine; 0: default */
	bool free_bind; /* the local address need not exist yet */
	bool no_buffer_bulk; /* TCP_NOTSENT_LOWAT: what waits in the kernel stays small */
	const char *device; /* bind to this interface or VRF; NULL: none */
};

#define SOCK_NOTSENT_LOWAT (32 * 1024)

/* sock_from_end - Returns: the length of what was filled in. */
socklen_t sock_from_end(struct sockaddr_storage *out, const struct sock_end *e);
struct sock_end sock_to_end(const struct sockaddr_storage *sa);
int sock_family(const struct sock_end *e); /* AF_INET or AF_INET6 */
/* sock_local_end - of @fd; all zeros if there is none. */
struct sock_end sock_local_end(int fd);
/* sock_remote_end - the same of the other end. */
struct sock_end sock_remote_end(int fd);
/* sock_has_ended - has the other end closed or reset the connection @fd? What it has sent
 * before may still be there. Blocks: @wait_ms at most, while it hasn't. */
bool sock_has_ended(int fd, int wait_ms);
/* sock_mark - a number that this open socket has, and no other one. Who keeps it can tell
 * whether something else has closed the socket, and whose the descriptor @fd is now.
 * Returns: 0: @fd is no socket. */
uint64_t sock_mark(int fd);

/* sock_tcp_new - a non-blocking TCP socket (IPv6 ones take no IPv4) with @c applied.
 * Returns: descriptor or negative errno. */
MUST_CHECK int sock_tcp_new(int family, const struct sock_conf *c);
/* sock_apply - @c to an existing socket, for instance an accepted one. What isn't asked
 * for stays. */
MUST_CHECK int sock_apply(int fd, int family, const struct sock_conf *c);

/* sock_keep_alive - ask the other end whether it is there after @idle_s seconds without
 * an octet, then each @every_s seconds, @cnt times at most; 0: the system's default. Then
 * the connection ends. */
void sock_keep_alive(int fd, unsigned idle_s, unsigned every_s, unsigned cnt);

/* sock_md5_set - TCP MD5 signatures (RFC 2385) with peers in @peer; a whole address, a
 * range, or length 0: any. @ifindex: of a VRF, or 0. @key: up to 80 octets; NULL: remove.
 */
MUST_CHECK int sock_md5_set(
    int fd, const struct prefix *peer, uint32_t ifindex, const char *key);

#endif
