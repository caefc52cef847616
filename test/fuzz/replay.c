/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target over its corpus without libFuzzer, with any compiler.
 *
 *   fuzz_NAME FOLDER-OR-FILE...
 *   fuzz_NAME -r COUNT SEED FOLDER-OR-FILE...
 *
 * Each input is given as it is, cut short at each of its first lengths, and with single
 * octets turned over: corpora stay small that way, and every run tries some thousands of
 * broken inputs. The inputs are copied to the heap at their exact length, so that
 * AddressSanitizer sees reads beyond. A folder that doesn't exist is an empty corpus: the
 * target still runs on the empty input.
 *
 * With -r, inputs are taken by lot and changed in some places, until there were COUNT of
 * them, or of what the target counts (fuzz_count). SEED 0: any; it is printed. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INPUT_MAX 70000
#define CUT_MAX   300
/* Longer inputs take long: one change of each octet in place of three. */
#define LONG_OCTETS 1000

#define KEPT_MAX   256 /* inputs */
#define PRINT_EACH 1000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
/* fuzz_count - what a target counts, if one input is much; it may have none. */
uint64_t fuzz_count(void);
__attribute__((weak)) uint64_t fuzz_count(void);

static struct {
	struct {
		uint8_t *data;
		size_t len;
	} kept[KEPT_MAX];
	unsigned cnt;
	bool keeps; /* inputs are kept, and not run */
	uint64_t lot, done;
} lots;

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
			if (len > LONG_OCTETS && f != i % sizeof(flip))
				continue;
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
	if (lots.keeps && lots.cnt < KEPT_MAX) {
		lots.kept[lots.cnt].data = data;
		lots.kept[lots.cnt++].len = len;
		return;
	}
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

static void
replay_paths(int cnt, char **path)
{
	for (int i = 0; i < cnt; i++) {
		DIR *dir = opendir(path[i]);

		if (dir)
			replay_folder(dir, path[i]);
		else if (errno == ENOTDIR)
			replay_file(path[i]);
	}
}

/* ---- by lot ---- */

/* lot - a number below @below. */
static size_t
replay_lot(size_t below)
{
	lots.lot ^= lots.lot << 13;
	lots.lot ^= lots.lot >> 7;
	lots.lot ^= lots.lot << 17;
	return below ? (size_t)((lots.lot * 0x9e3779b97f4a7c15u) >> 20) % below : 0;
}

/* splice - a piece of another input takes the place of what is at @at. Returns: the new
 * length. */
static size_t
replay_splice(uint8_t *data, size_t len, size_t at)
{
	unsigned from = (unsigned)replay_lot(lots.cnt);
	size_t begin = replay_lot(lots.kept[from].len);
	size_t piece = replay_lot(lots.kept[from].len - begin) + 1;

	if (at + piece > INPUT_MAX || begin + piece > lots.kept[from].len)
		return len;
	memcpy(data + at, lots.kept[from].data + begin, piece);
	return at + piece > len ? at + piece : len;
}

/* change - @data in one place. Returns: the new length. */
static size_t
replay_change(uint8_t *data, size_t len)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t at = replay_lot(len), piece = replay_lot(16) + 1;

	switch (replay_lot(8)) {
	case 0:
	case 1:
		data[at] ^= (uint8_t)(1u << replay_lot(8));
		return len;
	case 2:
	case 3:
		data[at] = (uint8_t)replay_lot(256);
		return len;
	case 4:
		data[at] = odd[replay_lot(sizeof(odd))];
		return len;
	case 5: /* octets go */
		if (at + piece >= len)
			return at + 1;
		memmove(data + at, data + at + piece, len - at - piece);
		return len - piece;
	case 6: /* octets come */
		if (len + piece > INPUT_MAX)
			return len;
		memmove(data + at + piece, data + at, len - at);
		for (size_t i = 0; i < piece; i++)
			data[at + i] = (uint8_t)replay_lot(256);
		return len + piece;
	}
	return replay_splice(data, len, at);
}

static void
replay_lots(uint64_t cnt)
{
	static uint8_t data[INPUT_MAX];
	uint64_t inputs = 0, printed = 0;

	while (lots.done < cnt) {
		unsigned from = (unsigned)replay_lot(lots.cnt);
		size_t len = lots.kept[from].len;

		memcpy(data, lots.kept[from].data, len);
		for (size_t n = 1u << replay_lot(4); n && len; n--)
			len = replay_change(data, len);
		replay_exact(data, len);
		inputs++;
		lots.done = fuzz_count ? fuzz_count() : inputs;
		if (lots.done / PRINT_EACH != printed) {
			printed = lots.done / PRINT_EACH;
			fprintf(stderr, "%llu\n", (unsigned long long)lots.done);
		}
	}
}

int
main(int argc, char **argv)
{
	replay_exact((const uint8_t *)"", 0);
	if (argc < 5 || strcmp(argv[1], "-r")) {
		replay_paths(argc - 1, argv + 1);
		return 0;
	}
	lots.lot = strtoull(argv[3], NULL, 10);
	if (!lots.lot)
		lots.lot = (uint64_t)time(NULL);
	fprintf(stderr, "seed %llu\n", (unsigned long long)lots.lot);
	lots.keeps = true;
	replay_paths(argc - 4, argv + 4);
	if (lots.cnt)
		replay_lots(strtoull(argv[2], NULL, 10));
	while (lots.cnt)
		free(lots.kept[--lots.cnt].data);
	return 0;
}
