/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Included first in the code under test (`-include`): blocks of memory are copied, filled
 * and compared by tsan.c, which the compiler does not instrument. */
#ifndef TERN_TEST_SIM_SUBTURNS_REDIRECT_H
#define TERN_TEST_SIM_SUBTURNS_REDIRECT_H

#include <string.h>

void *memcpy(void *to, const void *from, size_t len) __asm__("sub_memcpy");
void *memmove(void *to, const void *from, size_t len) __asm__("sub_memmove");
void *memset(void *to, int v, size_t len) __asm__("sub_memset");
int memcmp(const void *a, const void *b, size_t len) __asm__("sub_memcmp");

#endif
