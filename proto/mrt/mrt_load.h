/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol mrt` that loads a file: the peers of a dump become sources of the instance's
 * channels. Owner: the instance's worker. Life: embedded in the instance. */
#ifndef TERN_PROTO_MRT_MRT_LOAD_H
#define TERN_PROTO_MRT_MRT_LOAD_H

#include "lib/base/htab.h"
#include "nest/channel/import/many_peers.h"
#include "nest/foreign/foreign_mrt.h"

struct proto;

/* A load of a file. Owner: the instance's worker; embedded in the instance, freed with
 * the instance. */
struct mrt_load {
	struct proto *p;
	struct many_peers to;
	struct foreign_mrt file;
	char *path; /* of the file. MEM_PROTO */
	uint64_t routes, bad; /* of the file; refused routes */
	struct htab peers; /* the known peers */
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
