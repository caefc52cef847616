/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol device`: options for the interface worker. Loop: the instance's. */
#ifndef TERN_PROTO_DEVICE_DEVICE_H
#define TERN_PROTO_DEVICE_DEVICE_H

#include "nest/channel/proto.h"

extern const struct proto_class device_proto_class;

#endif
