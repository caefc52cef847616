/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of secret values, and masks in place of the values in any text. Owner: the only
 * thread of ternc. Life: from mask_new to mask_free. */
#ifndef TERN_CLIENT_MASKS_H
#define TERN_CLIENT_MASKS_H

#include "lib/base/strbuf.h"

#define MASK_MIN  4 /* octets of a value; a shorter value is no secret */
#define MASK_PART 8 /* octets of a value that mask_text also finds within a longer word */

struct mask;

OWNED struct mask *mask_new(void);
void mask_free(TAKE struct mask *m);
/* mask_add - add the value @value of @len octets; no effect below MASK_MIN octets. */
void mask_add(struct mask *m, const char *value, size_t len);
/* mask_text - append @text of @len octets to @out with SECRET_MASK in place of each
 * occurrence of a value. A value below MASK_PART octets counts as a whole word alone. */
void mask_text(const struct mask *m, struct strbuf *out, const char *text, size_t len);

#endif
