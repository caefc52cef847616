/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes configurations of files, and filters of the words of commands. Loop: the thread
 * that parses, for config_parse; the loop of the CLI session, for cli_expr_*. */
#ifndef TERN_NEST_CONF_CONF_LOAD_H
#define TERN_NEST_CONF_CONF_LOAD_H

#include "filter/filter.h"
#include "lib/base/check.h"
#include "lib/base/strbuf.h"
#include "nest/conf/config.h"

struct diag;

/* config_parse - read, check and compile the file at @path and all included files. @d:
 * gets errors and warnings (warnings also on success). Returns: NULL after an error.
 * Blocks: reads files; takes long for large files. */
OWNED struct config *config_parse(
    const char *path, const struct conf_env *env, struct diag *d);

/* ---- expressions of the CLI ---- */

enum cli_expr_kind {
	CLI_EXPR_WHERE, /* "COND ..." after `where` */
	CLI_EXPR_FILTER, /* "NAME ..." or "{ ... } ..." after `filter` */
	CLI_EXPR_EVAL /* "EXPR" after `eval` */
};

/* A filter compiled from a command. Owner: the command. Lives: until cli_expr_free; the
 * configuration must outlive the filter. */
struct cli_expr;

/* cli_expr_parse - compile the start of @text; *@used: octets of the expression. The
 * caller reads the command's further words. Returns: NULL after an error, with its text
 * in @err. */
OWNED struct cli_expr *cli_expr_parse(const struct config *c, enum cli_expr_kind kind,
    const char *text, size_t *used, struct strbuf *err);
const struct filter *cli_expr_filter(const struct cli_expr *x);
/* cli_expr_eval - write the value of an EVAL as text to @out. @env: hears what the
 * expression prints; may be NULL. Returns: 0, or -EINVAL (run-time error; its text in
 * @out). */
MUST_CHECK int cli_expr_eval(const struct cli_expr *x, struct filter_thread *t,
    const struct filter_env *env, struct strbuf *out);
/* cli_expr_prefixes - the value of an EVAL as a set of prefixes; the set lives as long as
 * @x and the configuration. Returns: NULL: the value is no such set, or a run-time error
 * came; @err says why. */
const struct fset *cli_expr_prefixes(
    const struct cli_expr *x, struct filter_thread *t, struct strbuf *err);
void cli_expr_free(TAKE struct cli_expr *x);

#endif
