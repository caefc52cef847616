/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is also a file, so that the kernel can put the pages into the queues of
 * many sockets (sendfile) without copying.
 *
 * Blocks have PAGE_FILE_BLOCK octets. The kernel reads the octets of sendfile later, when
 * the peer's acknowledgement allows the transmission, so octets that were given to the
 * kernel must not be written again while the block is held. Returning a block drops its
 * pages. The kernel keeps pages that wait in a queue, and the next holder of the block
 * gets fresh pages of zeros.
 *
 * Which calls may run at the same time: all, in any thread. Progress: lock-free. */
#ifndef TERN_SYSDEP_OS_PAGE_FILE_H
#define TERN_SYSDEP_OS_PAGE_FILE_H

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "sysdep/os/os_fd.h"

#include <sys/types.h>

#define PAGE_FILE_BLOCK 65536u
/* blocks: 1 GB of addresses; memory is taken as it is used */
#define PAGE_FILE_CNT 16384u

/* Owner: the daemon. Life: longer than all holders of blocks. Freed by:
 * page_file_free. */
struct page_file {
	int fd;
	uint8_t *base;
	struct pub32 hint; /* word of `taken` in which a free block was last seen */
	struct pub64 taken[PAGE_FILE_CNT / 64];
};

/* page_file_new - NULL: the system has no such files; the caller uses malloc. */
OWNED struct page_file *page_file_new(void);
/* page_file_free - free the file; no block is held any more. */
void page_file_free(TAKE struct page_file *pf);
/* page_file_take - take a block of zeros, counted under @tag; NULL: all blocks are
 * taken. */
void *page_file_take(struct page_file *pf, enum mem_tag tag);
void page_file_give(struct page_file *pf, enum mem_tag tag, void *block);

/* page_file_send - [@p, @p + @len), which lies in the file, without a copy, into the
 * stream socket @fd, which doesn't block. Returns: octets that the kernel has taken, or
 * negative errno. */
MUST_CHECK ssize_t page_file_send(
    const struct page_file *pf, struct os_fd fd, const void *p, size_t len);

/* page_file_taken - octets of the blocks that are taken. Any thread. @pf may be NULL. */
size_t page_file_taken(const struct page_file *pf);

/* page_file_has - does @p lie in the file? Then its offset is @p - pf->base. @pf may be
 * NULL. */
static inline bool
page_file_has(const struct page_file *pf, const void *p)
{
	return pf && (uintptr_t)p - (uintptr_t)pf->base <
			 (size_t)PAGE_FILE_CNT * PAGE_FILE_BLOCK;
}

#endif
