/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All files of a configuration, with masks in place of secrets, and the names of the log
 * files. Owner: the only thread of ternc. Life: from conf_files_read to
 * conf_files_fini. */
#ifndef TERN_CLIENT_CONF_FILES_H
#define TERN_CLIENT_CONF_FILES_H

#include "lib/base/strbuf.h"

struct conf_line;
struct conf_scan;
struct mask;

/* owner: struct conf_files; lives: as long as the configuration. */
struct conf_file {
	char *path; /* MEM_OTHER */
	struct strbuf text; /* after conf_files_mask: without secrets */
	const char *why; /* the file is not read, and why; else NULL */
};

/* owner: the caller; lives: on the stack. */
struct conf_files {
	struct conf_file *file; /* an including file comes before the included files */
	uint32_t cnt;
	/* private */
	uint32_t cap, line_cnt, line_cap;
	struct conf_line *line; /* of all files, in the order of reading */
	struct conf_scan *scan;
	bool given_up; /* files are included too deep */
};

/* conf_files_read - read @path and the included files, as the daemon does. The values of
 * the secrets are added to @m. A file that cannot be read has a reason. */
void conf_files_read(struct conf_files *f, struct mask *m, const char *path);
/* conf_files_mask - replace the texts of all files by texts without the secrets of @m. */
void conf_files_mask(struct conf_files *f, const struct mask *m);
/* conf_files_log - the path of log file number @i, as written; NULL: no more. */
const char *conf_files_log(const struct conf_files *f, unsigned i);
void conf_files_fini(struct conf_files *f);

/* conf_files_read_end - append at most @max octets of the end of the regular file @path
 * to @out. Never waits for a pipe. @truncated: the file is longer. Returns: NULL, or why
 * not. */
const char *conf_files_read_end(
    struct strbuf *out, const char *path, size_t max, bool *truncated);

#endif
