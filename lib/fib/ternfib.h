/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libternfib: longest matches in a table image of tern, for any process on the host.
 *
 *      struct ternfib *t;
 *      uint64_t a;
 *      struct ternfib_hop hop;
 *      int err = ternfib_open(&t, "/run/tern/master4.fib");
 *
 *      a = ternfib_find4(t, 0xc0000201);              192.0.2.1
 *      if (a && !ternfib_hop(t, a, &hop))
 *              use(hop.addr, hop.ifindex);
 *      ternfib_poll(t);                               once in a while
 *
 * An answer is a number: 0 if no route covers the address, otherwise three indices. Equal
 * answers mean equal facts as long as ternfib_generation() is unchanged; the functions
 * ternfib_hop, ternfib_origin and ternfib_attr check that an index still has the meaning
 * that the index had at the last lookup.
 *
 * A lookup never waits, takes no lock, and writes nothing into the image. An answer
 * belongs to a generation of the table between the start and the end of the call.
 *
 * Threads: one handle serves one thread at a time; a process opens a handle for each of
 * its threads. All functions without another "Returns" return 0 or a negative errno. */
#ifndef TERNFIB_H
#define TERNFIB_H

#include <stddef.h>
#include <stdint.h>

/* C++ programs include the header, too. */
#ifdef __cplusplus
#define TERNFIB_BEGIN extern "C" {
#define TERNFIB_END   }
#else
#define TERNFIB_BEGIN
#define TERNFIB_END
#endif

#define TERNFIB_VERSION 1

TERNFIB_BEGIN

struct ternfib;

/* ---- open, follow, close ---- */

/* ternfib_open - map the image @path.
 * Returns: 0; -ENOENT: no such file; -EINVAL: no image, or a damaged image;
 * -EPROTONOSUPPORT: an image of another version of the format; -EAGAIN: the writer has
 * not finished the first publication; another negative errno. */
int ternfib_open(struct ternfib **out, const char *path);
void ternfib_close(struct ternfib *t);
/* ternfib_bits - 32: IPv4; 128: IPv6. */
unsigned ternfib_bits(const struct ternfib *t);
/* ternfib_generation - the generation of the image now; each publication adds 1. */
uint64_t ternfib_generation(const struct ternfib *t);
/* ternfib_poll - follow the writer to another file of the same name: open that file if
 * the writer replaced the image, or if the image has no writer and the name belongs to
 * another file. Costs two loads and a reading of the clock while a writer lives, and one
 * stat() in 50 ms while no writer lives. Answers that the handle made before the change
 * no longer have a meaning.
 * Returns: 0: no change; 1: the handle has the new image; negative errno: the image was
 * replaced or removed, and no new image can be opened yet; the handle keeps the former
 * image. */
int ternfib_poll(struct ternfib *t);
/* ternfib_wait - wait until the generation differs from @generation or ternfib_poll has
 * something new to report: a new image, or the loss of the image. After a ternfib_poll
 * that reported the loss, the function waits for the new image. A file that was removed
 * while no writer runs is noticed within a second. @timeout_ms: negative: no limit.
 * Returns: 0; -ETIMEDOUT; -EINTR. */
int ternfib_wait(struct ternfib *t, uint64_t generation, int timeout_ms);

/* ---- lookups ---- */

/* ternfib_find4, ternfib_find6 - the answer for one address: an IPv4 address in host
 * order, or 16 octets in network order. The image has this family. */
uint64_t ternfib_find4(struct ternfib *t, uint32_t addr);
uint64_t ternfib_find6(struct ternfib *t, const void *addr);
/* ternfib_inline4 - ternfib_find4 without a call for most addresses, for loops that look
 * up millions of addresses one by one. On x86-64 the program needs -mpopcnt or a -march
 * with that instruction, else the function calls ternfib_find4. ternfib_stat counts only
 * the calls. */
static inline uint64_t ternfib_inline4(struct ternfib *t, uint32_t addr);
/* ternfib_bulk4, ternfib_bulk6 - the answers for @cnt addresses. Several addresses are
 * looked up at the same time: 8 to 64 addresses a call cost the least. */
void ternfib_bulk4(struct ternfib *t, uint64_t *answer, const uint32_t *addr, size_t cnt);
void ternfib_bulk6(struct ternfib *t, uint64_t *answer, const void *addr, size_t cnt);

/* ternfib_hop_of, ternfib_origin_of, ternfib_attr_of - the index of the next hop (16
 * bits), of the origin AS (20 bits), of the attribute set (20 bits); 0: none. */
static inline uint32_t
ternfib_hop_of(uint64_t answer)
{
	return (uint32_t)answer & 0xffff;
}

static inline uint32_t
ternfib_origin_of(uint64_t answer)
{
	return (uint32_t)(answer >> 16) & 0xfffff;
}

static inline uint32_t
ternfib_attr_of(uint64_t answer)
{
	return (uint32_t)(answer >> 36) & 0xfffff;
}

/* ---- meaning of answers ---- */

enum ternfib_kind {
	TERNFIB_IP = 1, /* addr, and possibly ifindex */
	TERNFIB_LINK, /* ifindex only */
	TERNFIB_DROP, /* blackhole */
	TERNFIB_REJECT /* unreachable or prohibit */
};

enum ternfib_rpki {
	TERNFIB_RPKI_NONE,
	TERNFIB_RPKI_UNKNOWN,
	TERNFIB_RPKI_VALID,
	TERNFIB_RPKI_INVALID
};

/* A next hop. Owner: the caller. Life: by value. */
struct ternfib_hop {
	uint8_t addr[16]; /* network order; IPv4 as ::ffff:a.b.c.d; all zeros: none */
	uint32_t ifindex; /* 0: none */
	enum ternfib_kind kind;
};

#define TERNFIB_COMMUNITIES_MAX 256

/* An attribute set. Owner: the caller. Life: by value. */
struct ternfib_attr {
	uint32_t peer_as; /* 0: none */
	enum ternfib_rpki rpki;
	/* numbers of communities of the route; the arrays hold at most
	 * TERNFIB_COMMUNITIES_MAX */
	uint32_t community_cnt, large_cnt;
	uint32_t community[TERNFIB_COMMUNITIES_MAX];
	uint32_t large[TERNFIB_COMMUNITIES_MAX][3];
};

/* ternfib_hop, ternfib_origin, ternfib_attr - the facts of an answer of the last call of
 * a lookup function with this handle. ternfib_origin: *@asn is 0 if the image has no
 * origin for the route.
 * Returns: 0; -ENOENT: the answer has no such part; -ESTALE: the writer has used the
 * index for another object since: look the address up again. */
int ternfib_hop(const struct ternfib *t, uint64_t answer, struct ternfib_hop *out);
int ternfib_origin(const struct ternfib *t, uint64_t answer, uint32_t *asn);
int ternfib_attr(const struct ternfib *t, uint64_t answer, struct ternfib_attr *out);

/* ---- the whole image ---- */

/* A range of addresses with one answer. 16 octets in network order, IPv4 in the last 4.
 * Owner: the library. Life: the call of @each, by value. */
struct ternfib_range {
	uint8_t first[16], last[16];
	uint64_t answer;
};

/* ternfib_walk - call @each for all ranges with a route, in the order of addresses. A
 * range may be followed by a neighbour with an equal answer. The walk shows one
 * generation if the writer publishes nothing meanwhile. @each: not 0 ends the walk.
 * Returns: 0; the result of @each; -EIO: the image is damaged. */
int ternfib_walk(
    struct ternfib *t, int (*each)(void *arg, const struct ternfib_range *r), void *arg);

/* Numbers of an image. Owner: the caller. Life: by value. */
struct ternfib_stat {
	char table[64];
	uint32_t bits, fields, pid;
	uint32_t replaced; /* 1: another file has taken the place of the image */
	uint64_t start_id, generation, prefix_cnt;
	uint64_t created_ns, published_ns, heartbeat_ns; /* CLOCK_REALTIME */
	uint64_t image_octets; /* slots, direct answers, chunks with holes */
	uint64_t side_octets; /* next hops, origins, attribute sets */
	uint64_t idle_octets; /* holes */
	uint64_t lookups, repeated; /* of this handle; a bulk of n counts n */
};

void ternfib_stat(const struct ternfib *t, struct ternfib_stat *out);
/* ternfib_verify - read the whole image: all references lie inside, the tree has no
 * circle, the checksum is correct. Repeats while the writer publishes, up to 100 times.
 * Returns: 0; -EBUSY: the writer published all the time; -EIO: damaged, and *@why (a
 * static text) says how. */
int ternfib_verify(struct ternfib *t, const char **why);
/* ternfib_plain - which code the handle uses from now on, for tests and measurements.
 * @on: 1: the code without AVX2 and popcnt; 2: at most AVX2; 0: the fastest code that the
 * processor supports, as after ternfib_open. Returns: 0: plain C; 1: AVX2; 2:
 * AVX-512. */
int ternfib_plain(struct ternfib *t, int on);

/* ---- inline lookups ---- */

/* The part of a handle that ternfib_inline4 reads. A library whose images have another
 * form sets another number in @form, and the inline function calls the library. Owner:
 * the library. Life: the handle. Freed by: ternfib_close. */
struct ternfib_near {
	/* private */
	const uint64_t *slot;
	const uint8_t *chunk;
	const uint64_t *generation;
	uint64_t seen; /* a generation before the last lookup */
	uint32_t chunk_mask;
	uint32_t form; /* TERNFIB_FORM: 16 bits, then octets */
};

#define TERNFIB_FORM 2

static inline uint64_t
ternfib_inline4(struct ternfib *t, uint32_t addr)
{
	struct ternfib_near *n = (struct ternfib_near *)(void *)t;
	uint64_t slot, start;
	const uint8_t *part;

#if defined(__x86_64__) && !defined(__POPCNT__)
	return ternfib_find4(
	    t, addr); /* a function of the compiler would count the bits */
#endif
	if (n->form != TERNFIB_FORM)
		return ternfib_find4(t, addr);
	slot = __atomic_load_n(&n->slot[addr >> 16], __ATOMIC_ACQUIRE);
	if (slot >> 63) { /* octets */
		part = n->chunk + ((slot + (slot >> (32 + (addr >> 11 & 24)) & 31)) &
				      n->chunk_mask) *
				      8ull;
		__builtin_memcpy(&start, part, sizeof(start));
		slot = part[8 + __builtin_popcountll(start << (63 - (addr >> 8 & 63)))];
	} else if (slot >> 61) { /* a chunk */
		return ternfib_find4(t, addr);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(n->generation, __ATOMIC_ACQUIRE) - n->seen > 1)
		return ternfib_find4(t, addr);
	return slot;
}

TERNFIB_END
#endif
