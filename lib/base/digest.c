/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both digests work on blocks of 64 octets; the last one, or the last two, have a bit
 * behind the message, zeros, and the length in bits: little end first in MD5, big end
 * first in SHA-1. */
#include "lib/base/digest.h"

#define BLOCK 64

static uint32_t
rol(uint32_t v, unsigned by)
{
	return v << by | v >> (32 - by);
}

static uint32_t
get_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void
put_le32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

/* last - the end of the message, padded, into @tail, without its length. Returns: octets
 * of @tail. */
static size_t
last(uint8_t tail[2 * BLOCK], const uint8_t *p, size_t len)
{
	size_t left = len % BLOCK, n = left + 9 <= BLOCK ? BLOCK : 2 * BLOCK;

	memset(tail, 0, 2 * BLOCK);
	if (left)
		memcpy(tail, p + (len - left), left);
	tail[left] = 0x80;
	return n;
}

/* ---- MD5 ---- */

/* floor(2^32 * abs(sin(i + 1))) */
static const uint32_t md5_k[64] = {
	0xd76aa478,
	0xe8c7b756,
	0x242070db,
	0xc1bdceee,
	0xf57c0faf,
	0x4787c62a,
	0xa8304613,
	0xfd469501,
	0x698098d8,
	0x8b44f7af,
	0xffff5bb1,
	0x895cd7be,
	0x6b901122,
	0xfd987193,
	0xa679438e,
	0x49b40821,
	0xf61e2562,
	0xc040b340,
	0x265e5a51,
	0xe9b6c7aa,
	0xd62f105d,
	0x02441453,
	0xd8a1e681,
	0xe7d3fbc8,
	0x21e1cde6,
	0xc33707d6,
	0xf4d50d87,
	0x455a14ed,
	0xa9e3e905,
	0xfcefa3f8,
	0x676f02d9,
	0x8d2a4c8a,
	0xfffa3942,
	0x8771f681,
	0x6d9d6122,
	0xfde5380c,
	0xa4beea44,
	0x4bdecfa9,
	0xf6bb4b60,
	0xbebfbc70,
	0x289b7ec6,
	0xeaa127fa,
	0xd4ef3085,
	0x04881d05,
	0xd9d4d039,
	0xe6db99e5,
	0x1fa27cf8,
	0xc4ac5665,
	0xf4292244,
	0x432aff97,
	0xab9423a7,
	0xfc93a039,
	0x655b59c3,
	0x8f0ccc92,
	0xffeff47d,
	0x85845dd1,
	0x6fa87e4f,
	0xfe2ce6e0,
	0xa3014314,
	0x4e0811a1,
	0xf7537e82,
	0xbd3af235,
	0x2ad7d2bb,
	0xeb86d391,
};

static void
md5_block(uint32_t h[4], const uint8_t *p)
{
	static const uint8_t by[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 },
		{ 4, 11, 16, 23 }, { 6, 10, 15, 21 } };
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3];

	for (unsigned i = 0; i < 64; i++) {
		uint32_t f, t;
		unsigned g;

		if (i < 16) {
			f = (b & c) | (~b & d);
			g = i;
		} else if (i < 32) {
			f = (d & b) | (~d & c);
			g = (5 * i + 1) % 16;
		} else if (i < 48) {
			f = b ^ c ^ d;
			g = (3 * i + 5) % 16;
		} else {
			f = c ^ (b | ~d);
			g = 7 * i % 16;
		}
		t = d;
		d = c;
		c = b;
		b += rol(a + f + md5_k[i] + get_le32(p + 4 * g), by[i / 16][i % 4]);
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
}

void
md5(uint8_t out[MD5_LEN], const void *p, size_t len)
{
	uint32_t h[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	uint8_t tail[2 * BLOCK];
	size_t n = last(tail, p, len);

	put_le32(tail + n - 8, (uint32_t)(len << 3));
	put_le32(tail + n - 4, (uint32_t)((uint64_t)len >> 29));
	for (size_t i = 0; i + BLOCK <= len; i += BLOCK)
		md5_block(h, (const uint8_t *)p + i);
	for (size_t i = 0; i < n; i += BLOCK)
		md5_block(h, tail + i);
	for (unsigned i = 0; i < 4; i++)
		put_le32(out + 4 * i, h[i]);
}

/* ---- SHA-1 ---- */

static void
sha1_block(uint32_t h[5], const uint8_t *p)
{
	static const uint32_t k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (unsigned i = 0; i < 80; i++)
		w[i] = i < 16 ? get_be32(p + 4 * i)
			      : rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (unsigned i = 0; i < 80; i++) {
		uint32_t f = i < 20              ? (b & c) | (~b & d)
			     : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
						 : b ^ c ^ d;
		uint32_t t = rol(a, 5) + f + e + k[i / 20] + w[i];

		e = d;
		d = c;
		c = rol(b, 30);
		b = a;
		a = t;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void
sha1(uint8_t out[SHA1_LEN], const void *p, size_t len)
{
	uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	uint8_t tail[2 * BLOCK];
	size_t n = last(tail, p, len);

	put_be32(tail + n - 8, (uint32_t)((uint64_t)len >> 29));
	put_be32(tail + n - 4, (uint32_t)(len << 3));
	for (size_t i = 0; i + BLOCK <= len; i += BLOCK)
		sha1_block(h, (const uint8_t *)p + i);
	for (size_t i = 0; i < n; i += BLOCK)
		sha1_block(h, tail + i);
	for (unsigned i = 0; i < 5; i++)
		put_be32(out + 4 * i, h[i]);
}

bool
digest_same(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint8_t differs = 0;

	for (size_t i = 0; i < len; i++)
		differs |= a[i] ^ b[i];
	return !differs;
}
