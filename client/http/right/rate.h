/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bound for the requests that a client may send in a time. Pure functions: the caller
 * passes the time.
 *
 * G1  A client may send `burst` requests at once. Each further request becomes possible
 *     `per_ms` divided by `cnt` after the previous request (the generic cell rate
 *     algorithm of ATM). A refused request costs nothing.
 * G2  A client is an IPv4 address, or an IPv6 network of 64 bits, because one host may
 *     use all addresses of such a network.
 * G3  The memory is constant. A table holds RATE_CLIENTS clients. In a full row the
 *     client with the least debt gives up its place, and then has its burst again. */
#ifndef TERN_CLIENT_HTTP_RIGHT_RATE_H
#define TERN_CLIENT_HTTP_RIGHT_RATE_H

#include "lib/net/ip.h"

#define RATE_ROWS    1024 /* a power of 2 */
#define RATE_PLACES  8 /* of a row */
#define RATE_CLIENTS (RATE_ROWS * RATE_PLACES)
#define RATE_MAX     1000000 /* requests of a time, and of a burst */

/* The rule. Owner: struct setup, then the table. Life: that of the program. */
struct rate_rule {
	unsigned cnt; /* requests in `per_ms`; 0: no bound */
	unsigned burst;
	uint64_t per_ms;
};

/* Owner: struct web. Life: that of the program. */
struct rate {
	struct rate_rule rule;
	/* private */
	uint64_t seed; /* of the hash, so that no client chooses its row */
	struct {
		struct ip_addr client;
		uint64_t until_us; /* when the client has its whole burst again */
	} * place; /* RATE_CLIENTS; MEM_OTHER; NULL: no bound */
};

void rate_init(struct rate *r, const struct rate_rule *rule, uint64_t seed);
void rate_fini(struct rate *r);
/* rate_take - count a request of @client. Returns: 0; else the client has to wait so many
 * seconds, at least 1. */
MUST_CHECK unsigned rate_take(struct rate *r, struct ip_addr client, uint64_t now_ms);

#endif
