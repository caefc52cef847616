/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masks in place of secret values in any text. */
#include "client/masks.h"
#include "test/lib/unit.h"

#include <string.h>

static void
test_client_masks_masked(const struct mask *m, const char *text, const char *want)
{
	struct strbuf out;

	strbuf_init(&out);
	mask_text(m, &out, text, strlen(text));
	assert_string_equal(out.s, want);
	strbuf_fini(&out);
}

static void
test_text(void **state)
{
	struct mask *m = mask_new();

	(void)state;
	test_client_masks_masked(m, "", "");
	test_client_masks_masked(m, "abc", "abc");
	test_client_masks_masked(m, "nothing is a secret", "nothing is a secret");
	mask_add(m, "abc", 3); /* too short */
	mask_add(m, "tern", 4);
	mask_add(m, "longsecret", 10);
	mask_add(m, "longsecret", 10);
	mask_add(m, "longsecretmore", 14);
	mask_add(m, "a b;c", 5);
	test_client_masks_masked(m, "abc ternd xtern", "abc ternd xtern");
	test_client_masks_masked(m, "tern,tern", "***,***");
	test_client_masks_masked(m, "xlongsecrety", "x***y");
	test_client_masks_masked(m, "longsecretmore!", "***!");
	test_client_masks_masked(m, "longsecretmo", "***mo");
	test_client_masks_masked(m, "x a b;c x", "x *** x");
	test_client_masks_masked(m, "longsecre", "longsecre");
	mask_free(m);
	mask_free(NULL);
}

static void
test_overlap(void **state)
{
	struct mask *m = mask_new();

	(void)state;
	mask_add(m, "abcdefgh", 8);
	mask_add(m, "efghijkl", 8);
	test_client_masks_masked(m, "abcdefghijkl.", "***.");
	test_client_masks_masked(m, "abcdefghabcdefgh", "******");
	test_client_masks_masked(m, "-efghijk-", "-efghijk-");
	mask_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
