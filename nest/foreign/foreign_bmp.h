/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A router that reports its sessions by BMP (RFC 7854, 8671, 9069): one connection, and
 * the peers with a Peer Up. A station and ternshadow use the reader.
 *
 * Owner: the worker of the embedding object. Life: from foreign_bmp_init until
 * foreign_bmp_fini. */
#ifndef TERN_NEST_FOREIGN_FOREIGN_BMP_H
#define TERN_NEST_FOREIGN_FOREIGN_BMP_H

#include "lib/base/htab.h"
#include "lib/wire/bmp.h"
#include "nest/foreign/foreign_stream.h"
#include "nest/foreign/foreign_update.h"
#include "sysdep/os/os_fd.h"

struct foreign_bmp;

/* RIBs of a peer in BMP. */
enum foreign_rib {
	FOREIGN_IN_PRE,
	FOREIGN_IN_POST,
	FOREIGN_OUT_PRE,
	FOREIGN_OUT_POST,
	FOREIGN_LOC,
	FOREIGN_RIBS
};

/* A peer; embedded in the owner's struct. */
struct foreign_peer {
	struct htab_node node; /* of foreign_bmp.peers */
	struct bmp_peer key; /* flags and time: of the Peer Up */
	/* from the OPENs in the Peer Up; zeros if an OPEN is malformed, as in the Peer Up
	 * of a Loc-RIB */
	bool opens;
	uint32_t local_as;
	uint8_t fams; /* FAM_BIT: both sides know the family */
	uint8_t ids_in, ids_out; /* FAM_BIT: the peer sends, receives path identifiers */
};

/* Calls of the owner. Only `lost` may close @b. */
struct foreign_bmp_ops {
	/* ready - may a message be given now? */
	bool (*ready)(struct foreign_bmp *b);
	/* begin - the first message, Initiation. @tlvs: see bmp_tlv_next. */
	void (*begin)(struct foreign_bmp *b, struct rbuf *tlvs);
	/* up - @like has key and OPENs of a new peer. Returns: the owner's struct for the
	 * peer, whose node is in no table; NULL: the owner does not want the peer. */
	struct foreign_peer *(*up)(struct foreign_bmp *b, const struct foreign_peer *like,
	    const struct bmp_read *m);
	/* down - @p left the table. @m: the Peer Down; NULL: the cause was another Peer
	 * Up, or the end of the connection. */
	void (*down)(
	    struct foreign_bmp *b, TAKE struct foreign_peer *p, const struct bmp_read *m);
	/* routes - an UPDATE. @p NULL: the peer is not up. */
	void (*routes)(struct foreign_bmp *b, struct foreign_peer *p,
	    const struct bmp_read *m, const struct foreign_update *u);
	/* bad - Route Monitoring without an UPDATE. */
	void (*bad)(struct foreign_bmp *b, const struct bmp_read *m, const char *why);
	/* lost - the connection ended. The owner calls foreign_bmp_close, and keeps the
	 * memory of @b until the callback has returned. */
	void (*lost)(struct foreign_bmp *b, const char *why);
};

/* A router and its connection. Owner: the object that embeds the struct. Freed by:
 * foreign_bmp_fini. */
struct foreign_bmp {
	struct foreign_stream stream;
	struct htab peers; /* struct foreign_peer */
	bool begun; /* Initiation was received */
	uint64_t msgs;
	/* private */
	const struct foreign_bmp_ops *ops;
	const char *why; /* reason for which the last message ends the connection */
};

void foreign_bmp_init(struct foreign_bmp *b, struct worker *w,
    const struct foreign_bmp_ops *ops, TAKE struct os_fd fd);
/* foreign_bmp_close - the connection; the peers stay. */
void foreign_bmp_close(struct foreign_bmp *b);
/* foreign_bmp_drop - all peers are down. */
void foreign_bmp_drop(struct foreign_bmp *b);
/* foreign_bmp_fini - free the table. The connection is closed and all peers are down. */
void foreign_bmp_fini(struct foreign_bmp *b);
/* foreign_bmp_go_on - the owner may be ready again. */
void foreign_bmp_go_on(struct foreign_bmp *b);

struct foreign_peer *foreign_peer_find(
    const struct foreign_bmp *b, const struct bmp_peer *key);
/* foreign_peer_del - take @p out of the table. foreign_peer_move - move @p to the table
 * of another connection of the router. */
void foreign_peer_del(struct foreign_bmp *b, struct foreign_peer *p);
void foreign_peer_move(
    struct foreign_bmp *to, struct foreign_bmp *from, struct foreign_peer *p);
/* foreign_rib_of - the RIB that a header is about. */
enum foreign_rib foreign_rib_of(const struct bmp_peer *p);

#endif
