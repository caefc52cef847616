/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the files of options, such as the file of a key. Loop: the parser's thread, which
 * may wait for the disk. */
#ifndef TERN_NEST_CONF_OPT_CONF_FILE_H
#define TERN_NEST_CONF_OPT_CONF_FILE_H

#include "filter/lang/diag.h"
#include "nest/conf/opt/conf_opt.h"

/* conf_file_path - @name as seen from the file at @at: a relative name starts in the
 * folder of the file. In the arena of the configuration. */
const char *conf_file_path(struct conf_ctx *c, struct src_pos at, const char *name);
/* conf_file_secret - read `"TEXT"` or `file "NAME"`, a file with one line, into *@out (in
 * the arena of the configuration). Errors name the file and never its content.
 * Returns: false: an error was reported. */
bool conf_file_secret(struct conf_ctx *c, struct conf_args *a, const char **out);

/* conf_file_read - append the file @path to @out, if the user who gets the messages of
 * the parser may read the file. Returns: 0, or negative errno. */
MUST_CHECK int conf_file_read(
    struct conf_ctx *c, struct strbuf *out, const char *path, size_t max);

#endif
