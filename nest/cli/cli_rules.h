/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of a control socket: `allow "show"; deny "show protocols all";`. No state; any
 * thread. */
#ifndef TERN_NEST_CLI_CLI_RULES_H
#define TERN_NEST_CLI_CLI_RULES_H

#include "lib/base/check.h"
#include "lib/base/strbuf.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd.h"
#include "nest/conf/config.h"

enum cli_verdict {
	CLI_UNRULED, /* no rule decides: `restrict` does */
	CLI_ALLOWED, /* also a command that `restrict` denies */
	CLI_REFUSED
};

/* cli_rules_verdict - may a socket with the rules of @cf run the command @c? @args: the
 * command's scanner, at the first token behind the command's words. The rule with the
 * most words decides; of equal rules the denial. If the socket has an `allow`, commands
 * without a rule are refused, except help, quit, exit, restrict and timeformat. */
enum cli_verdict cli_rules_verdict(
    const struct conf_cli *cf, const struct cmd *c, const struct cli_scan *args);

/* cli_rules_check - does the rule @r fit a command of the @cnt lists @list? @names: of
 * the configuration. Returns: true, with the rule's words as cli_rules_verdict needs the
 * words, in @out; false: with the fault in @out. */
bool cli_rules_check(struct strbuf *out, const struct conf_cli_rule *r,
    const struct sym_table *names, const struct cmd *const *list, unsigned cnt);

#endif
