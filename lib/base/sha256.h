/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4) of much at a time. It is libmd's, whose context it works on; whole
 * blocks are hashed by the processor's own instructions where it has some. */
#ifndef TERN_LIB_BASE_SHA256_H
#define TERN_LIB_BASE_SHA256_H

#include "lib/base/check.h"

#include <sha2.h>

/* sha256_update - as SHA256Update, which may be called before and after it. */
void sha256_update(SHA2_CTX *c, const void *p, size_t len);

#endif
