/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Protocol bfd: is the path to a neighbour there (RFC 5880 to 5883)? Loop: the
 * instance's. */
#ifndef TERN_PROTO_BFD_BFD_H
#define TERN_PROTO_BFD_BFD_H

#include "nest/channel/proto.h"

extern const struct proto_class bfd_proto_class;

#endif
