/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system's random numbers: the only door of the floors below sysdep to them. Loop:
 * any thread; no state. */
#ifndef TERN_LIB_CRYPTO_ENTROPY_H
#define TERN_LIB_CRYPTO_ENTROPY_H

#include "lib/base/base.h"

/* entropy_u64 - a number that nobody outside can guess. Any thread. */
uint64_t entropy_u64(void);

#endif
