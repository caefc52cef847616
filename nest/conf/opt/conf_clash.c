/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds two instances for a common peer: only the first ever gets the peer. Tests:
 * test_first.py.
 *
 * Keeps no state; in the loop that reads the configuration. */
#include "lib/base/htab.h"
#include "lib/mem/mem.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

struct wanted {
	struct htab_node node; /* under the class's peer_hash */
	const struct conf_proto *p;
};

static void
clash_warn_of(struct conf_ctx *c, struct htab *t, struct wanted *w)
{
	const struct conf_proto *p = w->p;
	uint64_t hash = p->class->clash.peer_hash(p);
	struct htab_node *n;

	htab_each_same (n, t, hash) {
		const struct conf_proto *q = container_of(n, struct wanted, node)->p;

		if (q->class != p->class || !p->class->clash.between(p, q))
			continue;
		(p->class->clash.ends ? conf_error : conf_warning)(c, p->pos,
		    "protocol %s has the %s of %s: %s", p->name, p->class->clash.about,
		    q->name, p->class->clash.means);
		return;
	}
	htab_add(t, &w->node, hash);
}

void
conf_clashes_warn(struct conf_ctx *c)
{
	struct wanted *w = mem_zalloc(MEM_CONFIG, c->protos.cnt * sizeof(*w) + 1);
	struct htab t;

	htab_init(&t, MEM_CONFIG);
	for (unsigned i = 0; i < c->protos.cnt; i++) {
		w[i].p = c->protos.item[i];
		if (!w[i].p->disabled && w[i].p->class->clash.between)
			clash_warn_of(c, &t, &w[i]);
	}
	htab_fini(&t);
	mem_free(MEM_CONFIG, w);
}
