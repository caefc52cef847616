/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that parse the block `cli` with the options of a control socket. Loop: the
 * thread that parses. */
#ifndef TERN_NEST_CONF_OPT_TOP_CONF_CLI_H
#define TERN_NEST_CONF_OPT_TOP_CONF_CLI_H

#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

/* conf_cli_rules - read the texts of `allow` (@allow) or `deny` into @cli. */
void conf_cli_rules(struct conf_args *a, struct conf_cli *cli, bool allow);

/* conf_cli_finish - at the end of the file: check the rules of @cli by
 * conf_env.cli_rule. */
void conf_cli_finish(struct conf_ctx *c, struct conf_cli *cli);

/* conf_cli_group, conf_cli_mode - read the value of `group` or `mode` into @cli. */
void conf_cli_group(struct conf_args *a, struct conf_cli *cli);
void conf_cli_mode(struct conf_args *a, struct conf_cli *cli);
/* conf_cli_ext - note what BIRD 2.17 refuses of the option @x. */
void conf_cli_ext(struct conf_ctx *c, const struct ct_option *x);

#endif
