/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol direct`: routes to the networks of this machine's interfaces. Loop: the
 * instance's. */
#ifndef TERN_PROTO_DIRECT_DIRECT_H
#define TERN_PROTO_DIRECT_DIRECT_H

#include "nest/channel/proto.h"

extern const struct proto_class direct_proto_class;

#endif
