/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of routes that a channel refused (channel_rejects.c). Loop: the session's; the
 * table's for routes that a limit refuses. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_REJECTS_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_REJECTS_PRIV_H

#include "nest/core/reason.h"
#include "nest/rib/nlri.h"

struct attr_edit;
struct channel;

/* channel_note_refused - the import filter refused these nets. @e: the result of the
 * filter; NULL: no filter ran. channel_note_dropped - a check refused the nets for reason
 * @why, with details @what (or NULL). channel_forget_refused - the nets were withdrawn.
 * channel_clear_refused - forget all nets. */
void channel_note_refused(
    struct channel *ch, const struct attr_edit *e, const uint8_t *nlri, uint32_t len);
/* channel_note_kept_out - a limit keeps the net out of the table. channel_forget_kept_out
 * - the limit allows the net; @n NULL: all nets. The table's thread. */
void channel_note_kept_out(
    struct channel *ch, enum reason why, const struct nlri *n, uint32_t rid);
void channel_forget_kept_out(struct channel *ch, const struct nlri *n, uint32_t rid);
void channel_forget_refused(struct channel *ch, const uint8_t *nlri, uint32_t len);
void channel_clear_refused(struct channel *ch);

#endif
