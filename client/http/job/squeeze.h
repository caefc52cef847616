/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers compressed with gzip (RFC 1952) while the answers are made. Loop: the only
 * thread of ternhttp.
 *
 * G1  Memory: about 40 kB for each answer, with a window of 4 kB. */
#ifndef TERN_CLIENT_HTTP_JOB_SQUEEZE_H
#define TERN_CLIENT_HTTP_JOB_SQUEEZE_H

#include "lib/base/check.h"

struct squeeze;

/* squeeze_new - Returns: NULL: no memory. */
OWNED struct squeeze *squeeze_new(void);
void squeeze_free(TAKE struct squeeze *s);
/* squeeze_more - compress the @len octets at @from. @last: no further octets follow.
 * *@taken: octets of @from that are done. Returns: octets in @to, up to @max; 0: all of
 * @from is taken, and with @last the end was returned before. */
size_t squeeze_more(struct squeeze *s, const char *from, size_t len, bool last,
    size_t *taken, char *to, size_t max);
/* squeeze_wanted - does the header Accept-Encoding @accept permit gzip? */
bool squeeze_wanted(const char *accept);

#endif
