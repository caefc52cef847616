/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For commands that go through instances one by one: the names are noted when the command
 * begins; in each step its instance is looked up anew, since by then it may have gone, or
 * its name may be another one's. */
#ifndef TERN_NEST_CMD_NAMES_H
#define TERN_NEST_CMD_NAMES_H

#include "nest/channel/proto.h"
#include "nest/core/tern.h"

struct cmd_names {
	uint32_t pos, cnt;
	char **name;
};

/* cmd_names_init - of @v's instances those for which @wanted is true. */
void cmd_names_init(struct cmd_names *n, const struct tern_view *v,
    bool (*wanted)(const struct proto *p, const void *arg), const void *arg);
void cmd_names_fini(struct cmd_names *n);
/* cmd_names_proto - the instance at the position, under RCU; NULL: it isn't there any
 * more, or all are done. */
const struct proto *cmd_names_proto(const struct cmd_names *n, const struct tern_view *v);
/* cmd_proto_named - under RCU; NULL: there is none. */
const struct proto *cmd_proto_named(const struct tern *t, const char *name);

#endif
