/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 of much at a time (sha256.h): what isn't a whole block is libmd's, and all of
 * it on processors without the instructions.
 *
 * Loop: none. Tests: test_sha256.c. */
#include "lib/base/sha256.h"

#define BLOCK SHA256_BLOCK_LENGTH

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

/* FIPS 180-4, 4.2.2 */
static const uint32_t constant[64]
    __attribute__((aligned(16))) = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	    0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
	    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
	    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138,
	    0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	    0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f,
	    0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

/* has_instructions - SHA, and those of SSSE3 and SSE4.1 that are used with it. */
static bool
has_instructions(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1))
		return false;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* blocks - @cnt of them, into @state. The instructions want the words of the state as
 * (a, b, e, f) and (c, d, g, h), the first one highest. */
__attribute__((target("sha,ssse3,sse4.1"))) static void
blocks(uint32_t state[8], const uint8_t *p, size_t cnt)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)state);
	__m128i hgfe = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
	__m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
	__m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

	for (; cnt; cnt--, p += BLOCK) {
		__m128i abef_was = abef, cdgh_was = cdgh, m[4];

#pragma GCC unroll 16
		for (unsigned r = 0; r < 16; r++) {
			__m128i *w = &m[r % 4], t;

			if (r < 4) {
				t = _mm_loadu_si128(
				    (const __m128i *)(const void *)(p + 16 * r));
				*w = _mm_shuffle_epi8(t, swap);
			} else { /* from the sixteen words before it: 6.2.2, 1 */
				t = _mm_alignr_epi8(m[(r + 3) % 4], m[(r + 2) % 4], 4);
				t = _mm_add_epi32(
				    _mm_sha256msg1_epu32(*w, m[(r + 1) % 4]), t);
				*w = _mm_sha256msg2_epu32(t, m[(r + 3) % 4]);
			}
			t = _mm_add_epi32(
			    *w, _mm_load_si128(
				    (const __m128i *)(const void *)&constant[4 * r]));
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, t);
			t = _mm_shuffle_epi32(t, 0x0e);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, t);
		}
		abef = _mm_add_epi32(abef, abef_was);
		cdgh = _mm_add_epi32(cdgh, cdgh_was);
	}
	cdab = _mm_shuffle_epi32(cdgh, 0xb1);
	efgh = _mm_shuffle_epi32(abef, 0x1b);
	_mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(efgh, cdab, 0xf0));
	_mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(cdab, efgh, 8));
}

#else

static bool
has_instructions(void)
{
	return false;
}

static void
blocks(uint32_t state[8], const uint8_t *p, size_t cnt)
{
	(void)state, (void)p, (void)cnt;
}

#endif

void
sha256_update(SHA2_CTX *c, const void *from, size_t len)
{
	size_t part = c->bitcount[0] / 8 % BLOCK, head = part ? BLOCK - part : 0, cnt;
	const uint8_t *p = from;

	if (len >= head + BLOCK && has_instructions()) {
		SHA256Update(c, p, head);
		cnt = (len - head) / BLOCK;
		blocks(c->state.st32, p + head, cnt);
		c->bitcount[0] += cnt * BLOCK * 8;
		p += head + cnt * BLOCK;
		len -= head + cnt * BLOCK;
	}
	SHA256Update(c, p, len);
}
