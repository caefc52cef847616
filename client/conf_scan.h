/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The secrets and the log files of a configuration, found without the daemon's parser:
 * the files may have errors, and belong to any version. Owner: the only thread of ternc.
 * Life: from conf_scan_new to conf_scan_free.
 *
 * The caller passes all lines twice, both times in the order in which the daemon reads
 * the lines of all files: to conf_scan_learn, and after conf_scan_ready to
 * conf_scan_write. */
#ifndef TERN_CLIENT_CONF_SCAN_H
#define TERN_CLIENT_CONF_SCAN_H

#include "lib/base/strbuf.h"

struct conf_scan;
struct mask;

/* conf_scan_new - the values of all found secrets are added to @m, which lives longer. */
OWNED struct conf_scan *conf_scan_new(struct mask *m);
void conf_scan_free(TAKE struct conf_scan *s);
void conf_scan_learn(struct conf_scan *s, const char *line, size_t len);
/* conf_scan_in_comment - does the next line begin within a comment? */
bool conf_scan_in_comment(const struct conf_scan *s);
void conf_scan_ready(struct conf_scan *s);
/* conf_scan_write - append the line to @out with masks in place of
 * - the values of options with a secret; names of files and of constants remain,
 * - the definitions of constants with a secret,
 * - the rest of a comment behind the word of an option with a secret. */
void conf_scan_write(
    struct conf_scan *s, struct strbuf *out, const char *line, size_t len);
/* conf_scan_log - the path in statement `log` number @i, as written; NULL: no more. */
const char *conf_scan_log(const struct conf_scan *s, unsigned i);

#endif
