/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of instances, for commands that visit the instances in several steps. The
 * command notes the names at the start of the command, and looks up one instance by name
 * in each step. Between two steps an instance may end, and a new instance may get the
 * name. Loop: the session's. */
#ifndef TERN_NEST_CLI_CMD_NAMES_H
#define TERN_NEST_CLI_CMD_NAMES_H

#include "nest/channel/proto.h"
#include "nest/core/tern.h"

/* The noted names. Owner: the command's job. Freed by: cmd_names_fini. */
struct cmd_names {
	uint32_t pos, cnt;
	uint32_t next; /* of the view: behind the instance that was found last */
	char **name;
};

/* cmd_names_init - note the instances of @v for which @wanted returns true. */
void cmd_names_init(struct cmd_names *n, const struct tern_view *v,
    bool (*wanted)(const struct proto *p, const void *arg), const void *arg);
void cmd_names_fini(struct cmd_names *n);
/* cmd_names_proto - the instance at the position, under RCU; NULL: the instance is gone,
 * or the end is reached. */
const struct proto *cmd_names_proto(struct cmd_names *n, const struct tern_view *v);
/* cmd_proto_named - under RCU; NULL: no such instance. */
const struct proto *cmd_proto_named(const struct tern *t, const char *name);

#endif
