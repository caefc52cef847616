/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that a channel didn't let in: how they are remembered (channel_rejects.c). */
#ifndef TERN_NEST_CHANNEL_REJECTS_PRIV_H
#define TERN_NEST_CHANNEL_REJECTS_PRIV_H

#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"

struct attr_edit;
struct channel;

/* channel_note_refused - the import filter has just refused these nets. @e: what it left;
 * NULL: it looked at nothing. channel_note_dropped - a check has, for the reason @why,
 * which @what tells more about (or NULL).
 * channel_forget_refused - they are withdrawn. channel_clear_refused - all are. */
void channel_note_refused(
    struct channel *ch, const struct attr_edit *e, const uint8_t *nlri, uint32_t len);
void channel_note_dropped(struct channel *ch, enum reason why, const char *what,
    const uint8_t *nlri, uint32_t len);
/* channel_note_kept_out - a limit keeps the net out of the table. channel_forget_kept_out
 * - it doesn't any more; @n NULL: of no net does it. The table's thread. */
void channel_note_kept_out(
    struct channel *ch, enum reason why, const struct nlri *n, uint32_t rid);
void channel_forget_kept_out(struct channel *ch, const struct nlri *n, uint32_t rid);
void channel_forget_refused(struct channel *ch, const uint8_t *nlri, uint32_t len);
void channel_clear_refused(struct channel *ch);

#endif
