/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol kernel`: export routes of one family to a table of the kernel, and learn
 * routes from that table. Loop: the instance's. */
#ifndef TERN_PROTO_KERNEL_KERNEL_H
#define TERN_PROTO_KERNEL_KERNEL_H

#include "nest/channel/proto.h"

extern const struct proto_class kernel_proto_class;

#endif
