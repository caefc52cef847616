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
/* conf_file_secret - read `"TEXT"` or `file "NAME"`, a file with one line, into *@out: a
 * text of veil_text (lib/crypto/veil.h), in the arena of the configuration. @max: octets
 * of the secret, at most VEIL_MAX; @wrong: the error of a longer secret. Errors name the
 * file and never its content. Returns: false: an error was reported. */
bool conf_file_secret(
    struct conf_args *a, size_t max, const char *wrong, const char **out);

/* conf_file_read - append the file @path to @out, if the user who gets the messages of
 * the parser may read the file. Returns: 0, or negative errno. */
MUST_CHECK int conf_file_read(
    struct conf_ctx *c, struct strbuf *out, const char *path, size_t max);
/* conf_file_of - the path of the file that conf_file_value made @value of. NULL: no
 * file. */
const char *conf_file_of(const struct conf_ctx *c, const void *value);

/* The reader of a value from @text, the content of the file @path with a NUL behind, into
 * @a. Errors go to @d, with file, line and column. Returns: NULL after an error. */
typedef void *(*conf_file_fn)(
    struct arena *a, const char *path, const char *text, size_t len, struct diag *d);

/* conf_file_value - the value that @fn reads from the file @name, named at @at for the
 * option @what; in the arena of the configuration. Options with one name and one file
 * share the value. A file that changes while the function reads the file is an error. The
 * digest of the configuration includes the file. Returns: NULL: an error was reported. */
void *conf_file_value(struct conf_ctx *c, struct src_pos at, const char *what,
    const char *name, size_t max, conf_file_fn fn);

#endif
