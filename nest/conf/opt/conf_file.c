/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the files that options name, such as keys, and resolves names relative to the
 * configuration file. Loop: the thread that parses. Tested by
 * test/net/test_secrets.py. */
#include "nest/conf/opt/conf_file.h"

#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/base/strbuf.h"
#include "lib/crypto/digest.h"
#include "lib/crypto/veil.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
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

const char *
conf_file_of(const struct conf_ctx *c, const void *value)
{
	const struct conf_kept *k = c->kept;

	while (k && k->value != value)
		k = k->next;
	return k ? k->path : NULL;
}

/* The content of a file. Owner: a function. Life: on the stack. */
struct file_text {
	char *s; /* MEM_CONFIG, with a NUL behind */
	size_t len;
};

/* file_read_all - read all octets of @fd, a file with @size octets. Returns: 0, or
 * negative errno; -ESTALE: the file changed meanwhile. */
static int
file_read_all(struct os_fd fd, size_t size, struct file_text *t)
{
	t->s = mem_alloc(MEM_CONFIG, size + 1);
	while (t->len <= size) {
		ssize_t n = fd_read(fd, t->s + t->len, size + 1 - t->len);

		if (n == -EPIPE) {
			t->s[t->len] = 0;
			return t->len == size ? 0 : -ESTALE;
		}
		if (n <= 0)
			return n ? (int)n : -EAGAIN;
		t->len += (size_t)n;
	}
	return -ESTALE;
}

/* file_read_whole - read the file @path, of @max octets at most, if the user who gets the
 * messages of the parser may read the file. Returns: 0, or negative errno; -ESTALE: the
 * file changed while this function read the file. */
static int
file_read_whole(struct conf_ctx *c, const char *path, size_t max, struct file_text *t)
{
	uint32_t uid = c->diag->reader_uid;
	struct os_fd fd = file_open(path, false);
	struct file_info was, now;
	int rc;

	if (uid && !os_fd_is_open(fd)) /* no word about the files of a closed folder */
		return file_closed_folder(path, uid) ? -EACCES : os_fd_error(fd);
	if (!os_fd_is_open(fd))
		return os_fd_error(fd);
	rc = uid && !file_is_open_to(fd, uid) ? -EACCES : file_look_fd(fd, &was);
	if (!rc && was.kind != FILE_REGULAR)
		rc = was.kind == FILE_FOLDER ? -EISDIR : -EINVAL;
	if (!rc && was.size > max)
		rc = -EFBIG;
	if (!rc)
		rc = file_read_all(fd, was.size, t);
	if (!rc)
		rc = file_look_fd(fd, &now);
	if (!rc && (now.size != was.size || now.changed_s != was.changed_s))
		rc = -ESTALE;
	fd_close(fd);
	return rc;
}

void *
conf_file_value(struct conf_ctx *c, struct src_pos at, const char *what, const char *name,
    size_t max, conf_file_fn fn)
{
	const char *path = conf_file_path(c, at, name);
	const struct conf_kept *old = file_find_kept(c, what, path);
	struct file_text t = { .s = NULL };
	struct conf_kept *k;
	int rc;

	if (old)
		return old->value;
	k = arena_alloc(c->arena, sizeof(*k));
	*k = (struct conf_kept){ c->kept, what, path, NULL };
	rc = file_read_whole(c, path, max, &t);
	if (rc)
		conf_error(c, at, "can't read %s: %s", path,
		    rc == -ESTALE ? "the file changed meanwhile" : strerror(-rc));
	else
		k->value = fn(c->arena, path, t.s, t.len, c->diag);
	if (!rc && c->digest)
		sha256_add(c->digest, t.s, t.len);
	mem_free(MEM_CONFIG, t.s);
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

/* file_veil - veil @text into *@out. Returns: false: the text is longer than @max. */
static bool
file_veil(struct conf_ctx *c, struct src_pos at, const char *text, size_t max,
    const char *wrong, const char **out)
{
	size_t len = strlen(text);
	char *veiled;

	if (len > max) {
		conf_error(c, at, "%s", wrong);
		return false;
	}
	veiled = arena_alloc(c->arena, VEIL_TEXT(len));
	veil_text(veiled, text, len);
	*out = veiled;
	return true;
}

bool
conf_file_secret(struct conf_args *a, size_t max, const char *wrong, const char **out)
{
	struct src_pos at = conf_arg_pos(a);
	const char *name = NULL, *path, *err;
	struct strbuf b;
	bool good;
	int rc;

	conf_arg_secret(a);
	if (!conf_arg_word(a, "file"))
		return conf_arg_string(a, &name) &&
		       file_veil(a->ctx, at, name, max, wrong, out);
	conf_ext(a->ctx, at, KNOWN_TERN, "a secret from a file");
	if (!conf_arg_string(a, &name))
		return false;
	path = conf_file_path(a->ctx, at, name);
	strbuf_init_secret(&b);
	rc = conf_file_read(a->ctx, &b, path, SECRET_FILE_MAX);
	err = rc ? strerror(-rc) : file_secret_line(&b);
	if (err)
		conf_error(a->ctx, at, "can't read a secret from %s: %s", path, err);
	good = !err && file_veil(a->ctx, at, b.s, max, wrong, out);
	strbuf_fini(&b);
	return good;
}
