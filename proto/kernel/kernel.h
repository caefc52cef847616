/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol kernel`: routes of one family to and from a table of the kernel. */
#ifndef TERN_PROTO_KERNEL_KERNEL_H
#define TERN_PROTO_KERNEL_KERNEL_H

#include "nest/channel/proto.h"

extern const struct proto_class kernel_proto_class;

#endif
