/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UPDATEs of the sessions of another router, reported by BMP, MRT files or members of a
 * live server. The reader accepts all attributes, including attributes of internal
 * sessions, and AS paths of any length: the other router has judged the UPDATE.
 *
 * Loop: the owner's. */
#ifndef TERN_NEST_FOREIGN_FOREIGN_UPDATE_H
#define TERN_NEST_FOREIGN_FOREIGN_UPDATE_H

#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_update_dec.h"

/* octets that can be read behind an UPDATE */
#define FOREIGN_SLACK 32

/* The body of an UPDATE, with FOREIGN_SLACK octets behind the body. Owner: the caller.
 * Life: by value, for a call. */
struct foreign_update {
	const uint8_t *body;
	size_t len;
	bool as4; /* 4-octet AS numbers in AS_PATH */
	uint8_t ids; /* FAM_BIT: prefixes have path identifiers */
};

/* Owner: the object that embeds the reader; zeroed at first. Life: embedded, until
 * foreign_reader_fini. */
struct foreign_reader {
	/* private: attributes of the last UPDATE. MEM_PROTO */
	uint8_t *blob;
	size_t blob_cap;
};

/* foreign_update_read - *@out points into @u and @r until the next call.
 * Returns: BGP_OK, or the worst fault. With RESET *@out is undefined; with a lesser fault
 * *@out has what RFC 7606 leaves of the UPDATE. */
struct bgp_err foreign_update_read(
    struct foreign_reader *r, const struct foreign_update *u, struct bgp_update *out);
/* foreign_update_of - fill @u from the message @msg of @len octets. Returns: false: @msg
 * is no UPDATE, or the length in its header differs. */
bool foreign_update_of(struct foreign_update *u, const uint8_t *msg, size_t len);
void foreign_reader_fini(struct foreign_reader *r);

#endif
