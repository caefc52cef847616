/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of counters that other processes read: the layout, the writer's side and the
 * readers' side. The memory is a file that readers map without the right to write
 * (sysdep/os/share_page.h). lib/wire/counters.h names the kinds of blocks.
 *
 * The page is an array of words of 64 bits in the byte order of the host. The first
 * COUNT_BLOCK_WORDS words are the head (enum count_head). Blocks of COUNT_BLOCK_WORDS
 * words follow (enum count_word). Each block is a sequence lock of its own. The writer
 * writes all blocks in order, sweep after sweep.
 *
 * Which calls may run at the same time: the writer's calls of one page in one thread;
 * count_page_check, count_page_head and count_block_read in any thread of any process.
 *
 * G1  count_block_read returns the name, the texts and the values of one call of
 *     count_page_put, or of a later call.
 * G2  A block keeps its kind and its name while COUNT_HEAD_LAYOUT is unchanged. A reader
 *     that sees the same even number before the first block and after the last block has
 *     read each object once.
 * G3  No reader can delay or harm the writer, and a reader survives any content of the
 *     page: counts and texts are checked.
 * G4  COUNT_VERSION changes if the place or the meaning of a word changes. New kinds of
 *     blocks, and values or texts behind the last of a kind, keep the version.
 * Progress: the writer is wait-free. A reader tries again while the writer writes, and
 * gives up after COUNT_TRIES: the writer may have died within a write. */
#ifndef TERN_LIB_MT_COUNT_PAGE_H
#define TERN_LIB_MT_COUNT_PAGE_H

#include "lib/base/check.h"
#include "lib/mt/atomic.h"

#define COUNT_MAGIC       0x6e7265740a0d1a01ull /* as octets: 01 1a 0d 0a "tern" */
#define COUNT_VERSION     1
#define COUNT_BLOCK_WORDS 128
#define COUNT_NAME_MAX    80 /* octets of a name, including the NUL */
#define COUNT_TEXTS_MAX   384 /* octets of all texts, each with its NUL */
#define COUNT_VALUES_MAX  (COUNT_BLOCK_WORDS - COUNT_WORD_VALUES)
#define COUNT_NONE        UINT64_MAX /* a value that does not exist */
#define COUNT_TRIES       1000

/* Words of the head. The magic comes last: a page without the magic is not ready. */
enum count_head {
	COUNT_HEAD_MAGIC,
	COUNT_HEAD_VERSION,
	COUNT_HEAD_BOOT, /* another number after each start of the daemon */
	COUNT_HEAD_BLOCKS, /* blocks in use, numbered from 0 */
	COUNT_HEAD_MISSED, /* blocks of the last sweep without a place in the page */
	COUNT_HEAD_LAYOUT, /* G2; odd: a sweep changes kinds or names */
	COUNT_HEAD_SWEEP, /* number of the last whole sweep; 0: none yet */
	COUNT_HEAD_AT_NS, /* end of the last whole sweep, since 1970 */
	COUNT_HEAD_PERIOD_MS, /* from this end to the next sweep */
	COUNT_HEAD_KINDS, /* bit k: the page has all blocks of the kind k */
	COUNT_HEAD_CLOSED /* 1: the writer writes no longer */
};

/* Words of a block. */
enum count_word {
	COUNT_WORD_SEQ, /* odd: a write is under way */
	COUNT_WORD_KIND, /* 1 to 63 */
	COUNT_WORD_CNT, /* of values */
	COUNT_WORD_TEXTS, /* octets of the texts */
	COUNT_WORD_NAME, /* COUNT_NAME_MAX octets, filled with zeros */
	COUNT_WORD_TEXT = COUNT_WORD_NAME + COUNT_NAME_MAX / 8, /* COUNT_TEXTS_MAX */
	COUNT_WORD_VALUES = COUNT_WORD_TEXT + COUNT_TEXTS_MAX / 8
};

/* A block in the page. Owner: the page. Life: that of the page. */
struct count_block {
	struct pub64 word[COUNT_BLOCK_WORDS];
};

/* The writer's view of a page. Owner: the writer. Life: as the memory. */
struct count_page {
	/* private */
	struct count_block *block; /* [0] is the head */
	uint32_t cap; /* blocks without the head */
	uint32_t next; /* of this sweep */
	uint32_t missed; /* of this sweep */
	bool moves; /* COUNT_HEAD_LAYOUT is odd */
};

/* The content of a block. Owner: the writer or the reader. Life: by value. */
struct count_copy {
	uint64_t kind;
	uint32_t cnt; /* of values */
	uint32_t texts; /* octets of `text` */
	char name[COUNT_NAME_MAX];
	char text[COUNT_TEXTS_MAX]; /* texts, each with its NUL */
	uint64_t value[COUNT_VALUES_MAX];
};

/* count_page_init - begin a page of @len octets of zeros at @memory. */
void count_page_init(struct count_page *p, void *memory, size_t len, uint64_t boot);
/* count_page_begin - a sweep begins; a sweep without an end counts nothing. */
void count_page_begin(struct count_page *p);
/* count_page_put - the next block of the sweep. A page that is full counts the loss. */
void count_page_put(struct count_page *p, const struct count_copy *c);
/* count_page_end - the sweep is whole at @at_ns; @kinds: bits of the kinds that the page
 * has. */
void count_page_end(
    struct count_page *p, uint64_t at_ns, uint64_t period_ms, uint64_t kinds);
/* count_page_close - the writer leaves; readers may keep their mapping. */
void count_page_close(struct count_page *p);

/* count_copy_init - the block @kind (1 to 63) of the object @name, without texts and
 * values. A longer name is shortened. */
void count_copy_init(struct count_copy *c, uint64_t kind, const char *name);
/* count_copy_text - the next text: at most @max octets of @s, whole characters of UTF-8.
 * @s NULL: an empty text. Returns: false: no room, and the text is not there. */
bool count_copy_text(struct count_copy *c, const char *s, size_t max);
/* count_copy_next - the text at *@pos, which moves behind the text; NULL: no further
 * text. *@pos begins at 0. */
const char *count_copy_next(const struct count_copy *c, uint32_t *pos);

/* count_page_check - Returns: the number of blocks in the @len octets at @memory; -1: no
 * page of this version, or not ready. */
MUST_CHECK int64_t count_page_check(const void *memory, size_t len);
/* count_page_head - a word of the head of a checked page. */
uint64_t count_page_head(const void *memory, enum count_head word);
/* count_block_kind - the kind of the block @i of a checked page, also during a write. */
uint64_t count_block_kind(const void *memory, uint32_t i);
/* count_block_read - copy the block @i of a checked page. Returns: false: the block was
 * never written, or the writer died within a write. */
MUST_CHECK bool count_block_read(struct count_copy *to, const void *memory, uint32_t i);

#endif
