/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target over its corpus without libFuzzer, with any compiler.
 *
 *   fuzz_NAME FOLDER-OR-FILE...
 *
 * Each input is given as it is, cut short at each of its first lengths, and with single
 * octets turned over: corpora stay small that way, and every run tries some thousands of
 * broken inputs. The inputs are copied to the heap at their exact length, so that
 * AddressSanitizer sees reads beyond. A folder that doesn't exist is an empty corpus: the
 * target still runs on the empty input. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_MAX 70000
#define CUT_MAX   300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
replay_exact(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	if (!copy)
		abort();
	memcpy(copy, data, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static void
replay_variants(uint8_t *data, size_t len)
{
	replay_exact(data, len);
	for (size_t cut = 0; cut < len && cut < CUT_MAX; cut++)
		replay_exact(data, cut);
	for (size_t i = 0; i < len && i < CUT_MAX; i++) {
		static const uint8_t flip[] = { 0x01, 0x80, 0xff };

		for (size_t f = 0; f < sizeof(flip); f++) {
			data[i] ^= flip[f];
			replay_exact(data, len);
			data[i] ^= flip[f];
		}
	}
}

static void
replay_file(const char *path)
{
	uint8_t *data = malloc(INPUT_MAX);
	FILE *f = fopen(path, "rb");
	size_t len;

	if (!f || !data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	len = fread(data, 1, INPUT_MAX, f);
	fclose(f);
	fprintf(stderr, "%s\n", path); /* shown if it fails */
	replay_variants(data, len);
	free(data);
}

static void
replay_folder(DIR *dir, const char *path)
{
	struct dirent *e;
	char name[4096];

	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		replay_file(name);
	}
	closedir(dir);
}

int
main(int argc, char **argv)
{
	replay_exact((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);

		if (dir)
			replay_folder(dir, argv[i]);
		else if (errno == ENOTDIR)
			replay_file(argv[i]);
	}
	return 0;
}
