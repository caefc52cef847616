/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of JSON of a page of counters. No state. Loop: the only thread of
 * ternhttp. */
#ifndef TERN_CLIENT_HTTP_COUNTED_COUNTED_TEXT_H
#define TERN_CLIENT_HTTP_COUNTED_COUNTED_TEXT_H

#include "client/http/job/ask.h"
#include "lib/base/strbuf.h"

/* counted_text_add - append the lines of the reply to @ask, with the summary, out of the
 * page of @len octets at @memory. Returns: false: the page lacks the blocks, or changes
 * meanwhile; @out may have a part of the lines. */
MUST_CHECK bool counted_text_add(
    const void *memory, size_t len, enum ask ask, struct strbuf *out);

#endif
