/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of the registries: how long they are, what a reload replaces, and that the list
 * that is printed and what the model refuses are the same. */
#include "test/load/load_irr.c"
#include "test/lib/load_rig.h"
#include <unistd.h>

static void
test_sizes(void **state)
{
	static const char *const argv[] = { "ternload", "--clients", "320", "--nets",
		"6400", "--ratio", "1", "--sets-per-client", "1", "--irr", "3200000" };
	struct load_rig f;
	uint32_t c;
	uint64_t sum = 0;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	for (c = 0; c < 320; c++) {
		assert_in_range(load_irr_size(&f.run, c), 1000, 40000);
		sum += load_irr_size(&f.run, c);
	}
	assert_in_range(sum, 3190000, 3210000);
	assert_in_range(load_irr_size(&f.run, 0), 1000, 1010);
	assert_in_range(load_irr_size(&f.run, 319), 39000, 40000);
	load_rig_down(&f);
}

static void
test_replaced(void **state)
{
	uint32_t c, i, clients = 0, entries = 0;

	(void)state;
	for (c = 0; c < 320; c++) {
		clients += load_irr_replaced(c, 0, 1);
		entries += load_irr_replaced(1, c, 1);
	}
	assert_int_equal(clients, 32);
	assert_int_equal(entries, 4); /* 0, 100, 200, 300 */
	assert_int_equal(load_irr_replaced(1, 0, 10), 1);
	assert_int_equal(
	    load_irr_replaced(1, 1, 11), 1); /* ten reloads later, the next part */
	for (i = 0; i < 50; i++)
		assert_int_equal(load_irr_replaced(3, 50 + i, 500), 0);
}

/* Is @route's prefix in the text? */
static bool
is_listed(const struct load_rig *f, const char *text, uint32_t route)
{
	struct prefix p = load_net_prefix(
	    &f->run.nets.net[f->run.model.route[route].net]);
	char want[PREFIX_STR_MAX + 2];
	size_t len;

	want[0] = '\n';
	prefix_str(want + 1, &p);
	len = strlen(want);
	for (; (text = strstr(text, want)); text++)
		if (text[len] == ',' || text[len] == '\n')
			return true;
	return false;
}

/* What load_irr_print writes, after a newline. */
static void
test_load_irr_print_list(
    const struct load_rig *f, uint32_t client, char *text, size_t len)
{
	FILE *tmp = tmpfile();
	int out = dup(1);
	size_t n;

	assert_non_null(tmp);
	fflush(stdout);
	dup2(fileno(tmp), 1);
	load_irr_print(&f->run, client);
	puts("");
	fflush(stdout);
	dup2(out, 1);
	close(out);
	rewind(tmp);
	text[0] = '\n';
	n = fread(text + 1, 1, len - 2, tmp);
	text[n + 1] = 0;
	fclose(tmp);
}

static void
test_lists(void **state)
{
	static const char *const argv[] = { "ternload", "--clients", "20", "--nets",
		"4000", "--ratio", "1", "--sets-per-client", "1", "--irr", "10000",
		"--irr-reload", "11" };
	static char text[1 << 16];
	struct load_rig f;
	uint32_t c, i, refused = 0;

	(void)state;
	load_rig_up(&f, argv, ARRAY_LEN(argv));
	assert_int_equal(f.run.sets.policy.mark, LOAD_IRR_MARK + 11);
	for (c = 0; c < 20; c++) {
		const struct load_client *cl = &f.run.client[c];

		test_load_irr_print_list(&f, c, text, sizeof(text));
		for (i = 0; i < cl->route_cnt; i++) {
			bool no = f.run.model.route[cl->route[i]].refused;

			refused += no;
			assert_int_equal(is_listed(&f, text, cl->route[i]), !no);
			if (load_irr_is_steady(&f.run, cl->route[i]))
				assert_false(no);
		}
	}
	/* Two of a list of 200 at each of the first ten reloads and at the eleventh. */
	assert_int_equal(refused, 2 * (20 + 2));
	load_rig_down(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
