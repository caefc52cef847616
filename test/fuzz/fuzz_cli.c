/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CLI frames: first octet the size of pieces, then what a daemon sends. Each line that is
 * read is one line again when it is written. */
#include "lib/base/check.h"
#include "lib/wire/cli_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_line(const struct cli_line *l)
{
	struct cli_writer w = { 0 };
	char out[CLI_LINE_MAX];
	size_t len;

	ASSERT(l->len < CLI_READ_MAX && !l->text[l->len]);
	ASSERT(l->code <= 9999);
	len = cli_put(&w, out, l->code, l->last, l->text);
	ASSERT(len && len <= CLI_LINE_MAX && out[len - 1] == '\n');
	ASSERT(memchr(out, '\n', len) == out + len - 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct cli_reader r;
	size_t piece;

	if (!len)
		return 0;
	piece = 1u + data[0];
	data++;
	len--;
	cli_reader_init(&r);
	while (len) {
		size_t want = len < piece ? len : piece, took;
		struct cli_line l;
		bool got;

		took = cli_read(&r, (const char *)data, want, &l, &got);
		ASSERT(took && took <= want && (got || took == want));
		if (got)
			check_line(&l);
		data += took;
		len -= took;
	}
	cli_reader_fini(&r);
	return 0;
}
