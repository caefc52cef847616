/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sessions are told, and their states, as one growing file in MRT format (`mrtdump`;
 * BGP4MP_ET, RFC 6396, 4.4, 4.5).
 *
 * Sessions post records and go; a worker with a thread of its own writes them, in the
 * order in which they come. No more than MRT_LOG_WAIT octets wait for it: what comes
 * while the disk is slower than that is dropped and counted, and the log says so. */
#ifndef TERN_NEST_MRT_LOG_H
#define TERN_NEST_MRT_LOG_H

#include "lib/base/check.h"
#include "lib/wire/mrt.h"

struct mrt_log;
struct tern;

#define MRT_LOG_WAIT (16u << 20)

/* mrt_log_set - what is written goes to the end of @path from now on (NULL: nowhere); the
 * file is opened anew, so that one that was moved away is made again. Control worker. */
void mrt_log_set(struct tern *t, const char *path);
/* mrt_log_stop - at the end: no session is left. Control worker. */
void mrt_log_stop(struct tern *t);
/* mrt_log_runs - is there one whose end the exit waits for? */
bool mrt_log_runs(const struct tern *t);

/* mrt_log_message, mrt_log_state - as mrt_message_put and mrt_state_put, now. No effect
 * if nothing is written. Any thread that is a worker's. */
void mrt_log_message(struct tern *t, const struct mrt_session *s, bool add_path,
    const uint8_t *msg, size_t len);
void mrt_log_state(
    struct tern *t, const struct mrt_session *s, unsigned old_state, unsigned new_state);

#endif
