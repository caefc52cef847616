/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program of a shadow, for ternshadow and for previews without a daemon. Loop: the
 * thread of main. */
#ifndef TERN_PROTO_PROGRAM_SHADOW_H
#define TERN_PROTO_PROGRAM_SHADOW_H

#include "proto/program.h"

extern const struct program program_shadow;

#endif
