/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UDP sockets of protocols that say Hello: several datagrams a call, with what the kernel
 * knows of each. No state but the descriptor; any thread that owns it. */
#ifndef TERN_SYSDEP_SOCK_UDP_H
#define TERN_SYSDEP_SOCK_UDP_H

#include "lib/net/ip.h"
#include "sysdep/sock/sock_opt.h"

#define SOCK_UDP_BATCH 32
#define SOCK_UDP_LEN   128 /* octets of a datagram that are read; the rest is cut off */

struct sock_udp_conf {
	struct sock_end local;
	const char *device; /* NULL: none */
	uint8_t ttl; /* of what is sent */
	uint8_t dscp_ecn, priority;
	bool reuse; /* others may have the same address, with other devices */
	bool info; /* for sock_udp_recv */
	bool zero_checksum; /* IPv6: take datagrams without a checksum */
	int buffer; /* octets that may wait to be read; 0: default */
};

/* One that has come. */
struct sock_dgram {
	struct sock_end from;
	struct ip_addr to; /* IP_NONE: not known */
	uint32_t ifindex; /* 0: not known */
	uint8_t ttl; /* 0: not known */
	uint64_t age_ns; /* since the kernel took it; wrong if its clock is set between */
	uint32_t len;
	const uint8_t *octet;
};

/* sock_udp_new - non-blocking and bound. Returns: descriptor or negative errno. */
MUST_CHECK int sock_udp_new(const struct sock_udp_conf *c);
/* sock_udp_recv - Returns: how many there were, up to SOCK_UDP_BATCH, whose octets lie in
 * @room; 0: there is none, or the socket had an error, which is taken. */
unsigned sock_udp_recv(int fd, struct sock_dgram out[SOCK_UDP_BATCH],
    uint8_t room[SOCK_UDP_BATCH][SOCK_UDP_LEN]);
/* sock_udp_send - @cnt up to SOCK_UDP_BATCH; of each `from` is where it goes to. Those
 * that can't be sent are left out. Returns: how many were; *@err: negative errno of the
 * last one that wasn't, or 0. */
unsigned sock_udp_send(int fd, const struct sock_dgram *d, unsigned cnt, int *err);

#endif
