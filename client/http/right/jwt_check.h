/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON Web Tokens (RFC 7519) of a portal that logs members in. Pure functions.
 *
 * G1  The operator chooses one algorithm and one key. A token that names another
 *     algorithm, or `none`, gives no right.
 * G2  A token without an end (`exp`) gives no right. */
#ifndef TERN_CLIENT_HTTP_RIGHT_JWT_CHECK_H
#define TERN_CLIENT_HTTP_RIGHT_JWT_CHECK_H

#include "client/http/right/visitor.h"

#define JWT_NAME_MAX 128
#define JWT_SKEW_S   30 /* by which two clocks may differ */

/* What a token must be. Owner: struct rights. Life: that of the program. */
struct jwt_rule {
	char alg[8]; /* "": no tokens */
	char header[JWT_NAME_MAX]; /* that holds the token; "": Authorization */
	char claim[JWT_NAME_MAX]; /* that holds the AS numbers */
	char issuer[JWT_NAME_MAX]; /* ""; any */
	char audience[JWT_NAME_MAX]; /* "": any */
	char *key; /* a secret, or a public key as PEM. MEM_OTHER */
	size_t key_len;
};

/* jwt_rule_set - take the algorithm @alg and the octets of a key file. Returns: NULL, or
 * what is wrong; then @r is unchanged. */
MUST_CHECK const char *jwt_rule_set(
    struct jwt_rule *r, const char *alg, const char *key, size_t len);
void jwt_rule_fini(struct jwt_rule *r);
/* jwt_check - add the rights of @token to @v. @now: Unix time. Returns: NULL, or why the
 * token is refused; then @v is unchanged. */
MUST_CHECK const char *jwt_check(
    const struct jwt_rule *r, const char *token, int64_t now, struct visitor *v);

#endif
