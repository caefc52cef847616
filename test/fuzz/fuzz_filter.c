/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiler and interpreter: filters that are made of the input's octets run on routes
 * that are made of them. A run ends, twice with the same answer, reads no more than is
 * known of the filter, and leaves alone what it is known not to write. */
#include "filter/run/know.h"
#include "test/lib/filter_gen.h"

#define INPUT_MAX 4000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_unwritten(const struct filter_gen *g, const struct fknow *k,
    const struct world *before, const struct world *after)
{
	struct attr_item x, y;
	bool has;

	(void)g;
	if (!fknow_writes_attr(k, "bgp_path")) {
		has = attr_edit_get(&before->edit, ATTR_AS_PATH, &x);
		ASSERT(has == attr_edit_get(&after->edit, ATTR_AS_PATH, &y));
		ASSERT(!has || (x.len == y.len && !memcmp(x.val, y.val, x.len)));
	}
	if (!fknow_writes_attr(k, "bgp_community")) {
		has = attr_edit_get(&before->edit, ATTR_COMMUNITY, &x);
		ASSERT(has == attr_edit_get(&after->edit, ATTR_COMMUNITY, &y));
		ASSERT(!has || (x.len == y.len && !memcmp(x.val, y.val, x.len)));
	}
	if (!fknow_writes_attr(k, "preference"))
		ASSERT(before->edit.local.preference == after->edit.local.preference);
}

static void
run_twice(struct filter_gen *g, struct filter_rig *r, const struct filter *f)
{
	struct world w[3] = { 0 };
	enum filter_verdict v[2];
	uint32_t reads[2];
	struct fknow k;
	unsigned i;

	fcode_know(&k, &f->code);
	world_random(&w[0], g);
	for (i = 0; i < 3; i++) {
		memcpy(w[i].variant, w[0].variant, sizeof(w[i].variant));
		world_make(&w[i], g);
	}
	for (i = 0; i < 2; i++) {
		v[i] = filter_run(
		    f, r->thread, &r->env, &w[i].view, &w[i].edit, &reads[i]);
		ASSERT(!(reads[i] & ~filter_may_read(f) & ~FILTER_READ_VOLATILE));
	}
	ASSERT(v[0] == v[1] && reads[0] == reads[1]);
	ASSERT(attr_edit_changed(&w[0].edit) == attr_edit_changed(&w[1].edit));
	if (v[0] == FILTER_ACCEPT)
		check_unwritten(g, &k, &w[2], &w[0]);
	for (i = 0; i < 3; i++)
		world_free(&w[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct filter_gen g = { .below = gen_from_bytes, .bytes = data, .len = len };
	struct filter_rig r;

	if (len > INPUT_MAX)
		return 0;
	filter_rig_init(&r);
	r.quiet = true;
	strbuf_init(&g.b);
	gen_text_add(&g, gen_header);
	gen_filter(&g, "f");
	if (filter_rig_config(&r, g.b.s)) {
		g.own_i = sym_find(r.cfg->symbols, "own_i")->slot;
		g.own_l = sym_find(r.cfg->symbols, "own_l")->slot;
		run_twice(&g, &r, sym_find(r.cfg->symbols, "f")->filter);
	} else {
		ASSERT(strstr(r.d.errors.s, "division by zero"));
	}
	strbuf_fini(&g.b);
	filter_rig_fini(&r);
	return 0;
}
