/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Route distinguishers (RFC 4364, 4.2), as two words of their 8 octets. Pure functions;
 * any thread. */
#ifndef TERN_FILTER_VALUE_RD_H
#define TERN_FILTER_VALUE_RD_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"

void rd_print(struct strbuf *b, const uint32_t *rd);
/* rd_parse - "65000:1", "10.0.0.1:1", "2:65000:1". Returns: 0, -EINVAL, -ERANGE. */
MUST_CHECK int rd_parse(uint32_t *rd, const char *s);

#endif
