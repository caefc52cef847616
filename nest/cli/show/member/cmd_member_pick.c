/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members that a command concerns. Loop: the session's. Tested by
 * test/net/test_members.py. */
#include "nest/cli/show/member/cmd_member_pick.h"

#include "filter/lang/sym.h"
#include "lib/base/scan.h"
#include "lib/mem/mem.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd_parse.h"

static bool
member_pick_is_word(const struct cli_scan *sc, const char *const *words)
{
	for (unsigned i = 0; words[i]; i++)
		if (sc->tok == TOK_WORD && !strcmp(sc->text, words[i]))
			return true;
	return false;
}

bool
member_pick_take(struct cli_session *s, struct cli_scan *sc, struct member_pick *k,
    const char *const *words)
{
	if (sc->tok == TOK_TEXT) {
		k->pattern = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
	} else if (sc->tok == TOK_NUM) {
		return cmd_parse_number(s, sc, 1, UINT32_MAX, &k->as);
	} else if (cli_scan_is_name(sc) && !member_pick_is_word(sc, words)) {
		return cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
		    "the name of a protocol", &k->pattern);
	}
	return true;
}

void
member_pick_fini(struct member_pick *k)
{
	mem_free(MEM_OTHER, k->pattern);
}

bool
member_pick_is_all(const struct member_pick *k)
{
	return !k->pattern && !k->as;
}

bool
member_pick_wants(const struct member_pick *k, const struct proto *p)
{
	const char *d = proto_conf_get(p)->description;
	struct proto_member m;

	if (!p->cls->member.describe || !p->cls->member.describe(p, &m))
		return false;
	if (k->as && m.as != k->as)
		return false;
	return !k->pattern || scan_glob(k->pattern, p->name) ||
	       (d && scan_glob(k->pattern, d));
}
