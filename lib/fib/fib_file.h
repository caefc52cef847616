/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a table image, for its writer: lock, mapping, disk blocks, name.
 *
 * The writer makes a new file PATH.new, locks the file (flock), and renames the file to
 * PATH after the first publication. The kernel releases the lock when the writer ends in
 * any way. A former image stays mapped by its readers; the writer marks the former image
 * as replaced.
 *
 * G1  A file of another kind under PATH or PATH.new stays untouched.
 * G2  Two writers never change one file.
 * G3  The writer stores only into octets whose disk blocks exist (fib_file_room), because
 *     a store without a disk block on a full disk ends the process.
 * G4  fib_file_check finds a file that another process cut off or overwrote. The writer
 *     calls fib_file_check before each series of stores: a store behind the end of a file
 *     ends the process, too.
 *
 * Loop: the owner of the builder. Calls may wait for the file system. */
#ifndef TERN_LIB_FIB_FIB_FILE_H
#define TERN_LIB_FIB_FIB_FILE_H

#include "lib/base/check.h"
#include "lib/fib/fib_format.h"

#define FIB_SET_OCTETS (128u << 20) /* of the section FIB_SET */

/* A mapped image. Owner: fib_file_map. Freed by: fib_file_unmap. */
struct fib_file_view {
	int fd; /* -1: none */
	uint8_t *base;
	uint64_t size;
	uint64_t start_id; /* as the header had when the writer mapped the file */
	bool made; /* by this writer: an image, or the begin of an image */
};

/* The file of a builder. Owner: the builder. Freed by: fib_file_stop. */
struct fib_file_map {
	/* private */
	char *path, *temp; /* NULL: no file is open */
	unsigned mode;
	struct fib_file_view now, old; /* @old: the image to replace */
	/* the layout of the new files; the header of a file may belong to another process
	 * by now */
	struct fib_section section[FIB_SECTIONS];
	uint64_t room[FIB_SECTIONS]; /* octets with disk blocks */
	bool named; /* the file has the name @path */
	bool renews; /* @old is an image of this writer */
};

/* What fib_file_start finds. Owner: the caller. Life: by value. */
struct fib_file_left {
	bool exists, damaged;
	uint64_t generation; /* of an image that is not damaged, else 0 */
};

/* fib_file_start - make, lock and map a new file beside @path. @fixed: the header without
 * sections, size and sum, which the function adds; @chunk_size: octets of FIB_CHUNK, a
 * power of two. If @m has a file already, the new file will replace that file.
 * Returns: 0, -EBUSY, -EEXIST (see fib_open), or another negative errno. */
MUST_CHECK int fib_file_start(struct fib_file_map *m, const char *path, unsigned mode,
    const struct fib_fixed *fixed, uint64_t chunk_size, struct fib_file_left *left);
/* fib_file_room - make sure that the first @octets of a section have disk blocks. */
MUST_CHECK int fib_file_room(
    struct fib_file_map *m, enum fib_section_id id, uint64_t octets);
/* fib_file_name - give the file its name, and mark the former image as replaced. No
 * effect if the file has its name. */
MUST_CHECK int fib_file_name(struct fib_file_map *m);
/* fib_file_wake - wake readers that wait for a generation. */
void fib_file_wake(struct fib_file_map *m);
/* fib_file_beat - store the heartbeat, also into the image of this writer that a new file
 * will replace. */
void fib_file_beat(struct fib_file_map *m, uint64_t now_ns);
/* fib_file_check - Returns: 0; -ENOENT: the name belongs to no file or to another file,
 * or the file was cut off or overwritten. */
MUST_CHECK int fib_file_check(const struct fib_file_map *m);
/* fib_file_stop - unmap and unlock. @remove: remove the name, and mark the image as
 * replaced. */
void fib_file_stop(struct fib_file_map *m, bool remove);

static inline bool
fib_file_is_open(const struct fib_file_map *m)
{
	return m->path != NULL;
}

static inline struct fib_header *
fib_file_header(const struct fib_file_map *m)
{
	return (struct fib_header *)(void *)m->now.base;
}

static inline void *
fib_file_section(const struct fib_file_map *m, enum fib_section_id id)
{
	return m->now.base + m->section[id].offset;
}

#endif
