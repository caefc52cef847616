/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker of an instance serves the channels of the instance, from proto_launch until
 * no thread can find the instance. Loop: the instance's; proto_launch and proto_unlisted
 * in the control worker. */
#ifndef TERN_NEST_CHANNEL_INSTANCE_PROTO_RUN_H
#define TERN_NEST_CHANNEL_INSTANCE_PROTO_RUN_H

#include "nest/channel/proto.h"
#include "sysdep/loop/loop.h"

/* proto_launch - start the worker. Control worker. The worker's rounds serve all channels
 * of the instance (channel_step, channel_export_run, channel_listen). A class calls
 * worker_again when its sink has room again, and channel_idle after some seconds without
 * routes. */
void proto_launch(struct proto *p, enum worker_class c);
/* proto_unlisted - the worker ended, and no view has the instance: free it when no thread
 * reads an old view. Control worker. */
void proto_unlisted(TAKE struct proto *p);

/* ---- for classes, in the instance's worker ---- */

/* proto_adopt_conf - take over the configuration of a RECONF: p->conf, p->cf and the
 * channels' cf become the new objects; the old reference is dropped. */
void proto_adopt_conf(struct proto *p, struct proto_cmd *cmd);

#endif
