/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Veiled secrets.
 *
 * I1  The key is drawn once, by the first secret, before the page is published; no store
 *     follows.
 * I2  A digest of the key and of the secret is the nonce: secrets that differ have other
 *     streams, so two veiled forms tell nothing about each other.
 *
 * Loop: any thread. Tests: test_veil.c; test/net/test_core.py looks for secrets in the
 * memory that a core file would hold. */
#include "lib/crypto/veil.h"

#include "lib/crypto/digest.h"
#include "lib/crypto/entropy.h"
#include "lib/mem/vmem.h"
#include <pthread.h>
#include <string.h>

#define KEY 32

/* style: one key for the process; the lock is a leaf lock, taken when a secret is read or
 * used. */
static struct {
	pthread_mutex_t lock;
	uint8_t *key; /* NULL: not drawn */
} veil_state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const uint8_t *
veil_key(void)
{
	uint8_t *key;

	pthread_mutex_lock(&veil_state.lock);
	key = veil_state.key;
	if (!key) {
		key = vmem_hidden(KEY);
		for (size_t i = 0; i < KEY; i += sizeof(uint64_t)) {
			uint64_t u = entropy_u64();

			memcpy(key + i, &u, sizeof(u));
		}
		veil_state.key = key; /* I1 */
	}
	pthread_mutex_unlock(&veil_state.lock);
	return key;
}

/* veil_digest - digest the key, @kind and @len octets. */
static void
veil_digest(uint8_t out[SHA256_LEN], uint8_t kind, const void *p, size_t len)
{
	uint8_t all[KEY + 1 + VEIL_MAX];

	ASSERT(len <= VEIL_MAX);
	memcpy(all, veil_key(), KEY);
	all[KEY] = kind;
	memcpy(all + KEY + 1, p, len);
	if (!sha256_once(out, all, KEY + 1 + len))
		memset(out, 0, SHA256_LEN);
	explicit_bzero(all, sizeof(all));
}

/* veil_stream - XOR @len octets at @p with the stream of @nonce. */
static void
veil_stream(uint8_t *p, size_t len, const uint8_t nonce[VEIL_NONCE])
{
	uint8_t part[SHA256_LEN];

	for (size_t i = 0; i < len; i++) {
		if (i % SHA256_LEN == 0)
			veil_digest(
			    part, (uint8_t)(1 + i / SHA256_LEN), nonce, VEIL_NONCE);
		p[i] ^= part[i % SHA256_LEN];
	}
	explicit_bzero(part, sizeof(part));
}

void
veil_octets(uint8_t *out, const void *secret, size_t len)
{
	uint8_t nonce[SHA256_LEN];

	ASSERT(len <= VEIL_MAX);
	veil_digest(nonce, 0, secret, len); /* I2 */
	memcpy(out, nonce, VEIL_NONCE);
	memcpy(out + VEIL_NONCE, secret, len);
	veil_stream(out + VEIL_NONCE, len, out);
}

void
unveil_octets(void *out, const uint8_t *veiled, size_t len)
{
	ASSERT(len <= VEIL_MAX);
	memcpy(out, veiled + VEIL_NONCE, len);
	veil_stream(out, len, veiled);
}

void
veil_text(char *out, const char *secret, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t octet[VEIL_NONCE + VEIL_MAX];

	veil_octets(octet, secret, len);
	for (size_t i = 0; i < VEIL_NONCE + len; i++) {
		*out++ = digits[octet[i] >> 4];
		*out++ = digits[octet[i] & 15];
	}
	*out = '\0';
}

size_t
veil_text_len(const char *veiled)
{
	return strlen(veiled) / 2 - VEIL_NONCE;
}

static uint8_t
veil_digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

size_t
unveil_text(char out[VEIL_MAX + 1], const char *veiled)
{
	uint8_t octet[VEIL_NONCE + VEIL_MAX];
	size_t len = veil_text_len(veiled);

	ASSERT(len <= VEIL_MAX);
	for (size_t i = 0; i < VEIL_NONCE + len; i++)
		octet[i] = (uint8_t)(veil_digit(veiled[2 * i]) << 4 |
				     veil_digit(veiled[2 * i + 1]));
	unveil_octets(out, octet, len);
	out[len] = '\0';
	return len;
}
