/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of our own code, and the marks on parameters and results (CONTRIBUTING.md, 4
 * and 5).
 *
 * ASSERT is on in every build: cheap tests of what only a bug can break. DCHECK is on in
 * debug builds: it may walk a whole structure. No input from outside may reach either.
 *
 * Macros only; any thread. */
#ifndef TERN_LIB_BASE_CHECK_H
#define TERN_LIB_BASE_CHECK_H

#include "lib/base/base.h"

/* the callee owns the argument from the call on, on an error as well */
#define TAKE
#define OWNED      /* the caller owns the result */
#define MUST_CHECK __attribute__((warn_unused_result))

/* check_failed - say what failed and abort. */
__attribute__((noreturn, cold)) void check_failed(
    const char *file, int line, const char *what);

#define ASSERT(x) (likely(x) ? (void)0 : check_failed(__FILE__, __LINE__, #x))

#ifdef TERN_DEBUG
#define DCHECK(x) ASSERT(x)
#else
#define DCHECK(x) ((void)sizeof(!(x)))
#endif

#endif
