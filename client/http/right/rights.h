/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rights of visitors. Without a credential in the configuration all data is public.
 * With a credential the filtered routes of a member belong to the member and to the
 * exchange. Pure functions.
 *
 * G1  A wrong credential is an error, and never means a visitor without credentials.
 * G2  The header of a proxy counts only if the connection comes from a proxy. */
#ifndef TERN_CLIENT_HTTP_RIGHT_RIGHTS_H
#define TERN_CLIENT_HTTP_RIGHT_RIGHTS_H

#include "client/http/right/jwt_check.h"
#include "client/http/right/visitor.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

#define RIGHTS_TOKENS_MAX  4096
#define RIGHTS_PROXIES_MAX 16
#define RIGHTS_HASH_TEXT   65 /* SHA-256 as text, with the NUL */
#define RIGHTS_WHY_MAX     128

/* A token of a member or of the exchange. The file has the digest alone. Owner: struct
 * rights. Life: that of the program. */
struct right_token {
	char hash[RIGHTS_HASH_TEXT];
	uint32_t as; /* 0: the exchange */
};

/* Owner: struct web. Life: that of the program. */
struct rights {
	bool closed; /* some data is not public */
	struct right_token *token; /* MEM_OTHER */
	uint32_t token_cnt, token_cap;
	struct prefix proxy[RIGHTS_PROXIES_MAX]; /* senders of @header */
	unsigned proxy_cnt;
	char header[JWT_NAME_MAX]; /* with AS numbers, of a proxy; "": none */
	struct jwt_rule jwt;
};

/* A header of a request. Owner: the request. Life: by value. */
struct right_header {
	const char *value; /* NULL: absent */
	unsigned cnt; /* headers of the name */
};

/* What a request claims. Owner: the caller. Life: by value. */
struct right_claims {
	struct ip_addr peer; /* of the connection */
	struct right_header authorization;
	struct right_header proxy; /* of the name rights.header */
	struct right_header jwt; /* of the name rights.jwt.header */
	int64_t now; /* Unix time */
};

void rights_fini(struct rights *r);
/* rights_add_token - accept the token with the SHA-256 digest @hash for @as (0: the
 * exchange). Returns: false: no digest, or too many tokens. */
MUST_CHECK bool rights_add_token(struct rights *r, uint32_t as, const char *hash);
/* rights_add_proxy - trust the header of connections from @p. */
MUST_CHECK bool rights_add_proxy(struct rights *r, struct prefix p);
/* rights_of_proxy - does @peer belong to a proxy? */
bool rights_of_proxy(const struct rights *r, struct ip_addr peer);
/* rights_visitor - who is the sender of a request? Returns: 200; 400 and 401: @why of
 * RIGHTS_WHY_MAX octets says what is wrong, and @v has no right. */
MUST_CHECK int rights_visitor(
    const struct rights *r, struct visitor *v, const struct right_claims *c, char *why);

#endif
