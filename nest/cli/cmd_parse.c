/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of commands. Tested by test/unit/test_cli.c.
 *
 * No state; in the session's loop. */
#include "nest/cli/cmd_parse.h"

#include "filter/lang/sym.h"
#include "lib/base/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/conf/config.h"

bool
cmd_parse_symbol(struct cli_session *s, struct cli_scan *sc, unsigned cls,
    const char *wrong, const char *expecting, char **out)
{
	const struct sym *sym;

	sym = cli_scan_is_name(sc) ? sym_find(s->conf->conf->symbols, sc->text) : NULL;
	if (!sym) {
		cli_syntax(s, sc, expecting);
		return false;
	}
	if (sym->class != cls) {
		cli_end(s, CLI_BAD_COMMAND, "%s", wrong);
		return false;
	}
	*out = mem_strdup(MEM_OTHER, sym->name);
	cli_scan_step(sc);
	return true;
}

bool
cmd_parse_prefix(
    struct cli_session *s, struct cli_scan *sc, bool bare, struct prefix *out)
{
	enum family fam = sc->tok == TOK_IP4 ? FAM_IP4 : FAM_IP6;
	unsigned max = fam == FAM_IP4 ? 32 : 128;
	struct ip_addr ip = sc->ip;
	char a[PREFIX_STR_MAX], b[IP_STR_MAX];

	if (sc->tok != TOK_IP4 && sc->tok != TOK_IP6) {
		cli_syntax(s, sc, bare ? "IP4 or IP6 or VPN_RD or CF_SYM_KNOWN" : NULL);
		return false;
	}
	cli_scan_step(sc);
	if (sc->tok != TOK_CHAR || sc->chr != '/') {
		if (!bare)
			cli_syntax(s, sc, "'/'");
		*out = prefix_make(ip, max, fam);
		return bare;
	}
	cli_scan_step(sc);
	if (sc->tok != TOK_NUM || sc->num > max) {
		if (sc->tok == TOK_NUM)
			cli_end(s, CLI_BAD_COMMAND, "Invalid prefix length %llu",
			    (unsigned long long)sc->num);
		else
			cli_syntax(s, sc, "NUM");
		return false;
	}
	*out = prefix_make(ip, (unsigned)sc->num, fam);
	if (!ip_equal(out->addr, ip)) {
		cli_end(s, CLI_BAD_COMMAND,
		    "Invalid %s prefix %s/%u, maybe you wanted %s",
		    fam == FAM_IP4 ? "IPv4" : "IPv6", ip_str(b, ip), out->len,
		    prefix_str(a, out));
		return false;
	}
	cli_scan_step(sc);
	return true;
}

bool
cmd_parse_number(
    struct cli_session *s, struct cli_scan *sc, uint32_t min, uint32_t max, uint32_t *out)
{
	if (sc->tok != TOK_NUM) {
		cli_syntax(s, sc, "NUM");
		return false;
	}
	if (sc->num < min || sc->num > max) {
		cli_end(s, CLI_BAD_COMMAND,
		    "Number %llu is not in the range from %u to %u",
		    (unsigned long long)sc->num, min, max);
		return false;
	}
	*out = (uint32_t)sc->num;
	cli_scan_step(sc);
	return true;
}
