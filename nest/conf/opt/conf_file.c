/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the files that options name, such as keys, and resolves names relative to the
 * configuration file. Loop: the thread that parses. Tested by
 * test/net/test_secrets.py. */
#include "nest/conf/opt/conf_file.h"

#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "sysdep/os/fd.h"
#include "sysdep/os/file.h"
#include "sysdep/os/file_replace.h"
#include "sysdep/os/os_fd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SECRET_FILE_MAX 1024u

const char *
conf_file_path(struct conf_ctx *c, struct src_pos at, const char *name)
{
	const char *slash = at.file ? strrchr(at.file, '/') : NULL, *path;
	struct strbuf b;

	strbuf_init(&b);
	if (*name != '/' && slash)
		strbuf_add(&b, at.file, (size_t)(slash + 1 - at.file));
	strbuf_adds(&b, name);
	path = arena_strdup(c->arena, b.s);
	strbuf_fini(&b);
	return path;
}

int
conf_file_read(struct conf_ctx *c, struct strbuf *out, const char *path, size_t max)
{
	uint32_t uid = c->diag->reader_uid;
	char by_fd[FD_PATH_MAX];
	struct os_fd fd;
	int rc;

	if (!uid)
		return file_read(out, path, max);
	fd = file_open(path, false);
	if (!os_fd_is_open(fd)) /* no word about the files of a closed folder */
		return file_closed_folder(path, uid) ? -EACCES : os_fd_error(fd);
	/* by the descriptor: the name may lead to another file by now */
	fd_path(fd, by_fd);
	rc = file_is_open_to(fd, uid) ? file_read(out, by_fd, max) : -EACCES;
	fd_close(fd);
	return rc;
}

/* A value read from a file. Owner: the parser. Freed by: the arena of the
 * configuration. */
struct conf_kept {
	const struct conf_kept *next;
	const char *what, *path;
	void *value;
};

static const struct conf_kept *
file_find_kept(const struct conf_ctx *c, const char *what, const char *path)
{
	const struct conf_kept *k = c->kept;

	while (k && (strcmp(k->what, what) != 0 || strcmp(k->path, path) != 0))
		k = k->next;
	return k;
}

void *
conf_file_value(struct conf_ctx *c, struct src_pos at, const char *what, const char *name,
    size_t max, conf_file_fn fn)
{
	const char *path = conf_file_path(c, at, name);
	const struct conf_kept *old = file_find_kept(c, what, path);
	struct conf_kept *k;
	struct strbuf text;
	int rc;

	if (old)
		return old->value;
	k = arena_alloc(c->arena, sizeof(*k));
	*k = (struct conf_kept){ c->kept, what, path, NULL };
	strbuf_init(&text);
	rc = conf_file_read(c, &text, path, max);
	if (rc)
		conf_error(c, at, "can't read %s: %s", path, strerror(-rc));
	else
		k->value = fn(c->arena, path, text.s, text.len, c->diag);
	strbuf_fini(&text);
	c->kept = k;
	return k->value;
}

/* file_secret_line - drop the line end. Returns: NULL, or the error in the file. */
static const char *
file_secret_line(struct strbuf *b)
{
	if (b->len && b->s[b->len - 1] == '\n')
		strbuf_truncate(b, b->len - 1);
	if (b->len && b->s[b->len - 1] == '\r')
		strbuf_truncate(b, b->len - 1);
	if (!b->len)
		return "the file is empty";
	if (memchr(b->s, '\n', b->len))
		return "the file has more than one line";
	return memchr(b->s, 0, b->len) ? "the file has a NUL octet" : NULL;
}

bool
conf_file_secret(struct conf_ctx *c, struct conf_args *a, const char **out)
{
	struct src_pos at = conf_arg_pos(a);
	const char *name, *path, *wrong;
	struct strbuf b;
	int rc;

	conf_arg_secret(c, a);
	if (!conf_arg_word(a, "file"))
		return conf_arg_string(c, a, out);
	conf_ext(c, at, KNOWN_TERN, "a secret from a file");
	if (!conf_arg_string(c, a, &name))
		return false;
	path = conf_file_path(c, at, name);
	strbuf_init(&b);
	rc = conf_file_read(c, &b, path, SECRET_FILE_MAX);
	wrong = rc ? strerror(-rc) : file_secret_line(&b);
	if (wrong)
		conf_error(c, at, "can't read a secret from %s: %s", path, wrong);
	else
		*out = arena_strdup(c->arena, b.s);
	explicit_bzero(b.s, b.len);
	strbuf_fini(&b);
	return !wrong;
}
