/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON Web Tokens of a portal. Tested by test/unit/test_http_jwt.c. Pure functions.
 *
 * libjwt reads the token and verifies the signature with the algorithm that the token
 * names. So the algorithm is compared before a claim is read. A public key cannot serve
 * as a secret: a rule with a public key has no algorithm of secrets, and a token that
 * names such an algorithm is refused whatever its signature. */
#include "client/http/right/jwt_check.h"

#include "lib/json/jview.h"
#include "lib/mem/mem.h"

#include <jwt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The algorithms. @secret: shortest secret in octets (RFC 7518, 3.2); 0: a public key. */
static const struct {
	const char *name;
	jwt_alg_t alg;
	size_t secret;
} jwt_algs[] = {
	{ "HS256", JWT_ALG_HS256, 32 },
	{ "HS384", JWT_ALG_HS384, 48 },
	{ "HS512", JWT_ALG_HS512, 64 },
	{ "RS256", JWT_ALG_RS256, 0 },
	{ "RS384", JWT_ALG_RS384, 0 },
	{ "RS512", JWT_ALG_RS512, 0 },
	{ "ES256", JWT_ALG_ES256, 0 },
	{ "ES384", JWT_ALG_ES384, 0 },
	{ "ES512", JWT_ALG_ES512, 0 },
};

enum { JWT_ALGS = sizeof(jwt_algs) / sizeof(jwt_algs[0]) };

static int
jwt_alg_find(const char *name)
{
	for (int i = 0; i < JWT_ALGS; i++)
		if (!strcmp(jwt_algs[i].name, name))
			return i;
	return -1;
}

const char *
jwt_rule_set(struct jwt_rule *r, const char *alg, const char *key, size_t len)
{
	int i = jwt_alg_find(alg);
	bool pem = memmem(key, len, "-----BEGIN ", 11) != NULL;

	if (i < 0)
		return "the algorithm is one of HS256, HS384, HS512, RS256, RS384, "
		       "RS512, ES256, ES384, ES512";
	if (jwt_algs[i].secret) {
		while (len && (key[len - 1] == '\n' || key[len - 1] == '\r'))
			len--;
		if (pem)
			return "the file of a secret holds a key in PEM form";
		if (len < jwt_algs[i].secret)
			return "the secret is shorter than the algorithm demands";
	} else if (!memmem(key, len, "-----BEGIN PUBLIC KEY-----", 26)) {
		return "the file holds no public key in PEM form";
	}
	snprintf(r->alg, sizeof(r->alg), "%s", alg);
	mem_free(MEM_OTHER, r->key);
	r->key = mem_zalloc(MEM_OTHER, len + 1);
	memcpy(r->key, key, len);
	r->key_len = len;
	return NULL;
}

void
jwt_rule_fini(struct jwt_rule *r)
{
	mem_free(MEM_OTHER, r->key);
	r->key = NULL;
}

/* jwt_claim - the value of the claim @name; jview_of its text. *@text: for free(). */
static struct jview
jwt_claim(jwt_t *t, const char *name, char **text)
{
	*text = jwt_get_grants_json(t, name);
	return *text ? jview_of(*text, strlen(*text)) : (struct jview){ NULL, 0 };
}

/* jwt_time - the time in the claim @name; @none: absent. */
static int64_t
jwt_time(jwt_t *t, const char *name, int64_t none)
{
	char *text;
	struct jview v = jwt_claim(t, name, &text);
	int64_t at = v.p ? (int64_t)(jview_u64(v, 0) & INT64_MAX) : none;

	free(text);
	return at;
}

/* jwt_has - is the claim @name, a text or a list of texts, or one of them, @want? */
static bool
jwt_has(jwt_t *t, const char *name, const char *want)
{
	char *text;
	struct jview v = jwt_claim(t, name, &text), item;
	bool has = v.p && jview_is(v, want);

	if (v.p && *v.p == '[')
		while (!has && jview_next(&v, NULL, &item))
			has = jview_is(item, want);
	free(text);
	return has;
}

/* jwt_add - add the AS numbers of the claim: a number, a text, or a list of both.
 * Returns: false: the claim has another form, or no AS number. */
static bool
jwt_add(jwt_t *t, const char *name, struct visitor *v)
{
	char *text, word[512];
	struct jview c = jwt_claim(t, name, &text), item = c;
	bool good = c.p != NULL;
	unsigned before = v->as_cnt;

	if (good && *c.p != '[')
		good = jview_copy(word, sizeof(word), c) && visitor_add_text(v, word);
	else if (good)
		while (good && jview_next(&c, NULL, &item))
			good = jview_copy(word, sizeof(word), item) &&
			       visitor_add_text(v, word);
	free(text);
	return good && (v->exchange || v->as_cnt > before);
}

/* jwt_judge - the claims of a token with a good signature. */
static const char *
jwt_judge(const struct jwt_rule *r, jwt_t *t, int64_t now, struct visitor *v)
{
	if (jwt_time(t, "exp", 0) + JWT_SKEW_S <= now)
		return "the token has expired, or has no end";
	if (jwt_time(t, "nbf", 0) > now + JWT_SKEW_S)
		return "the token is not valid yet";
	if (*r->issuer && !jwt_has(t, "iss", r->issuer))
		return "the token has another issuer";
	if (*r->audience && !jwt_has(t, "aud", r->audience))
		return "the token has another audience";
	if (!jwt_add(t, r->claim, v))
		return "the token names no AS number";
	return NULL;
}

/* jwt_is_formed - has @token three parts of base64url? libjwt 1.10 writes beyond its
 * buffers if a part is empty or holds other characters. */
static bool
jwt_is_formed(const char *token)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	    "0123456789-_";

	for (unsigned part = 0; part < 3; part++) {
		size_t len = strspn(token, digits);

		if (len < 4 || len % 4 == 1 || token[len] != (part < 2 ? '.' : 0))
			return false;
		token += len + 1;
	}
	return true;
}

const char *
jwt_check(const struct jwt_rule *r, const char *token, int64_t now, struct visitor *v)
{
	int i = jwt_alg_find(r->alg);
	struct visitor all = *v;
	const char *wrong;
	jwt_t *t = NULL;

	if (i < 0)
		return "tokens of this kind are not in use here";
	if (!jwt_is_formed(token))
		return "the token is malformed";
	if (jwt_decode(&t, token, (const unsigned char *)r->key, (int)r->key_len) || !t)
		return "the token is malformed, or its signature is wrong";
	if (jwt_get_alg(t) != jwt_algs[i].alg)
		wrong = "the token has another algorithm";
	else
		wrong = jwt_judge(r, t, now, &all);
	jwt_free(t);
	if (!wrong)
		*v = all;
	return wrong;
}
