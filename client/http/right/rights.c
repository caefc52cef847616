/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rights of visitors. Tested by test/unit/test_http_right.c. Pure functions.
 *
 * A token has at least 128 random bits, so a digest without salt and without many rounds
 * protects the token, and the duration of a comparison of digests reveals nothing about a
 * token. */
#include "client/http/right/rights.h"

#include "lib/base/vec.h"
#include "lib/crypto/digest.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define RIGHTS_BASIC_MAX 512 /* octets of a decoded name and password */

void
rights_fini(struct rights *r)
{
	mem_free(MEM_OTHER, r->token);
	r->token = NULL;
	r->token_cnt = r->token_cap = 0;
	jwt_rule_fini(&r->jwt);
}

bool
rights_add_token(struct rights *r, uint32_t as, const char *hash)
{
	struct right_token *t;

	if (strlen(hash) != RIGHTS_HASH_TEXT - 1 ||
	    strspn(hash, "0123456789abcdef") != RIGHTS_HASH_TEXT - 1 ||
	    r->token_cnt == RIGHTS_TOKENS_MAX)
		return false;
	r->token = vec_room(
	    MEM_OTHER, r->token, &r->token_cap, r->token_cnt + 1, sizeof(*r->token));
	t = &r->token[r->token_cnt++];
	memcpy(t->hash, hash, RIGHTS_HASH_TEXT);
	t->as = as;
	r->closed = true;
	return true;
}

bool
rights_add_proxy(struct rights *r, struct prefix p)
{
	if (r->proxy_cnt == RIGHTS_PROXIES_MAX)
		return false;
	r->proxy[r->proxy_cnt++] = p;
	return true;
}

bool
rights_of_proxy(const struct rights *r, struct ip_addr peer)
{
	enum family fam = family_of_ip(peer);

	for (unsigned i = 0; i < r->proxy_cnt; i++) {
		const struct prefix *p = &r->proxy[i];

		if (p->fam == fam &&
		    ip_equal(prefix_make(peer, p->len, fam).addr, p->addr))
			return true;
	}
	return false;
}

/* rights_bad - Returns: @status. */
static int
rights_bad(char *why, int status, const char *text)
{
	snprintf(why, RIGHTS_WHY_MAX, "%s", text);
	return status;
}

/* rights_token - add the right of the token @s. Returns: false: no such token. */
static bool
rights_token(const struct rights *r, struct visitor *v, const char *s)
{
	struct sha256 *sum = sha256_new();
	char hash[SHA256_TEXT];
	bool found = false, good;

	sha256_add(sum, s, strlen(s));
	good = sha256_end(sum, hash);
	sha256_free(sum);
	if (!good)
		return false;
	for (unsigned i = 0; i < r->token_cnt; i++)
		if (!memcmp(r->token[i].hash, hash, RIGHTS_HASH_TEXT))
			found |= visitor_add(v, r->token[i].as);
	return found;
}

/* rights_base64 - decode @s to @to of RIGHTS_BASIC_MAX octets with a NUL. */
static bool
rights_base64(char *to, const char *s)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned have = 0;
	size_t n = 0;

	for (; *s && *s != '='; s++) {
		const char *d = strchr(digits, *s);

		if (!d || n + 1 >= RIGHTS_BASIC_MAX)
			return false;
		bits = bits << 6 | (uint32_t)(d - digits);
		have += 6;
		if (have >= 8) {
			have -= 8;
			to[n++] = (char)(bits >> have & 0xff);
		}
	}
	to[n] = 0;
	return strspn(s, "=") == strlen(s) && strlen(to) == n;
}

/* rights_authorization - the header Authorization: `Bearer TOKEN`, or `Basic` with the
 * token as the password, as browsers and most programs can send. */
static int
rights_authorization(
    const struct rights *r, struct visitor *v, const struct right_claims *c, char *why)
{
	const char *s = c->authorization.value, *colon;
	char basic[RIGHTS_BASIC_MAX];
	const char *wrong;

	if (!strncasecmp(s, "Bearer ", 7)) {
		s += 7 + strspn(s + 7, " ");
		if (rights_token(r, v, s))
			return 200;
		if (!*r->jwt.alg || *r->jwt.header || !strchr(s, '.'))
			return rights_bad(why, 401, "the token is unknown");
		wrong = jwt_check(&r->jwt, s, c->now, v);
		return wrong ? rights_bad(why, 401, wrong) : 200;
	}
	if (strncasecmp(s, "Basic ", 6))
		return rights_bad(why, 401, "Bearer and Basic are known here");
	s += 6 + strspn(s + 6, " ");
	colon = rights_base64(basic, s) ? strchr(basic, ':') : NULL;
	if (!colon || !rights_token(r, v, colon + 1))
		return rights_bad(why, 401, "the password is no token");
	return 200;
}

/* rights_claims - add all rights that the headers prove. */
static int
rights_claims(
    const struct rights *r, struct visitor *v, const struct right_claims *c, char *why)
{
	const char *s = c->jwt.value, *wrong;
	int status = 200;

	if (c->authorization.cnt > 1 || c->proxy.cnt > 1 || c->jwt.cnt > 1)
		return rights_bad(why, 400, "a header with rights occurs twice");
	if (c->authorization.value)
		status = rights_authorization(r, v, c, why);
	if (status == 200 && s && *r->jwt.header) {
		if (!strncasecmp(s, "Bearer ", 7))
			s += 7 + strspn(s + 7, " ");
		wrong = jwt_check(&r->jwt, s, c->now, v);
		if (wrong)
			status = rights_bad(why, 401, wrong);
	}
	if (status == 200 && c->proxy.value && *r->header && rights_of_proxy(r, c->peer))
		if (!visitor_add_text(v, c->proxy.value))
			status = rights_bad(why, 400, "the proxy names no AS number");
	return status;
}

int
rights_visitor(
    const struct rights *r, struct visitor *v, const struct right_claims *c, char *why)
{
	int status = 200;

	memset(v, 0, sizeof(*v));
	if (!r->closed)
		v->exchange = true;
	else
		status = rights_claims(r, v, c, why);
	if (status != 200)
		memset(v, 0, sizeof(*v));
	return status;
}
