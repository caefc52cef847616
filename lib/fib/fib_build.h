/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The builder of a table image: the builder holds the prefixes of one table in memory and
 * keeps a file of the format of lib/fib/fib_format.h up to date.
 *
 *      struct fib *f = fib_new(&options);
 *      fib_open(f, &(struct fib_file){ .path = "/run/tern/m.fib", .mode = 0644 }, now);
 *      fib_value_get(f, &entry, &value);       one reference of the caller
 *      fib_set(f, &prefix, value);             the builder holds its own reference
 *      fib_value_drop(f, value);
 *      fib_publish(f, now);                    readers see all changes since the last
 *      call
 *
 * G1  fib_set and fib_unset change memory only. Readers see a change after fib_publish.
 * G2  fib_publish writes only the chunks that changed prefixes touch, and chunks that
 *     compaction moves, at most FIB_COMPACT_MAX each time. fib_pack moves chunks while
 *     nothing changes.
 * G3  If fib_publish fails, readers keep the routes of an earlier generation for each
 *     block of addresses, the builder keeps all changes, and the next call tries again.
 * G4  Without a file the builder takes changes all the same. fib_open publishes the whole
 *     table with the first fib_publish; readers never see a part of the table.
 *
 * Loop: one thread owns a builder; no call blocks except for the file system. */
#ifndef TERN_LIB_FIB_FIB_BUILD_H
#define TERN_LIB_FIB_FIB_BUILD_H

#include "lib/fib/fib_format.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

struct fib;

#define FIB_COMPACT_MAX 64

/* What an image holds. Owner: the caller. Life: the call. */
struct fib_options {
	enum family family;
	uint32_t fields; /* FIB_WITH_*; next hops are always part of the image */
	const char *table; /* the name of the table, for the header; copied */
	uint64_t max_octets; /* of chunks; 0: 256 MiB of a sparse file */
	uint32_t max_keys; /* of a chunk of IPv6, at most FIB_KEYS_MAX; 0: as many */
};

/* The facts of a route that an image can hold. The builder ignores facts whose field is
 * not in fib_options.fields. Owner: the caller. Life: by value; the arrays live during
 * the call (of fib_value_entry: until the next call of a function of the builder). */
struct fib_entry {
	enum fib_hop_kind hop_kind; /* not FIB_HOP_NONE */
	struct ip_addr next_hop; /* IP_NONE: none */
	uint32_t ifindex; /* 0: none */
	uint32_t origin_as; /* 0: none */
	uint32_t peer_as; /* 0: none */
	enum fib_rpki rpki;
	uint16_t community_cnt, large_cnt;
	const uint32_t *community; /* host order */
	const uint32_t *large; /* 3 words each */
};

/* fib_new - an empty builder without a file. */
OWNED struct fib *fib_new(const struct fib_options *o);
/* fib_free - free the builder; the file stays, see fib_close. */
void fib_free(TAKE struct fib *f);

/* ---- values: interned entries ---- */

/* fib_value_get - find or make the value of @e and take a reference for the caller. A
 * value is an answer as FIB_ANSWER packs it: never 0, stable while a reference exists.
 * Returns: 0; -ENOSPC: too many different next hops (65,535), origins (1,048,575) or
 * attribute sets (1,048,575, or 96 MiB); *value is then 0, and no reference was taken. */
MUST_CHECK int fib_value_get(struct fib *f, const struct fib_entry *e, uint64_t *value);
/* fib_value_fetch - begin to fetch the memory that fib_value_get of @e reads: step 0 to
 * step 2. A caller with several entries calls each step for all of them. */
#define FIB_VALUE_FETCHES 3u
void fib_value_fetch(struct fib *f, const struct fib_entry *e, unsigned step);
/* fib_value_drop - give back a reference of fib_value_get. */
void fib_value_drop(struct fib *f, uint64_t value);
/* fib_value_entry - the entry of a value with a reference. */
void fib_value_entry(const struct fib *f, uint64_t value, struct fib_entry *out);

/* ---- prefixes ---- */

/* fib_set - the route of @p is @value, which has a reference; the builder takes another
 * reference. A former value of @p loses its reference. @p: of the builder's family, host
 * bits zero. Cost: about 50 ns. Changes wait until 32 have come or another call needs
 * them: the builder fetches the memory for all of them at the same time. */
void fib_set(struct fib *f, const struct prefix *p, uint64_t value);
/* fib_unset - remove @p, if the builder holds @p. */
void fib_unset(struct fib *f, const struct prefix *p);
/* fib_get - the value of exactly @p; 0: none. No reference is taken. */
uint64_t fib_get(struct fib *f, const struct prefix *p);
/* fib_dirty - number of blocks that the next fib_publish examines; 0: nothing changed. */
uint32_t fib_dirty(struct fib *f);

/* ---- the file ---- */

/* What fib_open found under the name. */
enum fib_found {
	FIB_FOUND_NONE, /* no file */
	FIB_FOUND_LEFT, /* an image that another writer left; the generations continue */
	FIB_FOUND_DAMAGED /* an image with a wrong header or length; is replaced, too */
};

/* The file of an image. Owner: the caller. Life: the call; @path is copied. */
struct fib_file {
	const char *path;
	unsigned mode; /* permissions, for example 0644 */
	enum fib_found found; /* result of fib_open */
};

/* fib_open - become the writer of the file. The builder writes a new file beside @path
 * and holds a lock (flock) on the file; the first fib_publish gives the file its name and
 * marks a former image as replaced. @now_ns: CLOCK_REALTIME.
 * Returns: 0; -EBUSY: another process or builder writes the file; -EEXIST: @path is a
 * file of another kind, which stays untouched; another negative errno of the system. */
MUST_CHECK int fib_open(struct fib *f, struct fib_file *file, uint64_t now_ns);
/* fib_publish - show all changes to readers.
 * Returns: 0 (also if nothing changed); -ENOSPC: the disk or the address range of the
 * file is full, see G3; -EFBIG: former attribute sets fill their part of the file: call
 * fib_close, then fib_open; -ENOENT: as fib_beat says; -EBADF: no file is open; another
 * negative errno of the system. */
MUST_CHECK int fib_publish(struct fib *f, uint64_t now_ns);
/* fib_packs - true: many holes lie between chunks, and fib_pack may fill holes. */
bool fib_packs(const struct fib *f);
/* fib_pack - one step of compaction: a publication that moves up to FIB_COMPACT_MAX
 * chunks, without a change of routes. Some steps move nothing, because holes wait for
 * readers; the steps end when fib_packs is false. Returns: as fib_publish. */
MUST_CHECK int fib_pack(struct fib *f, uint64_t now_ns);
/* fib_rebuild - the next fib_publish writes all chunks anew. */
void fib_rebuild(struct fib *f);
/* fib_beat - store the heartbeat and check the file; call once each second.
 * Returns: 0; -ENOENT: the file was removed, cut off or overwritten, or another file has
 * its name (call fib_close, then fib_open); -EBADF: no file is open. */
MUST_CHECK int fib_beat(struct fib *f, uint64_t now_ns);
/* fib_close - stop writing: unmap and unlock the file. Readers keep the last image.
 * @remove: remove the file and mark the image as replaced. */
void fib_close(struct fib *f, bool remove);

/* ---- numbers ---- */

/* Numbers for `show protocols all`. Owner: the caller. Life: by value. */
struct fib_stat {
	uint64_t generation;
	uint64_t prefix_cnt, chunk_cnt;
	uint32_t hop_cnt, origin_cnt, attr_cnt;
	uint64_t image_octets; /* slots, direct answers and chunks, with holes */
	uint64_t side_octets; /* next hops, origins, attributes */
	uint64_t idle_octets; /* holes between chunks */
	uint32_t holes; /* fragments: number of holes */
	uint64_t waiting_octets; /* freed chunks that a reader may still read */
	uint64_t builder_octets; /* memory of the builder */
	uint64_t published; /* publications with changes */
	uint64_t rebuilt; /* publications that wrote all chunks */
	uint64_t chunks_written, octets_written;
	uint64_t chunks_moved; /* by compaction */
	uint64_t failed; /* publications that failed */
	uint64_t last_ns; /* CLOCK_REALTIME of the last publication */
};

/* fib_stat - the numbers of now. */
void fib_stat(struct fib *f, struct fib_stat *out);

#endif
