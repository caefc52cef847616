/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The format of a table image, version 1: a file with the routes of one table of IPv4 or
 * IPv6 prefixes. One process writes the file (lib/fib/fib_build.h); any number of
 * processes map the file read-only and find the longest match of an address
 * (lib/fib/ternfib.h). doc/image.md gives the reasons for the format.
 *
 * Numbers have the byte order of the machine. Offsets of sections count octets from the
 * start of the file; references to chunks count units of FIB_UNIT octets from the start
 * of the section of chunks.
 *
 * F1  The file keeps its length for its whole life (a sparse file). A writer never
 *     truncates a file that a process may map.
 * F2  A chunk that a slot or another chunk refers to does not change.
 * F3  The writer publishes a block of 2^(bits - 16) addresses by one store of 32 bits
 *     with release order into the slot of the block. A lookup therefore sees the old or
 *     the new routes of a block, never a mixture.
 * F4  After the slots of a publication the writer stores the next generation with release
 *     order.
 * F5  Octets, values and indices that publication G no longer needs keep their content
 *     until generation G + 1 has been stored. The writer may reuse them from publication
 *     G + 2 on.
 * F6  A reader loads the generation before and after a lookup or a bulk of lookups. If
 *     the number grew by at most FIB_GRACE, the answers are correct: each answer belongs
 *     to a generation between the two numbers. Otherwise the reader repeats the lookup.
 *     A reader never waits and writes nothing.
 * F7  A reader checks the header before any other octet, limits each reference to the
 *     section of chunks, and follows at most FIB_DEPTH_MAX chunks. Octets that the writer
 *     reuses meanwhile may give a wrong answer, which F6 discards, but no access outside
 *     the mapping. */
#ifndef TERN_LIB_FIB_FIB_FORMAT_H
#define TERN_LIB_FIB_FIB_FORMAT_H

#include <stdint.h>

#define FIB_MAGIC      "TERNFIB"
#define FIB_VERSION    1
#define FIB_BYTE_ORDER 0x01020304u
#define FIB_UNIT       8 /* octets: the unit of references to chunks */
#define FIB_GRACE      1 /* generations; see F6 */
#define FIB_STAGE_BITS 16 /* the first stage: one slot for each value of these bits */
#define FIB_SLOTS      (1u << FIB_STAGE_BITS)
#define FIB_DIRECTS    (4 * FIB_SLOTS) /* room in FIB_DIRECT */
/* Octets behind FIB_CHUNK: a reader that meets reused octets may read so far. */
#define FIB_TAIL      16384u
#define FIB_STRIDE    8 /* address bits that a chunk decides */
#define FIB_DEPTH_MAX 14 /* chunks from a slot to an answer: (128 - 16) / 8 */

/* ---- answers ---- */

/* An answer is a number of 56 bits with three indices: 16 bits for the next hop, 20 bits
 * for the origin AS, 20 bits for the attribute set. Index 0 means none; a next hop of 0
 * means that no route covers the address, and the whole answer is 0. */
#define FIB_HOP_BITS    16
#define FIB_ORIGIN_BITS 20
#define FIB_ATTR_BITS   20
#define FIB_HOP_MAX     ((1u << FIB_HOP_BITS) - 1)
#define FIB_ORIGIN_MAX  ((1u << FIB_ORIGIN_BITS) - 1)
#define FIB_ATTR_MAX    ((1u << FIB_ATTR_BITS) - 1)
#define FIB_ANSWER(hop, origin, attr)                                                    \
	((uint64_t)(hop) | (uint64_t)(origin) << FIB_HOP_BITS |                          \
	    (uint64_t)(attr) << (FIB_HOP_BITS + FIB_ORIGIN_BITS))

/* ---- the header, at offset 0 ---- */

enum fib_section_id {
	FIB_SLOT, /* FIB_SLOTS words of 32 bits; see FIB_SLOT_CHUNK */
	FIB_DIRECT, /* answers (64 bits each) of slots without a chunk */
	FIB_HOP, /* struct fib_hop, by index */
	FIB_ORIGIN, /* struct fib_origin, by index */
	FIB_ATTR, /* struct fib_attr, by index */
	FIB_SET, /* struct fib_set, at the references of struct fib_attr */
	FIB_CHUNK, /* struct fib_chunk */
	FIB_SECTIONS
};

/* A section of the file. Offset and size (octets) never change; the offset is a multiple
 * of 4096. Owner: the writer. Life: the file;
 * by value in the mapping, nothing to free. */
struct fib_section {
	uint64_t offset, size;
};

/* Contents of an image besides the next hops: bits of fib_header.fields. */
#define FIB_WITH_ORIGIN      1u
#define FIB_WITH_PEER        2u
#define FIB_WITH_COMMUNITIES 4u
#define FIB_WITH_RPKI        8u

#define FIB_TABLE_NAME_MAX 64

/* The fixed part of the header. @sum is fib_sum() of all octets before @sum. Owner: the
 * writer, who writes this part once. Life: the file;
 * by value in the mapping, nothing to free. */
struct fib_fixed {
	char magic[8];
	uint32_t byte_order; /* FIB_BYTE_ORDER */
	uint32_t version; /* a reader refuses any other version */
	uint32_t header_size;
	uint32_t bits; /* 32: IPv4; 128: IPv6 */
	uint32_t stage_bits; /* FIB_STAGE_BITS */
	uint32_t stride; /* FIB_STRIDE */
	uint32_t fields; /* FIB_WITH_* */
	uint32_t pid; /* of the writer */
	uint64_t start_id; /* a random number of this file */
	uint64_t created_ns; /* CLOCK_REALTIME */
	uint64_t file_size; /* octets */
	struct fib_section section[FIB_SECTIONS];
	char table[FIB_TABLE_NAME_MAX]; /* with a NUL */
	uint64_t sum;
};

/* The words of the header that change. Each word is stored whole. Owner: the writer.
 * Life: the file;
 * by value in the mapping, nothing to free. */
struct fib_live {
	/* 0: the first publication is not complete. The numbers grow by 1 and continue in
	 * the next file of the same name. */
	_Alignas(64) uint64_t generation;
	/* the publication that the writer works on, or the generation: if the numbers
	 * stay different, the writer ended within a publication, or the last publication
	 * failed (a full disk). Then each block has the routes of one of both
	 * generations, and @content_sum has no meaning */
	uint64_t begun;
	/* not 0: another file has taken the place of this file. The image stays as it is;
	 * a reader opens the file of the same name again. */
	uint64_t replaced;
	_Alignas(64) uint64_t heartbeat_ns; /* CLOCK_REALTIME; at least each second */
	uint64_t published_ns; /* CLOCK_REALTIME of the last publication */
	uint64_t prefix_cnt; /* prefixes of the image */
	/* the sum modulo 2^64 of fib_sum() of each chunk that an address can reach and of
	 * the direct answers: a reader adds fib_sum(slot number, answer) for each slot */
	uint64_t content_sum;
	uint64_t used[FIB_SECTIONS]; /* octets up to the last one in use */
	uint64_t idle[FIB_SECTIONS]; /* octets of @used that hold nothing */
	_Alignas(64) uint32_t wake; /* low 32 bits of the generation: a futex word */
};

/* The whole header. Owner: the writer. Life: the file;
 * by value in the mapping, nothing to free. */
struct fib_header {
	struct fib_fixed fixed;
	struct fib_live live;
};

#define FIB_HEADER_SIZE 4096 /* octets before the first section */

/* ---- slots and chunks ---- */

/* A slot with this bit refers to the chunk at unit (slot & ~FIB_SLOT_CHUNK). A slot
 * without the bit gives one answer for its whole block: in an image without fields the
 * slot is the answer; otherwise the slot is the index of the answer in FIB_DIRECT, and
 * index 0 means no route. */
#define FIB_SLOT_CHUNK 0x80000000u

/* A chunk decides the next 8 bits of an address. The 256 values of these bits form runs;
 * a run is a range of values with one leaf. A bit of @start marks the first value of each
 * run except run 0. The number of the run of value V is before[V / 64] plus the number of
 * bits in start[V / 64] at positions 0 to V % 64.
 *
 * A leaf is a number of @width bits at bit (run number * @width) after the chunk, lowest
 * bit first; a reader loads 64 bits from octet (run number * @width / 8).
 *   If @child is 1, bit 0 of a leaf tells the kind, and the other bits are the content:
 *   kind 1: the content is the unit of the chunk for the next 8 bits; kind 0: the content
 *   is an answer.
 *   If @child is 0, the whole leaf is an answer.
 * An answer in a chunk is packed: @hop_width bits for the next hop, @origin_width bits
 * for the origin AS, and the rest for the attribute set.
 *
 * Owner: the writer. Life: see F5; by value in the
 * mapping, nothing to free. */
struct fib_chunk {
	uint64_t start[4];
	uint8_t before[4]; /* before[0] is 0 */
	uint8_t width; /* 1 to 57 */
	uint8_t child; /* 0 or 1 */
	uint8_t hop_width;
	uint8_t origin_width;
};

/* ---- next hops, origins, attributes ---- */

enum fib_hop_kind {
	FIB_HOP_NONE, /* the index is free */
	FIB_HOP_IP, /* @addr and possibly @ifindex */
	FIB_HOP_LINK, /* @ifindex only */
	FIB_HOP_DROP, /* blackhole */
	FIB_HOP_REJECT /* unreachable, prohibit */
};

/* A next hop. @since: the generation from which on the index has this meaning. An answer
 * of an older generation does not mean this record (fields of the same name below: the
 * same). @since 0: the writer changes the record. Owner: the writer. Life: see F5; by
 * value in the mapping, nothing to free. */
struct fib_hop {
	uint64_t since;
	uint8_t addr[16]; /* network order; IPv4 as ::ffff:a.b.c.d; all zeros: none */
	uint32_t ifindex; /* 0: none */
	uint8_t kind; /* enum fib_hop_kind */
	uint8_t zero[3];
};

/* An origin AS. Owner: the writer. Life: see F5; by value in the
 * mapping, nothing to free. */
struct fib_origin {
	uint32_t since; /* low 32 bits of a generation */
	uint32_t asn;
};

/* An attribute set: a reference to struct fib_set, in units of FIB_UNIT octets from the
 * start of FIB_SET. Owner: the writer. Life: see F5; by value in the
 * mapping, nothing to free. */
struct fib_attr {
	uint32_t since; /* low 32 bits of a generation */
	uint32_t set;
};

/* The state of a route's origin (RFC 6811). */
enum fib_rpki { FIB_RPKI_NONE, FIB_RPKI_UNKNOWN, FIB_RPKI_VALID, FIB_RPKI_INVALID };

/* An attribute set: then @community_cnt words (RFC 1997, host order), then 3 words for
 * each of @large_cnt large communities (RFC 8092). Owner: the writer. Life: see F5; by
 * value in the mapping, nothing to free. */
struct fib_set {
	uint32_t peer_as; /* 0: none */
	uint8_t rpki; /* enum fib_rpki */
	uint8_t zero[3];
	uint16_t community_cnt, large_cnt;
	uint32_t word[];
};

/* fib_sum - a checksum of 64 bits (FNV-1a, by words of 8 octets and the rest by octets).
 * Pure; any thread. */
static inline uint64_t
fib_sum(uint64_t seed, const void *p, uint64_t len)
{
	const uint8_t *at = p;
	uint64_t h = seed ^ 0xcbf29ce484222325ull;

	for (; len >= 8; len -= 8, at += 8) {
		uint64_t w;

		__builtin_memcpy(&w, at, 8);
		h = (h ^ w) * 0x100000001b3ull;
		h ^= h >> 29;
	}
	for (; len; len--, at++)
		h = (h ^ *at) * 0x100000001b3ull;
	return h ^ h >> 32;
}

#endif
