/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Veiled secrets: passwords and keys of sessions in a form that tells nothing without the
 * key of the process. The key is random, never leaves the process, and lies in memory
 * that the kernel leaves out of core files (MADV_DONTDUMP). Equal secrets have equal
 * veiled forms within a process, so a comparison of veiled forms compares secrets.
 *
 * The veiled form is a nonce and the secret under a stream of SHA-256 (FIPS 180-4); the
 * nonce is a digest of key and secret. If libcrypto does not compute SHA-256, the veiled
 * form is the secret. Any thread. */
#ifndef TERN_LIB_CRYPTO_VEIL_H
#define TERN_LIB_CRYPTO_VEIL_H

#include "lib/base/check.h"

#define VEIL_MAX   80 /* octets of a secret */
#define VEIL_NONCE 16
/* Octets of veil_text for a secret of @len octets, with the NUL. */
#define VEIL_TEXT(len) (2 * (VEIL_NONCE + (size_t)(len)) + 1)

/* veil_octets - veil @len octets, at most VEIL_MAX. @out: VEIL_NONCE + @len octets. */
void veil_octets(uint8_t *out, const void *secret, size_t len);
/* unveil_octets - write the @len octets of the secret @veiled to @out. The caller wipes
 * @out (explicit_bzero). */
void unveil_octets(void *out, const uint8_t *veiled, size_t len);
/* veil_text - veil the text @secret of @len octets, at most VEIL_MAX. @out gets
 * VEIL_TEXT(@len) octets: a text of hexadecimal digits. */
void veil_text(char *out, const char *secret, size_t len);
/* veil_text_len - octets of the secret behind a text of veil_text. */
size_t veil_text_len(const char *veiled);
/* unveil_text - write the secret behind a text of veil_text, with a NUL. The caller wipes
 * @out. Returns: octets of the secret. */
size_t unveil_text(char out[VEIL_MAX + 1], const char *veiled);

#endif
