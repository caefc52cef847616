/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of counters that other processes read: the layout, the writers' side and the
 * readers' side. The memory is a file that readers map without the right to write
 * (sysdep/os/share_page.h).
 *
 * The page is an array of words of 64 bits in the byte order of the host. The first
 * COUNT_BLOCK_WORDS words are the head (enum count_head). Blocks of COUNT_BLOCK_WORDS
 * words follow (enum count_word). A block has one writer and is a sequence lock of its
 * own.
 *
 * Which calls may run at the same time: count_page_take and count_page_give of one page
 * in one thread; count_block_write in the thread of the block's owner; count_page_check
 * and count_block_read in any thread of any process.
 *
 * G1  count_block_read returns the name and the values of one call of count_block_write,
 *     or of a later call.
 * G2  No reader can delay or harm a writer, and a reader survives any content of the
 *     page: the number of values is checked.
 * G3  COUNT_VERSION changes if the place or the meaning of a word changes. New kinds of
 *     blocks, and values behind the last value of a kind, keep the version.
 * Progress: writers are wait-free. A reader tries again while the writer writes, and
 * gives up after COUNT_TRIES: the writer may have died within a write. */
#ifndef TERN_LIB_MT_COUNT_PAGE_H
#define TERN_LIB_MT_COUNT_PAGE_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"

#define COUNT_MAGIC       0x6e7265740a0d1a01ull /* as octets: 01 1a 0d 0a "tern" */
#define COUNT_VERSION     1
#define COUNT_BLOCK_WORDS 64
#define COUNT_NAME_MAX    80 /* octets of a name, including the NUL */
#define COUNT_VALUES_MAX  (COUNT_BLOCK_WORDS - COUNT_WORD_VALUES)
#define COUNT_TRIES       1000

/* Words of the head. The magic comes last: a page without the magic is not ready. */
enum count_head {
	COUNT_HEAD_MAGIC,
	COUNT_HEAD_VERSION,
	COUNT_HEAD_BOOT, /* another number after each start of the daemon */
	COUNT_HEAD_BLOCKS, /* blocks that were in use, numbered from 0 */
	COUNT_HEAD_MISSED /* blocks that found no place in the page */
};

/* Words of a block. */
enum count_word {
	COUNT_WORD_SEQ, /* odd: a write is under way */
	COUNT_WORD_KIND, /* 0: the block is free */
	COUNT_WORD_CNT, /* of values */
	COUNT_WORD_NAME, /* COUNT_NAME_MAX octets, filled with zeros */
	COUNT_WORD_VALUES = COUNT_WORD_NAME + COUNT_NAME_MAX / 8
};

/* A block in the page. Owner: the taker. Life: from count_page_take to
 * count_page_give. */
struct count_block {
	struct pub64 word[COUNT_BLOCK_WORDS];
};

/* The writers' view of a page. Owner: the daemon. Life: longer than all blocks. */
struct count_page {
	/* private */
	struct count_block *block; /* [0] is the head */
	uint32_t cap; /* blocks without the head */
	uint32_t from; /* where the search for a free block begins */
};

/* What a reader gets. Owner: the reader. Life: by value. */
struct count_copy {
	uint64_t kind;
	uint32_t cnt; /* of values */
	char name[COUNT_NAME_MAX];
	uint64_t value[COUNT_VALUES_MAX];
};

/* count_page_init - begin a page of @len octets of zeros at @memory. */
void count_page_init(struct count_page *p, void *memory, size_t len, uint64_t boot);
/* count_page_take - a free block. Returns: NULL: all blocks are in use; the page counts
 * the loss. */
struct count_block *count_page_take(struct count_page *p);
/* count_page_give - the writer of @b writes no longer, and the block is free. */
void count_page_give(struct count_page *p, TAKE struct count_block *b);
/* count_block_write - set kind (not 0), name (shortened if too long) and @cnt values
 * (COUNT_VALUES_MAX at most). */
void count_block_write(struct count_block *b, uint64_t kind, const char *name,
    const uint64_t *value, uint32_t cnt);

/* count_page_check - Returns: the number of blocks in the @len octets at @memory, each
 * free or in use; -1: no page of this version, or not ready. */
MUST_CHECK int64_t count_page_check(const void *memory, size_t len);
/* count_page_head - a word of the head of a checked page. */
uint64_t count_page_head(const void *memory, enum count_head word);
/* count_block_read - copy the block @i of a checked page. Returns: false: the block is
 * free, or the writer died within a write. */
MUST_CHECK bool count_block_read(struct count_copy *to, const void *memory, uint32_t i);

#endif
