/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `protocol static`: routes of the configuration for an IP, ROA or ASPA table. Loop: the
 * instance's. */
#ifndef TERN_PROTO_STATIC_STATIC_H
#define TERN_PROTO_STATIC_STATIC_H

#include "nest/channel/proto.h"

extern const struct conf_class static_conf_class;
extern const struct proto_class static_proto_class;

#endif
