/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol mrt` that loads a file: the peers of a dump become sources of the instance's
 * channels. A thread of its own reads the file (sysdep/os/side.h), so no loop waits for a
 * disk; what it has read comes through a socket, which is read while the tables take
 * routes. Owner: the instance's worker. */
#ifndef TERN_PROTO_MRT_LOAD_H
#define TERN_PROTO_MRT_LOAD_H

#include "lib/base/htab.h"
#include "nest/channel/import/many_peers.h"
#include "sysdep/loop/sock_tcp.h"

struct proto;

struct mrt_load {
	struct proto *p;
	struct many_peers to;
	struct sock_tcp sock; /* to the thread that reads */
	char *file; /* its name. MEM_PROTO */
	bool on; /* told to be up */
	bool begun; /* the thread has said how it went with the file */
	bool ended; /* all that it has sent was read */
	uint64_t size,
	    got; /* octets: of the file; that have come, with those of `size` */
	/* octets that are no whole record yet. MEM_PROTO */
	uint8_t *buf;
	uint32_t pos, len, cap; /* of buf: from pos to len */
	uint64_t record; /* counts them, from 1 */
	uint64_t routes, bad; /* of the file; those that weren't taken */
	struct htab peers; /* those that are known */
	struct mrt_load_peer **index; /* of the file's last index. MEM_PROTO */
	struct mrt_peer *index_key; /* as the file has them */
	uint32_t index_cnt;
};

/* mrt_load_make, _start, _free - in those of the class. */
struct conf_proto;
void mrt_load_make(struct mrt_load *l, struct proto *p, const struct conf_proto *cf);
void mrt_load_start(struct mrt_load *l);
void mrt_load_free(struct mrt_load *l);
/* mrt_load_begin - load file @name (copied). mrt_load_end - nothing of it is left. */
void mrt_load_begin(struct mrt_load *l, const char *name);
void mrt_load_end(struct mrt_load *l);
/* mrt_load_run - in cls->run. Returns: is there more to do now? */
bool mrt_load_run(struct mrt_load *l);

#endif
