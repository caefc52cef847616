/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the files of a configuration in the order of the daemon's lexer: an `include`
 * at the start of a line reads files at that place, relative to the including file.
 *
 * Loop: the only thread of ternc. Tested by test/net/test_support.py. */
#include "client/conf_files.h"

#include "client/conf_scan.h"
#include "client/masks.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INCLUDE_DEPTH 8 /* as the daemon */
#define FILE_OCTETS   (1u << 30)
#define TOO_DEEP      "files are included more than 8 deep"

/* A part of a line. */
struct conf_line {
	uint32_t file;
	bool include; /* an `include` statement: no tokens for the scan */
	size_t at, len; /* in the text; @len without the line end */
};

const char *
conf_files_read_end(struct strbuf *out, const char *path, size_t max, bool *truncated)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *why = NULL;
	char block[65536];
	struct stat st;
	ssize_t n = 1;

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) < 0) {
		why = strerror(errno);
	} else if (!S_ISREG(st.st_mode)) {
		why = "not a regular file";
	} else {
		*truncated = (uint64_t)st.st_size > max;
		if (*truncated)
			lseek(fd, (off_t) - (off_t)max, SEEK_END);
		for (size_t got = 0; n > 0 && got < max; got += (size_t)n) {
			n = read(fd, block, min_u64(sizeof(block), max - got));
			if (n <= 0)
				break;
			strbuf_add(out, block, (size_t)n);
		}
		why = n < 0 ? strerror(errno) : NULL;
	}
	close(fd);
	return why;
}

static struct conf_file *
files_add(struct conf_files *f, const char *path)
{
	struct conf_file *file;

	f->file = vec_room(MEM_OTHER, f->file, &f->cap, f->cnt + 1, sizeof(*f->file));
	file = &f->file[f->cnt++];
	*file = (struct conf_file){ .path = mem_strdup(MEM_OTHER, path) };
	strbuf_init(&file->text);
	return file;
}

static void
files_line(struct conf_files *f, struct conf_line line)
{
	f->line = vec_room(
	    MEM_OTHER, f->line, &f->line_cap, f->line_cnt + 1, sizeof(*f->line));
	f->line[f->line_cnt++] = line;
	if (!line.include)
		conf_scan_learn(f->scan, f->file[line.file].text.s + line.at, line.len);
}

/* files_include_len - octets of an `include` statement at the start of the line at @p,
 * and the file name in quotes; 0: none. */
static size_t
files_include_len(const char *p, const char **name, size_t *len)
{
	const char *q = p + strspn(p, " \t");

	if (strncmp(q, "include", 7) != 0)
		return 0;
	q += 7 + strspn(q + 7, " \t");
	*name = q + 1;
	*len = *q == '"' ? strcspn(q + 1, "\"\n") : 0;
	if (*q != '"' || q[*len + 1] != '"')
		return 0;
	q += *len + 2;
	q += strspn(q, " \t");
	return *q == ';' ? (size_t)(q + 1 - p) : 0;
}

static void files_read(struct conf_files *f, const char *path, unsigned depth);

static bool
files_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* files_include - read the files of the pattern @name in alphabetical order. */
static void
files_include(
    struct conf_files *f, const char *from, const char *name, size_t len, unsigned depth)
{
	const char *slash = strrchr(from, '/');
	struct strbuf path;
	glob_t g;

	strbuf_init(&path);
	if (*name != '/' && slash)
		strbuf_add(&path, from, (size_t)(slash + 1 - from));
	strbuf_add(&path, name, len);
	if (!strpbrk(path.s, "*?[")) {
		files_read(f, path.s, depth);
	} else if (glob(path.s, GLOB_ERR | GLOB_NOESCAPE, NULL, &g) == 0) {
		for (size_t i = 0; i < g.gl_pathc; i++)
			if (!files_is_folder(g.gl_pathv[i]))
				files_read(f, g.gl_pathv[i], depth);
		globfree(&g);
	} else {
		files_add(f, path.s)->why = "no file is like the pattern";
	}
	strbuf_fini(&path);
}

/* files_read - @depth bounds the recursion. */
static void
files_read(struct conf_files *f, const char *path, unsigned depth)
{
	uint32_t nr = f->cnt;
	struct conf_file *file = files_add(f, path);
	bool truncated = false;

	if (depth > INCLUDE_DEPTH) {
		file->why = TOO_DEEP;
		f->given_up = true;
		return;
	}
	file->why = conf_files_read_end(&file->text, path, FILE_OCTETS, &truncated);
	if (truncated && !file->why)
		file->why = strerror(EFBIG);
	for (size_t at = 0; !f->file[nr].why && at < f->file[nr].text.len;) {
		const char *p = f->file[nr].text.s + at, *name;
		const char *eol = memchr(p, '\n', f->file[nr].text.len - at);
		size_t len = eol ? (size_t)(eol - p) : f->file[nr].text.len - at, n = 0;
		size_t name_len;

		if (!conf_scan_in_comment(f->scan))
			n = files_include_len(p, &name, &name_len);
		if (n) {
			files_line(f, (struct conf_line){ nr, true, at, n });
			if (!f->given_up)
				files_include(
				    f, f->file[nr].path, name, name_len, depth + 1);
		}
		files_line(f, (struct conf_line){ nr, false, at + n, len - n });
		at += len + 1;
	}
}

void
conf_files_read(struct conf_files *f, struct mask *m, const char *path)
{
	*f = (struct conf_files){ .scan = conf_scan_new(m) };
	files_read(f, path, 1);
	conf_scan_ready(f->scan);
}

void
conf_files_mask(struct conf_files *f, const struct mask *m)
{
	struct strbuf *shown = mem_alloc(MEM_OTHER, f->cnt * sizeof(*shown));

	for (uint32_t i = 0; i < f->cnt; i++)
		strbuf_init(&shown[i]);
	for (uint32_t i = 0; i < f->line_cnt; i++) {
		const struct conf_line *l = &f->line[i];
		const struct strbuf *text = &f->file[l->file].text;

		if (l->include)
			strbuf_add(&shown[l->file], text->s + l->at, l->len);
		else
			conf_scan_write(
			    f->scan, &shown[l->file], text->s + l->at, l->len);
		if (!l->include && text->s[l->at + l->len] == '\n')
			strbuf_addc(&shown[l->file], '\n');
	}
	for (uint32_t i = 0; i < f->cnt; i++) {
		strbuf_reset(&f->file[i].text);
		mask_text(m, &f->file[i].text, shown[i].s, shown[i].len);
		strbuf_fini(&shown[i]);
	}
	mem_free(MEM_OTHER, shown);
}

const char *
conf_files_log(const struct conf_files *f, unsigned i)
{
	return conf_scan_log(f->scan, i);
}

void
conf_files_fini(struct conf_files *f)
{
	while (f->cnt) {
		struct conf_file *file = &f->file[--f->cnt];

		mem_free(MEM_OTHER, file->path);
		strbuf_fini(&file->text);
	}
	mem_free(MEM_OTHER, f->file);
	mem_free(MEM_OTHER, f->line);
	conf_scan_free(f->scan);
}
