/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker of an instance: it serves the instance's channels, from proto_launch until
 * nobody can find it. */
#ifndef TERN_NEST_PROTO_RUN_H
#define TERN_NEST_PROTO_RUN_H

#include "nest/channel/proto.h"
#include "sysdep/loop/loop.h"

/* proto_launch - start its worker. Control worker. The worker's rounds serve all channels
 * of the instance (channel_wake, channel_export_run, channel_listen). A class calls
 * worker_again when its sink has room again, and channel_idle when nothing happened for
 * some seconds. */
void proto_launch(struct proto *p, enum worker_class c);
/* proto_unlisted - its worker is gone, and no view has it any more: free it when nobody
 * reads an old one. Control worker. */
void proto_unlisted(TAKE struct proto *p);

/* ---- for classes, in the instance's worker ---- */

/* proto_adopt_conf - take over a RECONF's configuration: p->conf, p->cf and the channels'
 * cf now are the new ones; the old reference is given up. */
void proto_adopt_conf(struct proto *p, struct proto_cmd *cmd);

#endif
