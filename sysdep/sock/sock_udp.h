/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UDP sockets of hello protocols: several datagrams a call, with the kernel's facts of
 * each datagram. No state but the descriptor; any thread that owns the descriptor. Owner:
 * the caller. Life: structs are by value or on the stack. */
#ifndef TERN_SYSDEP_SOCK_SOCK_UDP_H
#define TERN_SYSDEP_SOCK_SOCK_UDP_H

#include "lib/net/ip.h"
#include "sysdep/sock/sock_opt.h"
#include "sysdep/os/os_fd.h"

#define SOCK_UDP_BATCH 32
#define SOCK_UDP_LEN   128 /* octets of a datagram that are read; the rest is discarded */

/* Options of a UDP socket. Owner: the caller; by value: nothing to free. */
struct sock_udp_conf {
	struct sock_end local;
	const char *device; /* NULL: none */
	uint8_t ttl; /* of sent datagrams */
	uint8_t dscp_ecn, priority;
	bool reuse; /* other sockets may have the same address, on other devices */
	bool info; /* for sock_udp_recv */
	bool zero_checksum; /* IPv6: take datagrams without a checksum */
	int buffer; /* octets that may wait to be read; 0: default */
};

/* One received datagram. */
struct sock_dgram {
	struct sock_end from;
	struct ip_addr to; /* IP_NONE: not known */
	uint32_t ifindex; /* 0: not known */
	uint8_t ttl; /* 0: not known */
	/* age since the kernel received the datagram; wrong if the calendar clock was set
	 * meanwhile */
	uint64_t age_ns;
	uint32_t len;
	const uint8_t *octet;
};

/* sock_udp_new - non-blocking and bound. Returns: descriptor or negative errno. */
MUST_CHECK struct os_fd sock_udp_new(const struct sock_udp_conf *c);
/* sock_udp_recv - receive datagrams; the octets lie in @room. Returns: number of
 * datagrams, SOCK_UDP_BATCH at most; 0: none, or the socket had an error, which is
 * cleared. */
unsigned sock_udp_recv(struct os_fd fd, struct sock_dgram out[SOCK_UDP_BATCH],
    uint8_t room[SOCK_UDP_BATCH][SOCK_UDP_LEN]);
/* sock_udp_send - send @cnt datagrams, SOCK_UDP_BATCH at most, each to its `from`.
 * Datagrams that cannot be sent are skipped. Returns: number of sent datagrams; *@err:
 * negative errno of the last skipped datagram, or 0. */
unsigned sock_udp_send(
    struct os_fd fd, const struct sock_dgram *d, unsigned cnt, int *err);

#endif
