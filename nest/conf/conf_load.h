/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From texts to configurations and to filters in commands. */
#ifndef TERN_NEST_CONF_LOAD_H
#define TERN_NEST_CONF_LOAD_H

#include "filter/filter.h"
#include "lib/base/check.h"
#include "lib/base/strbuf.h"
#include "nest/conf/config.h"

struct diag;

/* config_parse - read, check and compile the file at @path and all that it includes.
 * @d: errors and warnings (also filled with warnings on success).
 * Returns: NULL if there was an error. Blocks: reads files; takes long for large ones. */
OWNED struct config *config_parse(
    const char *path, const struct conf_env *env, struct diag *d);

/* ---- expressions of the CLI ---- */

enum cli_expr_kind {
	CLI_EXPR_WHERE, /* "COND ..." after `where` */
	CLI_EXPR_FILTER, /* "NAME ..." or "{ ... } ..." after `filter` */
	CLI_EXPR_EVAL /* "EXPR" after `eval` */
};

/* A filter compiled from a command. lives: until cli_expr_free; the configuration must
 * outlive it. */
struct cli_expr;

/* cli_expr_parse - compile the start of @text; *@used: octets that belong to it. What
 * follows (further words of the command) is the caller's. Returns: NULL on an error, its
 * text in @err. */
OWNED struct cli_expr *cli_expr_parse(const struct config *c, enum cli_expr_kind kind,
    const char *text, size_t *used, struct strbuf *err);
const struct filter *cli_expr_filter(const struct cli_expr *x);
/* cli_expr_eval - the value of an EVAL as text in @out. @env: who hears what it prints;
 * may be NULL. Returns: 0, or -EINVAL (run-time error; its text in @out). */
MUST_CHECK int cli_expr_eval(const struct cli_expr *x, struct filter_thread *t,
    const struct filter_env *env, struct strbuf *out);
/* cli_expr_prefixes - the value of an EVAL that is a set of prefixes; it lives as @x and
 * the configuration. Returns: NULL: it isn't one, or a run-time error; @err says. */
const struct fset *cli_expr_prefixes(
    const struct cli_expr *x, struct filter_thread *t, struct strbuf *err);
void cli_expr_free(TAKE struct cli_expr *x);

#endif
