/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages and states of sessions as one growing file in MRT format (`mrtdump`;
 * BGP4MP_ET, RFC 6396, 4.4, 4.5).
 *
 * Sessions post records without waiting. A worker with its own thread writes the records
 * in the order of arrival. At most MRT_LOG_WAIT octets wait for the worker. While the
 * disk is slower than the sessions, further records are dropped and counted, and the log
 * has a line.
 *
 * Loop: any session posts; the file's own worker writes. */
#ifndef TERN_NEST_MRT_MRT_LOG_H
#define TERN_NEST_MRT_MRT_LOG_H

#include "lib/base/check.h"
#include "lib/wire/mrt.h"

struct mrt_log;
struct tern;

#define MRT_LOG_WAIT (16u << 20)

/* mrt_log_set - append records to @path from now on; NULL: stop. The file is opened
 * again, so a moved file is made again. Control worker. */
void mrt_log_set(struct tern *t, const char *path);
/* mrt_log_stop - end the worker. No session is left. Control worker. */
void mrt_log_stop(struct tern *t);

/* mrt_log_message, mrt_log_state - post a record of mrt_message_put or mrt_state_put with
 * the present time. No effect if no file is open. Any thread with a worker. */
void mrt_log_message(struct tern *t, const struct mrt_session *s, bool add_path,
    const uint8_t *msg, size_t len);
void mrt_log_state(
    struct tern *t, const struct mrt_session *s, unsigned old_state, unsigned new_state);

#endif
