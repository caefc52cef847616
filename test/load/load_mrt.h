/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded updates in MRT format (RFC 6396, BGP4MP), taken apart by peer. */
#ifndef TERN_TEST_LOAD_MRT_H
#define TERN_TEST_LOAD_MRT_H

#include "lib/net/ip.h"

/* A peer that sent at least one UPDATE. */
struct load_mrt_peer {
	struct ip_addr addr;
	uint32_t as;
	bool as4; /* its messages have 4-octet AS numbers */
	uint8_t families; /* 1 << enum family, of what it announced */
};

struct mrt_message {
	uint32_t peer;
	uint32_t len;
	const uint8_t *p; /* header included; MSG_SLACK octets behind it are readable */
};

/* owner: caller; lives: until mrt_file_fini. */
struct mrt_file {
	struct load_mrt_peer *peer;
	struct mrt_message *message; /* UPDATEs in the order of the file */
	uint32_t peer_cnt, message_cnt;
	/* private */
	uint32_t peer_cap, message_cap;
	uint8_t *data;
	size_t len;
};

/* mrt_file_read - @path may end in .gz. Returns: 0, or negative errno after saying why on
 * stderr; then nothing is in @f. */
int mrt_file_read(struct mrt_file *f, const char *path);
void mrt_file_fini(struct mrt_file *f);

#endif
