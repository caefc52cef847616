/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of nets and of paths in a table: dense, so that what is kept of them are
 * bitmaps and arrays. */
#ifndef TERN_NEST_IDS_H
#define TERN_NEST_IDS_H

#define NET_ID_BITS 24 /* in the hash's entries; of paths as well */
#define NET_ID_MAX  ((1u << NET_ID_BITS) - 2)

/* Neighbouring ids, of which one cut is made (nest/rib/stream/cut.h). */
#define CHUNK_ORDER 12
#define CHUNK_NETS  (1u << CHUNK_ORDER)
#define CHUNK_MAX   (1u << (NET_ID_BITS - CHUNK_ORDER))

#endif
