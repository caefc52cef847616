/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The format of a table image, version 2: a file with the routes of one table of IPv4 or
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
 * F3  The writer publishes a block of 2^(bits - 16) addresses by one store of 64 bits
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
#define FIB_VERSION    2
#define FIB_BYTE_ORDER 0x01020304u
#define FIB_UNIT       8 /* octets: the unit of references to chunks */
#define FIB_GRACE      1 /* generations; see F6 */
#define FIB_STAGE_BITS 16 /* the first stage: one slot for each value of these bits */
#define FIB_SLOTS      (1u << FIB_STAGE_BITS)
/* Octets behind FIB_CHUNK: a reader that meets reused octets may read so far. */
#define FIB_TAIL      (1u << 20)
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
	FIB_SLOT, /* FIB_SLOTS words; see enum fib_kind */
	FIB_RESERVED, /* empty; direct answers in version 1 */
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
/* behind the name of a file: the file before its first publication */
#define FIB_NEW ".new"

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
	/* the sum modulo 2^64 of fib_sum() of each chunk that an address can reach (the
	 * octets that the chunk needs, see fib_chunk.h) and of fib_sum(slot number, slot)
	 * of each slot that is not 0 */
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

/* A slot, and an entry of a table, is a word of 64 bits. Bits 61 to 63 are the kind. */
enum fib_kind {
	FIB_KIND_ANSWER = 0, /* the word is the answer for the whole block; 0: no route */
	FIB_KIND_CHUNK = 1, /* struct fib_chunk */
	FIB_KIND_TABLE = 2, /* only a slot of IPv6: 256 words for the next 8 bits */
	FIB_KIND_OCTETS = 4, /* only a slot of IPv4: octets, see below */
	FIB_KIND_KEYS = 5 /* only an entry of a table: keys, see below */
};

/* Bits 0 to 27 of a reference are the unit where the chunk begins; a writer uses units
 * below 2^26. */
#define FIB_KIND_SHIFT 61
#define FIB_UNIT_MASK  0x0fffffffull
#define FIB_UNITS_MAX  (1u << 26)

/* Octets decide the bits 16 to 23 of an IPv4 address. Four parts serve 64 values each: a
 * word of 64 bits, then one octet for each run of equal answers, with the answer (at most
 * 255). A bit of the word marks the first value of each run except run 0. The run of
 * value V is the number of bits at positions 0 to V % 64. Part P begins 8 * N octets
 * after the unit, where N is the number of 5 bits at bit 32 + 8 * P of the reference. */
#define FIB_OCTETS_PART(ref, value) ((ref) >> (32 + (((value) >> 3) & 24)) & 31)
#define FIB_OCTETS_ANSWER_MAX       255u

/* Keys decide the bits 24 to 55 of an IPv6 address. The numbers of these bits form runs
 * of equal leaves. A key is the first number of a run except run 0, with bit 31
 * inverted, so that keys are signed numbers in order. CNT keys stand in order, then the
 * first key of each group of 16 keys except group 0, then the first key of each group of
 * 16 of those except group 0, and so on while a list has more than 16 keys. The leaves of
 * all runs follow, as the leaves behind a struct fib_chunk. A leaf of kind 1 refers to
 * the struct fib_chunk for the next 8 bits. Fields of the reference: */
#define FIB_KEYS_MAX         16384u /* a writer takes a struct fib_chunk for more keys */
#define FIB_KEYS_CNT(ref)    ((uint32_t)((ref) >> 28) & 0xffff)
#define FIB_KEYS_WIDTH(ref)  ((unsigned)((ref) >> 44) & 63)
#define FIB_KEYS_CHILD(ref)  ((unsigned)((ref) >> 50) & 1)
#define FIB_KEYS_HOP(ref)    ((unsigned)((ref) >> 51) & 31)
#define FIB_KEYS_ORIGIN(ref) ((unsigned)((ref) >> 56) & 31)
#define FIB_KEYS_FLIP        0x80000000u
#define FIB_KEYS_GROUP       16u
#define FIB_TABLE_OCTETS     2048u

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
