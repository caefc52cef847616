/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of log lines for clients besides the sinks: `echo` of the control socket.
 *
 * A tap holds a bounded number of octets. Lines that find the tap full are dropped and
 * counted, so no log line waits for a reader. Any thread; a tap has one taker. */
#ifndef TERN_SYSDEP_LOG_LOG_TAP_H
#define TERN_SYSDEP_LOG_LOG_TAP_H

#include "lib/base/check.h"

struct log_tap;

/* log_tap_new - a subscriber. From now on the subscriber gets the lines of @classes (1 <<
 * enum log_class), as many as @size octets hold. */
OWNED struct log_tap *log_tap_new(uint32_t classes, size_t size);
void log_tap_free(TAKE struct log_tap *t);
/* log_tap_take - the lines since the last call: *@len octets of lines that end in NUL,
 * valid until the next call. *@lost: lines that found no room. */
const char *log_tap_take(struct log_tap *t, size_t *len, uint64_t *lost);

#endif
