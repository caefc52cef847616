/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passwords for tests, as the product takes passwords. */
#ifndef TERN_TEST_LIB_VEILED_H
#define TERN_TEST_LIB_VEILED_H

#include "lib/crypto/veil.h"
#include <string.h>

/* veiled - the veiled form of @secret in @buf, of VEIL_TEXT octets. Returns: @buf. */
static inline const char *
veiled(char *buf, const char *secret)
{
	veil_text(buf, secret, strlen(secret));
	return buf;
}

#endif
