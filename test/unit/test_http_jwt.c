/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens of a portal: good tokens of each kind, and each way to forge a token. */
#include "client/http/right/jwt_check.h"
#include "test/lib/unit.h"

#include <jwt.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW 1700000000

/* A pair of keys of this run, as PEM. */
static char ec_private[1024], ec_public[1024];

static const char secret[] = "0123456789abcdef0123456789abcdef";

/* http_jwt_pem - the text of @b, which is freed. */
static void
http_jwt_pem(char *to, size_t size, BIO *b)
{
	int n = BIO_read(b, to, (int)size - 1);

	assert_true(n > 0);
	to[n] = 0;
	BIO_free(b);
}

static int
http_jwt_keys(void **state)
{
	EVP_PKEY *k = EVP_EC_gen("P-256");
	BIO *secret_of = BIO_new(BIO_s_mem()), *public_of = BIO_new(BIO_s_mem());

	(void)state;
	assert_int_equal(
	    PEM_write_bio_PrivateKey(secret_of, k, NULL, NULL, 0, NULL, NULL), 1);
	assert_int_equal(PEM_write_bio_PUBKEY(public_of, k), 1);
	http_jwt_pem(ec_private, sizeof(ec_private), secret_of);
	http_jwt_pem(ec_public, sizeof(ec_public), public_of);
	EVP_PKEY_free(k);
	return 0;
}

static struct jwt_rule
http_jwt_rule(const char *alg, const char *key)
{
	struct jwt_rule r = { .claim = "asn" };

	assert_null(jwt_rule_set(&r, alg, key, strlen(key)));
	return r;
}

/* http_jwt_token - a token with the claims @json, signed. */
static char *
http_jwt_token(jwt_alg_t alg, const char *key, const char *json)
{
	jwt_t *t;
	char *text;

	assert_int_equal(jwt_new(&t), 0);
	assert_int_equal(jwt_add_grants_json(t, json), 0);
	assert_int_equal(
	    jwt_set_alg(t, alg, (const unsigned char *)key, key ? (int)strlen(key) : 0),
	    0);
	text = jwt_encode_str(t);
	assert_non_null(text);
	jwt_free(t);
	return text;
}

/* http_jwt_one - check a token with the claims @json. Returns: NULL: the token is
 * good. */
static const char *
http_jwt_one(const struct jwt_rule *r, struct visitor *v, const char *json)
{
	char *text = http_jwt_token(JWT_ALG_HS256, secret, json);
	const char *wrong;

	memset(v, 0, sizeof(*v));
	wrong = jwt_check(r, text, NOW, v);
	assert_true(!wrong == visitor_knows(v));
	free(text);
	return wrong;
}

static void
http_jwt_claims(void **state)
{
	struct jwt_rule r = http_jwt_rule("HS256", secret);
	struct visitor v;

	(void)state;
	assert_null(http_jwt_one(&r, &v, "{\"exp\":1700000100,\"asn\":65001}"));
	assert_true(visitor_sees(&v, 65001));
	assert_false(visitor_sees(&v, 65002));
	assert_null(http_jwt_one(&r, &v, "{\"exp\":1700000100,\"asn\":\"AS65001\"}"));
	assert_true(visitor_sees(&v, 65001));
	assert_null(http_jwt_one(
	    &r, &v, "{\"exp\":1700000100,\"asn\":[65001,\"65002\",\"AS65003\"]}"));
	assert_int_equal(v.as_cnt, 3);
	assert_false(v.exchange);
	assert_null(http_jwt_one(&r, &v, "{\"exp\":1700000100,\"asn\":\"exchange\"}"));
	assert_true(v.exchange);
	/* a clock that is behind by less than JWT_SKEW_S */
	assert_null(http_jwt_one(&r, &v, "{\"exp\":1699999990,\"asn\":65001}"));
	assert_null(
	    http_jwt_one(&r, &v, "{\"exp\":1700000100,\"nbf\":1700000010,\"asn\":1}"));
	jwt_rule_fini(&r);
}

static void
http_jwt_wrong_claims(void **state)
{
	static const char *const wrong[] = { "{\"exp\":1699999000,\"asn\":65001}",
		"{\"exp\":-1,\"asn\":65001}", "{\"exp\":\"never\",\"asn\":65001}",
		"{\"asn\":65001}",
		"{\"exp\":1700000100,\"nbf\":1700000090,\"asn\":65001}",
		"{\"exp\":1700000100}", "{\"exp\":1700000100,\"asn\":0}",
		"{\"exp\":1700000100,\"asn\":\"\"}",
		"{\"exp\":1700000100,\"asn\":-65001}",
		"{\"exp\":1700000100,\"asn\":4294967296}",
		"{\"exp\":1700000100,\"asn\":true}", "{\"exp\":1700000100,\"asn\":[]}",
		"{\"exp\":1700000100,\"asn\":{\"a\":65001}}",
		"{\"exp\":1700000100,\"asn\":[65001,\"x\"]}",
		"{\"exp\":1700000100,\"asn\":\"Exchange\"}" };
	struct jwt_rule r = http_jwt_rule("HS256", secret);
	struct visitor v;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_non_null(http_jwt_one(&r, &v, wrong[i]));
	jwt_rule_fini(&r);
}

static void
http_jwt_issuer(void **state)
{
	struct jwt_rule r = http_jwt_rule("HS256", secret);
	struct visitor v;

	(void)state;
	strcpy(r.issuer, "portal");
	strcpy(r.audience, "lg");
	assert_null(http_jwt_one(
	    &r, &v, "{\"exp\":1700000100,\"asn\":1,\"iss\":\"portal\",\"aud\":\"lg\"}"));
	assert_null(http_jwt_one(&r, &v,
	    "{\"exp\":1700000100,\"asn\":1,\"iss\":\"portal\",\"aud\":[\"x\",\"lg\"]}"));
	assert_non_null(http_jwt_one(
	    &r, &v, "{\"exp\":1700000100,\"asn\":1,\"iss\":\"other\",\"aud\":\"lg\"}"));
	assert_non_null(http_jwt_one(
	    &r, &v, "{\"exp\":1700000100,\"asn\":1,\"iss\":\"portal\",\"aud\":[\"x\"]}"));
	assert_non_null(
	    http_jwt_one(&r, &v, "{\"exp\":1700000100,\"asn\":1,\"iss\":\"portal\"}"));
	jwt_rule_fini(&r);
}

/* http_jwt_refused - the token @text gives no right under @r. */
static void
http_jwt_refused(const struct jwt_rule *r, const char *text)
{
	struct visitor v = { 0 };

	assert_non_null(jwt_check(r, text, NOW, &v));
	assert_false(visitor_knows(&v));
}

static void
http_jwt_forged(void **state)
{
	static const char good[] = "{\"exp\":1700000100,\"asn\":65001}";
	struct jwt_rule hs = http_jwt_rule("HS256", secret);
	struct jwt_rule es = http_jwt_rule("ES256", ec_public);
	struct visitor v = { 0 };
	char *text, *dot;

	(void)state;
	text = http_jwt_token(JWT_ALG_ES256, ec_private, good);
	assert_null(jwt_check(&es, text, NOW, &v));
	assert_true(visitor_sees(&v, 65001));
	http_jwt_refused(&hs, text);
	free(text);
	/* no signature */
	text = http_jwt_token(JWT_ALG_NONE, NULL, good);
	http_jwt_refused(&hs, text);
	http_jwt_refused(&es, text);
	free(text);
	/* the public key as a secret */
	text = http_jwt_token(JWT_ALG_HS256, ec_public, good);
	http_jwt_refused(&es, text);
	free(text);
	/* another secret, another algorithm, a cut and a changed signature */
	text = http_jwt_token(JWT_ALG_HS256, "another secret of enough octets.", good);
	http_jwt_refused(&hs, text);
	free(text);
	text = http_jwt_token(JWT_ALG_HS512, secret, good);
	http_jwt_refused(&hs, text);
	free(text);
	text = http_jwt_token(JWT_ALG_HS256, secret, good);
	dot = strrchr(text, '.');
	dot[5] = dot[5] == 'A' ? 'B' : 'A';
	http_jwt_refused(&hs, text);
	dot[1] = 0;
	http_jwt_refused(&hs, text);
	*dot = 0;
	http_jwt_refused(&hs, text);
	free(text);
	for (const char *const *s = (const char *const[]){ "", ".", "..", "...", "a.b.c",
		 "e30.e30.", "eyJhbGciOiJub25lIn0.e30.", NULL };
	     *s; s++) {
		http_jwt_refused(&hs, *s);
		http_jwt_refused(&es, *s);
	}
	/* parts of each length, for valgrind and AddressSanitizer */
	for (int len = 0; len < 70; len++) {
		char part[70], odd[256];

		memset(part, 'A', sizeof(part));
		snprintf(odd, sizeof(odd), "eyJhbGciOiJIUzI1NiJ9.%.*s.%.*s", len, part,
		    69 - len, part);
		http_jwt_refused(&hs, odd);
		snprintf(
		    odd, sizeof(odd), "%.*s.%.*s.%.*s", len, part, len, part, len, part);
		http_jwt_refused(&hs, odd);
		http_jwt_refused(&es, odd);
	}
	jwt_rule_fini(&hs);
	jwt_rule_fini(&es);
}

static void
http_jwt_rules(void **state)
{
	struct jwt_rule r = { .claim = "asn" };
	struct visitor v = { 0 };

	(void)state;
	assert_non_null(jwt_rule_set(&r, "none", secret, strlen(secret)));
	assert_non_null(jwt_rule_set(&r, "hs256", secret, strlen(secret)));
	assert_non_null(jwt_rule_set(&r, "HS256", "short", 5));
	assert_non_null(jwt_rule_set(&r, "HS512", secret, strlen(secret)));
	assert_non_null(jwt_rule_set(&r, "HS256", ec_public, strlen(ec_public)));
	assert_non_null(jwt_rule_set(&r, "ES256", ec_private, strlen(ec_private)));
	assert_non_null(jwt_rule_set(&r, "ES256", secret, strlen(secret)));
	assert_string_equal(r.alg, "");
	assert_non_null(jwt_check(&r, "a.b.c", NOW, &v));
	/* an editor ends the file with a line end */
	assert_null(jwt_rule_set(&r, "HS256", "0123456789abcdef0123456789abcdef\n", 33));
	assert_null(http_jwt_one(&r, &v, "{\"exp\":1700000100,\"asn\":65001}"));
	jwt_rule_fini(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_jwt_claims),
		cmocka_unit_test(http_jwt_wrong_claims),
		cmocka_unit_test(http_jwt_issuer),
		cmocka_unit_test(http_jwt_forged),
		cmocka_unit_test(http_jwt_rules),
	};

	return cmocka_run_group_tests(tests, http_jwt_keys, NULL);
}
