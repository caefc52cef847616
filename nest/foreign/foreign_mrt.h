/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file in MRT format, read record by record. The reader has a thread (sysdep/side.h),
 * so no loop waits for a disk; the thread sends the octets through a socket. `protocol
 * mrt { load }` and ternshadow use the reader.
 *
 * Owner: the worker of the embedding object. Life: from foreign_mrt_init until
 * foreign_mrt_fini.
 *
 * Loop: the worker of the embedding object. */
#ifndef TERN_NEST_FOREIGN_FOREIGN_MRT_H
#define TERN_NEST_FOREIGN_FOREIGN_MRT_H

#include "lib/wire/mrt.h"
#include "nest/foreign/foreign_stream.h"

struct foreign_mrt;

#define FOREIGN_MRT_UP 6 /* Established, as MRT counts states (RFC 6396, 4.4.1) */

/* A message of a peer, whole, with FOREIGN_SLACK octets behind. */
struct foreign_message {
	const uint8_t *msg;
	size_t len;
	bool as4; /* 4-octet AS numbers in AS_PATH */
	uint8_t ids; /* FAM_BIT: prefixes have path identifiers */
};

/* Calls of the owner. Only `ended` may close @f. */
struct foreign_mrt_ops {
	/* ready - may a record be given now? */
	bool (*ready)(struct foreign_mrt *f);
	/* record - before the calls about the record. May be NULL. */
	void (*record)(struct foreign_mrt *f, const struct mrt_record *rec);
	/* peer - the owner's object for a peer of a table; NULL: the owner does not want
	 * the peer, and the reader asks again at the next entry of the peer. */
	void *(*peer)(struct foreign_mrt *f, const struct mrt_peer *k);
	/* entry - a route of a table, in the form of an UPDATE; NULL: the route is
	 * malformed. */
	void (*entry)(struct foreign_mrt *f, void *peer, const struct foreign_message *m);
	/* state, message - of a session. Returns: 0, or negative: as a bad record. */
	void (*state)(struct foreign_mrt *f, const struct mrt_bgp *b);
	void (*message)(struct foreign_mrt *f, const struct mrt_bgp *b,
	    const struct foreign_message *m);
	/* wrong - a record cannot be read (-EPROTO), or a table names a peer without an
	 * index (-ENOENT). Returns: 0: go on with the next record; negative: end. */
	int (*wrong)(struct foreign_mrt *f, int err);
	/* ended - @err: from foreign_stream_ops, or from wrong. The owner closes @f. */
	void (*ended)(struct foreign_mrt *f, int err);
};

/* A file under way. Owner: the object that embeds the struct. Freed by:
 * foreign_mrt_fini. */
struct foreign_mrt {
	struct foreign_stream stream;
	uint64_t records; /* read so far */
	uint64_t size; /* octets of a file that is not followed */
	bool begun; /* the size is known, or the file is followed */
	/* private */
	const struct foreign_mrt_ops *ops;
	void **index; /* the owner's peers by the file's last index. MEM_PROTO */
	struct mrt_peer *index_key;
	uint32_t index_cnt;
	uint8_t *body; /* of one UPDATE. MEM_PROTO */
};

void foreign_mrt_init(
    struct foreign_mrt *f, struct worker *w, const struct foreign_mrt_ops *ops);
/* foreign_mrt_open - read @path. @follow: at the end of the file wait for more octets,
 * and begin again when another file has the name. @name: of the thread.
 * Returns: 0, or negative errno: the thread could not start. */
MUST_CHECK int foreign_mrt_open(
    struct foreign_mrt *f, const char *name, const char *path, bool follow);
/* foreign_mrt_error - errno of a file that cannot be read; 0: no error. @f->begun is
 * true. */
int foreign_mrt_error(const struct foreign_mrt *f);
/* foreign_mrt_is_whole - true: the file ended at its size, after a whole record. */
bool foreign_mrt_is_whole(const struct foreign_mrt *f);
void foreign_mrt_go_on(struct foreign_mrt *f);
/* foreign_mrt_forget - the owner's @peer is gone. */
void foreign_mrt_forget(struct foreign_mrt *f, const void *peer);
void foreign_mrt_close(struct foreign_mrt *f);
/* foreign_mrt_fini - forget the peers. @f is closed, and may be opened again. */
void foreign_mrt_fini(struct foreign_mrt *f);

#endif
