/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of a command to a file or to the log. Tested by test/net/test_dump.py.
 *
 * Loop: the session's. */
#include "nest/cli/cli_dump.h"

#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

#include <string.h>

struct cli_dump *
cli_dump_new(const char *path, int *err)
{
	struct cli_dump *d = mem_zalloc(MEM_OTHER, sizeof(*d));

	strbuf_init(&d->text);
	strbuf_init(&d->end);
	d->began_ns = clock_now_ns();
	if (!path)
		return d;
	d->path = mem_strdup(MEM_OTHER, path);
	*err = mrt_file_open(&d->file, path);
	if (!*err)
		return d;
	cli_dump_free(d);
	return NULL;
}

void
cli_dump_line(struct cli_dump *d, unsigned code, bool last, const char *text)
{
	if (last) {
		d->ended = true;
		d->code = code;
		strbuf_adds(&d->end, text);
		if (!*text || code >= CLI_FAILED)
			return;
	}
	strbuf_adds(&d->text, text);
	strbuf_addc(&d->text, '\n');
}

/* dump_to_log - a log has no tabs. */
static void
dump_to_log(struct strbuf *b)
{
	char *p = b->s, *end;

	for (; p < b->s + b->len; p = end + 1) {
		end = strchr(p, '\n');
		*end = 0;
		for (char *tab = p; (tab = strchr(tab, '\t'));)
			*tab = ' ';
		log_msg(LOG_C_DEBUG, "%s", p);
	}
}

/* dump_write_text - write the collected lines, unless an error closed the file. */
static void
dump_write_text(struct cli_dump *d)
{
	if (!d->text.len)
		return;
	d->octets += d->text.len;
	if (!d->path)
		dump_to_log(&d->text);
	else if (!d->err)
		d->err = mrt_file_write(
		    &d->file, (const uint8_t *)d->text.s, d->text.len);
	strbuf_reset(&d->text);
}

bool
cli_dump_write(struct cli_dump *d, unsigned *code, struct strbuf *said)
{
	uint64_t took_ns;
	int rc;

	dump_write_text(d);
	if (!d->ended)
		return false;
	*code = d->code;
	if (d->code >= CLI_FAILED) {
		strbuf_add(said, d->end.s, d->end.len);
		return true;
	}
	*code = CLI_DONE;
	if (!d->path)
		return true;
	rc = mrt_file_close(&d->file, false);
	d->err = d->err ? d->err : rc;
	took_ns = clock_now_ns() - d->began_ns;
	*code = d->err ? CLI_FAILED : CLI_STATUS;
	if (d->err)
		strbuf_addf(said, "Dump failed: %s: %s", d->path, strerror(-d->err));
	else
		strbuf_addf(said, "Dumped %llu bytes in %llu.%06u s",
		    (unsigned long long)d->octets,
		    (unsigned long long)(took_ns / NS_PER_S),
		    (unsigned)(took_ns % NS_PER_S / 1000));
	return true;
}

void
cli_dump_free(TAKE struct cli_dump *d)
{
	if (!d)
		return;
	mrt_file_close(&d->file, true);
	strbuf_fini(&d->text);
	strbuf_fini(&d->end);
	mem_free(MEM_OTHER, d->path);
	mem_free(MEM_OTHER, d);
}
