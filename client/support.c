/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The support bundle: replies of the daemon, versions, configuration and logs in a tar
 * file.
 *
 * I1  The file appears under its name when the file is complete, and replaces no file.
 * I2  No part has the value of a secret: the configuration is read, and its secrets are
 *     known, before any part is written. Files of `password file` are not read.
 * I3  A daemon that does not answer costs one wait: the client asks no further command.
 *
 * Loop: the only thread of ternc. Tested by test/net/test_support.py. */
#include "client/support.h"

#include "client/conf_files.h"
#include "client/masks.h"
#include "client/session.h"
#include "client/tar.h"
#include "lib/base/secret.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef TERN_VERSION
#define TERN_VERSION "unknown"
#endif

#define SUPPORT_FOLDER "tern-support/"
#define SUPPORT_TAIL   ".tar"
#define ANSWER_MS      30000 /* longest pause within a reply */
#define LOG_LINES      1000
#define LOG_OCTETS     (64u << 20) /* of the end of a log */
#define LOG_MARK       "==== the newest line is above ====\n" /* of a log of fixed size */
#define OS_OCTETS      65536
#define BASE_MAX       60 /* octets of a file's own name in the name of a part */

struct part {
	char name[TAR_NAME_MAX + 1 - sizeof(SUPPORT_FOLDER)];
	char *source; /* MEM_OTHER */
	struct strbuf text;
	char *why; /* the bundle lacks the part, and why; else NULL. MEM_OTHER */
};

/* Owner: support_run. Life: on the stack. */
struct bundle {
	struct session *s;
	struct mask *mask;
	struct part *part;
	uint32_t cnt, cap;
	char *conf, *folder; /* paths that the daemon reported; MEM_OTHER, or NULL */
};

/* part_add - a new part with the name as printf makes it. */
static PRINTF_LIKE(3, 4) struct part *part_add(
    struct bundle *b, const char *source, const char *fmt, ...)
{
	struct part *p;
	va_list ap;

	b->part = vec_room(MEM_OTHER, b->part, &b->cap, b->cnt + 1, sizeof(*b->part));
	p = &b->part[b->cnt++];
	*p = (struct part){ .source = mem_strdup(MEM_OTHER, source) };
	strbuf_init(&p->text);
	va_start(ap, fmt);
	vsnprintf(p->name, sizeof(p->name), fmt, ap);
	va_end(ap);
	return p;
}

static void
support_part_lacks(struct part *p, const char *why)
{
	mem_free(MEM_OTHER, p->why);
	p->why = mem_strdup(MEM_OTHER, why);
}

/* support_part_base - the last word of @path, with `_` in place of unusual octets. */
static const char *
support_part_base(char *to, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = 0;

	for (path = slash ? slash + 1 : path; *path && n < BASE_MAX; path++)
		to[n++] = *path > ' ' && *path <= '~' && !strchr("*?[]\\\"'", *path)
			      ? *path
			      : '_';
	to[n] = 0;
	return to;
}

static void
support_bundle_fini(struct bundle *b)
{
	while (b->cnt) {
		struct part *p = &b->part[--b->cnt];

		strbuf_fini(&p->text);
		mem_free(MEM_OTHER, p->source);
		mem_free(MEM_OTHER, p->why);
	}
	mem_free(MEM_OTHER, b->part);
	mem_free(MEM_OTHER, b->conf);
	mem_free(MEM_OTHER, b->folder);
	mask_free(b->mask);
}

/* --- The daemon --- */

static bool
support_put(void *self, const char *line)
{
	(void)self;
	(void)line;
	return true;
}

static bool
support_wait(void *self, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int rc;

	(void)self;
	do
		rc = poll(&p, 1, ANSWER_MS);
	while (rc < 0 && errno == EINTR);
	return rc > 0;
}

/* support_json_member - the value of the first member `"key":"value"` in @text. Returns:
 * MEM_OTHER, or NULL. */
static OWNED char *
support_json_member(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	struct strbuf b;

	if (!p)
		return NULL;
	strbuf_init(&b);
	for (p += strlen(key); *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
		strbuf_addc(&b, *p);
	}
	return strbuf_take(&b);
}

/* support_ask - add the reply to @command. @why: the connection is lost, and why; else
 * NULL. */
static void
support_ask(struct bundle *b, const char *command, const char *name, const char **why)
{
	struct part *p = part_add(b, command, "%s", name);
	int rc = 0;

	if (!*why) {
		rc = session_collect(b->s, &p->text, command);
		if (rc == -EINTR)
			*why = "the daemon does not answer";
		else if (rc)
			*why = strerror(-rc);
	}
	if (*why)
		support_part_lacks(p, *why);
	else if (b->s->last_code >= CLI_FAILED && b->s->last_code != CLI_UNHEALTHY)
		support_part_lacks(p, p->text.s);
	if (p->why) /* a reason is one line */
		p->why[strcspn(p->why, "\n")] = 0;
}

static void
support_ask_all(struct bundle *b)
{
	static const struct {
		const char *command, *name;
	} ask[] = { { "show status", "status" }, { "show health", "health" },
		{ "show protocols all", "protocols" }, { "show members", "members" },
		{ "show memory", "memory" }, { "show threads", "threads" } };
	const char *why = NULL;
	char command[64], name[32];

	b->s->io = (struct session_io){ .put = support_put, .wait = support_wait };
	b->s->json = true; /* no banner */
	if (session_open(b->s) < 0)
		why = "no connection to the daemon";
	for (unsigned i = 0; i < ARRAY_LEN(ask); i++) {
		snprintf(name, sizeof(name), "%s.txt", ask[i].name);
		support_ask(b, ask[i].command, name, &why);
		snprintf(command, sizeof(command), "json %s", ask[i].command);
		snprintf(name, sizeof(name), "%s.json", ask[i].name);
		support_ask(b, command, name, &why);
	}
	session_close(b->s);
	b->conf = support_json_member(b->part[1].text.s, "\"configuration_file\":\"");
	b->folder = support_json_member(b->part[1].text.s, "\"working_folder\":\"");
}

/* --- The machine --- */

static void
support_versions(struct bundle *b)
{
	struct part *p = part_add(b, "ternc, uname and /etc/os-release", "versions.txt");
	struct utsname u;
	bool truncated;

	strbuf_adds(&p->text, "ternc (tern " TERN_VERSION ")\n");
	if (uname(&u) == 0)
		strbuf_addf(&p->text, "%s %s %s %s\n", u.sysname, u.release, u.version,
		    u.machine);
	(void)conf_files_read_end(&p->text, "/etc/os-release", OS_OCTETS, &truncated);
}

static void
support_conf(struct bundle *b, struct conf_files *f)
{
	char base[BASE_MAX + 1];

	for (uint32_t i = 0; i < f->cnt; i++) {
		struct conf_file *file = &f->file[i];
		struct part *p = part_add(b, file->path, "configuration/%03u-%s", i + 1,
		    support_part_base(base, file->path));

		if (file->why)
			support_part_lacks(p, file->why);
		else
			strbuf_add(&p->text, file->text.s, file->text.len);
	}
}

/* support_log_start - the start of the last LOG_LINES lines of @text. @truncated: the
 * first line lacks its beginning and does not count. */
static const char *
support_log_start(const struct strbuf *text, bool truncated)
{
	const char *p = text->s + text->len, *eol;

	if (text->len && p[-1] == '\n')
		p--;
	for (unsigned cnt = 0; cnt < LOG_LINES; cnt++) {
		eol = memrchr(text->s, '\n', (size_t)(p - text->s));
		if (!eol && !truncated)
			return text->s;
		if (!eol)
			break;
		p = eol;
	}
	return *p == '\n' ? p + 1 : p;
}

/* support_log_tail - append the last lines of @text to @out. A line ends behind the word
 * of an option with a secret: the daemon may have had other secrets than the file has. */
static void
support_log_tail(struct strbuf *out, const struct strbuf *text, bool truncated)
{
	const char *end = text->s + text->len, *eol, *word;

	for (const char *p = support_log_start(text, truncated); p < end; p = eol + 1) {
		eol = memchr(p, '\n', (size_t)(end - p));
		if (!eol)
			eol = end;
		word = secret_end(p, (size_t)(eol - p));
		strbuf_add(out, p, (size_t)((word ? word : eol) - p));
		if (word && word < eol)
			strbuf_adds(out, " " SECRET_MASK);
		strbuf_addc(out, '\n');
	}
}

/* support_log_order - the lines of a log of fixed size in the order of time: the oldest
 * line stands behind the mark, and behind the rest of a line that the mark has
 * overwritten. */
static void
support_log_order(struct strbuf *text)
{
	char *mark = memmem(text->s, text->len, LOG_MARK, strlen(LOG_MARK));
	struct strbuf b;
	size_t at;

	if (!mark)
		return;
	at = (size_t)(mark - text->s) + strlen(LOG_MARK);
	while (at < text->len && text->s[at++] != '\n')
		;
	strbuf_init(&b);
	strbuf_add(&b, text->s + at, text->len - at);
	strbuf_add(&b, text->s, (size_t)(mark - text->s));
	strbuf_fini(text);
	*text = b;
}

static void
support_log(struct bundle *b, unsigned nr, const char *path)
{
	struct strbuf whole, text;
	char base[BASE_MAX + 1];
	const char *why;
	struct part *p;
	bool truncated;

	strbuf_init(&whole);
	strbuf_init(&text);
	if (*path != '/' && b->folder)
		strbuf_addf(&whole, "%s/", b->folder);
	strbuf_adds(&whole, path);
	p = part_add(b, whole.s, "logs/%03u-%s", nr, support_part_base(base, path));
	why = conf_files_read_end(&text, whole.s, LOG_OCTETS, &truncated);
	support_log_order(&text);
	if (why)
		support_part_lacks(p, why);
	else
		support_log_tail(&p->text, &text, truncated);
	strbuf_fini(&text);
	strbuf_fini(&whole);
}

/* support_logs - a file with several statements `log` is one part. */
static void
support_logs(struct bundle *b, const struct conf_files *f)
{
	const char *path;
	unsigned nr = 0;

	for (unsigned i = 0; (path = conf_files_log(f, i)); i++) {
		unsigned k = 0;

		while (strcmp(conf_files_log(f, k), path) != 0)
			k++;
		if (k == i)
			support_log(b, ++nr, path);
	}
}

/* --- The file --- */

/* support_mask - I2. */
static void
support_mask(struct bundle *b)
{
	for (uint32_t i = 0; i < b->cnt; i++) {
		struct strbuf masked;

		strbuf_init(&masked);
		mask_text(b->mask, &masked, b->part[i].text.s, b->part[i].text.len);
		strbuf_fini(&b->part[i].text);
		b->part[i].text = masked;
	}
}

/* support_bundle_line - a line of MANIFEST and of the output. */
static void
support_bundle_line(struct strbuf *to, const struct part *p)
{
	if (p->why)
		strbuf_addf(to, "%s: not packed: %s (%s)\n", p->name, p->why, p->source);
	else
		strbuf_addf(to, "%s: %zu octets (%s)\n", p->name, p->text.len, p->source);
}

static void
support_bundle_put(const struct bundle *b, FILE *to, const struct strbuf *manifest)
{
	uint64_t now = (uint64_t)time(NULL);
	char name[TAR_NAME_MAX + 1];

	tar_put(to, SUPPORT_FOLDER "MANIFEST", now, manifest->s, manifest->len);
	for (uint32_t i = 0; i < b->cnt; i++) {
		const struct part *p = &b->part[i];

		snprintf(name, sizeof(name), SUPPORT_FOLDER "%s", p->name);
		if (!p->why)
			tar_put(to, name, now, p->text.s, p->text.len);
	}
	tar_end(to);
}

/* support_bundle_publish - I1. A file system without RENAME_NOREPLACE leaves a short
 * time between the look and the step. */
static int
support_bundle_publish(const char *part, const char *file)
{
	struct stat st;

	if (!renameat2(AT_FDCWD, part, AT_FDCWD, file, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (!lstat(file, &st))
		return -EEXIST;
	return rename(part, file) ? -errno : 0;
}

/* support_bundle_write - write FILE.part, and rename the complete file. Returns: 0, or a
 * negative errno: no file is left. */
static int
support_bundle_write(const struct bundle *b, const char *part, const char *file,
    const struct strbuf *manifest)
{
	int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), rc = 0;
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd < 0)
		return -errno;
	if (!to) {
		rc = -errno;
		close(fd);
		goto err_write;
	}
	errno = 0;
	support_bundle_put(b, to, manifest);
	if (fflush(to) || ferror(to) || fsync(fd))
		rc = errno ? -errno : -EIO;
	if (fclose(to) && !rc)
		rc = -errno;
	if (!rc)
		rc = support_bundle_publish(part, file);
	if (!rc)
		return 0;

err_write:
	unlink(part);
	return rc;
}

/* support_bundle_finish - write the file and list the parts. Returns: exit status. */
static int
support_bundle_finish(const struct bundle *b, const char *file)
{
	struct strbuf manifest, part, lines;
	int rc;

	strbuf_init(&manifest);
	strbuf_init(&part);
	strbuf_init(&lines);
	for (uint32_t i = 0; i < b->cnt; i++)
		support_bundle_line(&lines, &b->part[i]);
	mask_text(b->mask, &manifest, lines.s, lines.len); /* I2 */
	strbuf_fini(&lines);
	strbuf_addf(&part, "%s.part", file);
	rc = support_bundle_write(b, part.s, file, &manifest);
	if (rc == -EEXIST)
		fprintf(stderr,
		    "ternc: %s or %s exists. A ternc that was killed leaves the second "
		    "file: remove the file\n",
		    file, part.s);
	else if (rc)
		fprintf(stderr, "ternc: %s: %s\n", file, strerror(-rc));
	else
		printf("%s%s: complete. The bundle has addresses, names and AS numbers: "
		       "read the files before you send the bundle.\n",
		    manifest.s, file);
	strbuf_fini(&part);
	strbuf_fini(&manifest);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

int
support_run(
    struct session *s, const char *file, const char *conf, const char *conf_default)
{
	struct bundle b = { .s = s };
	struct conf_files f;
	size_t len = strlen(file), tail = strlen(SUPPORT_TAIL);
	struct stat st;
	int rc;

	if (len <= tail || strcmp(file + len - tail, SUPPORT_TAIL) != 0) {
		fprintf(stderr,
		    "ternc: the bundle is a tar file: the name of the file ends in "
		    ".tar\n");
		return EXIT_FAILURE;
	}
	if (!lstat(file, &st)) {
		fprintf(stderr, "ternc: %s: %s\n", file, strerror(EEXIST));
		return EXIT_FAILURE;
	}
	b.mask = mask_new();
	support_ask_all(&b);
	if (!conf)
		conf = b.conf ? b.conf : conf_default;
	support_versions(&b);
	conf_files_read(&f, b.mask, conf);
	conf_files_mask(&f, b.mask);
	support_conf(&b, &f);
	support_logs(&b, &f);
	support_mask(&b);
	rc = support_bundle_finish(&b, file);
	conf_files_fini(&f);
	support_bundle_fini(&b);
	return rc;
}
