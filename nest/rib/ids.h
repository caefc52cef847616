/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ids of nets and of paths in a table. Ids are dense, so bitmaps and arrays are indexed
 * by id. Constants only; any thread. */
#ifndef TERN_NEST_RIB_IDS_H
#define TERN_NEST_RIB_IDS_H

#define NET_ID_BITS 24 /* bits of an id in entries of the hash; for paths too */
#define NET_ID_MAX  ((1u << NET_ID_BITS) - 2)
#define NO_ID       UINT32_MAX /* value that is no id of a net or path */

/* A chunk: CHUNK_NETS neighbouring ids. Readers share one snapshot of the nets of a chunk
 * (a cut, nest/rib/stream/cut.h). */
#define CHUNK_ORDER 12
#define CHUNK_NETS  (1u << CHUNK_ORDER)
#define CHUNK_MAX   (1u << (NET_ID_BITS - CHUNK_ORDER))

#endif
