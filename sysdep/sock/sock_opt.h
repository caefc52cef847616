/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of sockets as values, and the options that TCP sockets of routing protocols
 * need. No state; any thread may call for a socket that it owns. All functions that set
 * an option return 0 or negative errno. Owner: the holder. Life: structs are by value. */
#ifndef TERN_SYSDEP_SOCK_SOCK_OPT_H
#define TERN_SYSDEP_SOCK_SOCK_OPT_H

#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/os/os_fd.h"
#include <sys/socket.h>

/* One end of a connection. The address gives the family: ip4(0) is any IPv4 address,
 * IP_NONE any IPv6 address. */
struct sock_end {
	struct ip_addr addr;
	uint16_t port; /* host order */
	uint32_t ifindex; /* scope of a link-local address, else 0 */
};

/* The options of a socket; all zeros: the system's defaults. */
struct sock_conf {
	uint8_t ttl; /* TTL or hop limit of sent packets; 0: default */
	uint8_t min_ttl; /* drop packets with a smaller TTL (RFC 5082); 0: off */
	uint8_t dscp_ecn; /* TOS or traffic class octet; 0: default */
	uint8_t priority; /* of queueing on the local machine; 0: default */
	bool free_bind; /* the local address need not exist yet */
	/* TCP_NOTSENT_LOWAT: keep the unsent octets in the kernel few */
	bool no_buffer_bulk;
	/* TCP_SAVE_SYN, of a listener: the kernel keeps the SYN of each connection for
	 * sock_syn_ttl */
	bool save_syn;
	const char *device; /* bind to this interface or VRF; NULL: none */
};

#define SOCK_NOTSENT_LOWAT (32 * 1024)

/* sock_from_end - Returns: the length of the address in @out. */
socklen_t sock_from_end(struct sockaddr_storage *out, const struct sock_end *e);
struct sock_end sock_to_end(const struct sockaddr_storage *sa);
int sock_family(const struct sock_end *e); /* AF_INET or AF_INET6 */
/* sock_local_end - the local end of @fd; all zeros: none. */
struct sock_end sock_local_end(struct os_fd fd);
/* sock_remote_end - the remote end of @fd; all zeros: none. */
struct sock_end sock_remote_end(struct os_fd fd);
/* sock_has_ended - true if the peer has closed or reset the connection @fd; unread octets
 * may still wait. Blocks: @wait_ms at most, until the connection ends. */
bool sock_has_ended(struct os_fd fd, int wait_ms);
/* sock_mark - the unique number of the open socket @fd. A caller that keeps the number
 * detects that other code has closed the socket and @fd belongs to another file. Returns:
 * 0: @fd is no socket. */
uint64_t sock_mark(struct os_fd fd);

/* sock_tcp_new - create a non-blocking TCP socket (an IPv6 socket accepts no IPv4) and
 * apply @c. Returns: descriptor or negative errno. */
MUST_CHECK int sock_tcp_new(int family, const struct sock_conf *c);
/* sock_apply - apply @c to an existing socket, for instance an accepted socket. Options
 * that @c does not set stay. */
MUST_CHECK int sock_apply(struct os_fd fd, int family, const struct sock_conf *c);

/* sock_syn_ttl - the TTL or hop limit with which the SYN of the accepted connection @fd
 * arrived. The kernel forgets the SYN: a second call returns 0. Returns: 0: not known,
 * because the listener lacks save_syn, or the kernel answered with a SYN cookie. */
uint8_t sock_syn_ttl(struct os_fd fd);

/* sock_keep_alive - probe the other end after @idle_s seconds without an octet, then
 * every @every_s seconds, @cnt times at most; 0: the system's default. Then the
 * connection ends. */
void sock_keep_alive(struct os_fd fd, unsigned idle_s, unsigned every_s, unsigned cnt);

/* sock_md5_set - set TCP MD5 signatures (RFC 2385) for peers in @peer: an address, a
 * range, or length 0 for any peer. @ifindex: of a VRF, or 0. @key: a text of veil_text
 * (lib/crypto/veil.h); NULL: remove. */
MUST_CHECK int sock_md5_set(
    int fd, const struct prefix *peer, uint32_t ifindex, const char *key);

#endif
