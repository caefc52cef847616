/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the configuration file of ternhttp into struct setup. An error names the file and
 * the line. Tested by test/unit/test_http_setup.c and test/net/test_http_rights.py. Loop:
 * the only thread of ternhttp. */
#include "client/http/setup.h"

#include "client/http/job/ask.h"
#include "client/http/job/request.h"
#include "client/http/right/jwt_check.h"
#include "client/http/right/visitor.h"
#include "lib/crypto/digest.h"
#include "lib/base/scan.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#define SETUP_WORDS_MAX   40
#define SETUP_CONNECTIONS 1000
#define SETUP_SECONDS     3600

/* A statement, for the functions of setup_rows. */
struct setup_line {
	struct setup *to;
	const char *path; /* of the file */
	char *word[SETUP_WORDS_MAX]; /* without the first */
	unsigned cnt;
};

/* setup_load - append the file @path to @to. Returns: NULL, or what is wrong. */
static const char *
setup_load(struct strbuf *to, const char *path)
{
	char part[4096];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return strerror(errno);
	while ((n = read(fd, part, sizeof(part))) > 0 && to->len < SETUP_FILE_MAX)
		strbuf_add(to, part, (size_t)n);
	close(fd);
	if (n < 0)
		return strerror(errno);
	return to->len < SETUP_FILE_MAX ? NULL : "the file is too long";
}

/* setup_load_named - as setup_load, of a file that a statement names. A name without a
 * slash is a credential of the service manager, else a file beside the configuration. */
static const char *
setup_load_named(struct strbuf *to, const struct setup_line *l, const char *name)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	const char *slash = strrchr(l->path, '/');
	struct strbuf path;
	const char *wrong = NULL;

	strbuf_init(&path);
	if (!strchr(name, '/') && folder)
		strbuf_addf(&path, "%s/%s", folder, name);
	if (!path.len || access(path.s, F_OK)) {
		strbuf_reset(&path);
		if (!strchr(name, '/') && slash)
			strbuf_add(&path, l->path, (size_t)(slash - l->path + 1));
		strbuf_adds(&path, name);
	}
	wrong = setup_load(to, path.s);
	strbuf_fini(&path);
	return wrong;
}

static void
setup_text(char **to, const char *s)
{
	mem_free(MEM_OTHER, *to);
	*to = mem_strdup(MEM_OTHER, s);
}

socklen_t
setup_address(struct sockaddr_storage *to, const char *text)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
	const char *colon = strrchr(text, ':');
	char host[64], *end;
	unsigned long port;
	size_t len;

	memset(to, 0, sizeof(*to));
	if (!colon || (len = (size_t)(colon - text)) >= sizeof(host) || !colon[1])
		return 0;
	port = strtoul(colon + 1, &end, 10);
	if (*end || port > 65535)
		return 0;
	memcpy(host, text, len);
	host[len] = 0;
	if (len > 2 && *host == '[' && host[len - 1] == ']') {
		host[len - 1] = 0;
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, host + 1, &v6->sin6_addr) == 1 ? sizeof(*v6)
									  : 0;
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &v4->sin_addr) == 1 ? sizeof(*v4) : 0;
}

static const char *
setup_listen(struct setup_line *l)
{
	struct sockaddr_storage addr;

	if (!setup_address(&addr, l->word[0]))
		return "ADDRESS:PORT is expected";
	setup_text(&l->to->listen, l->word[0]);
	return NULL;
}

static const char *
setup_user(struct setup_line *l)
{
	setup_text(&l->to->user, l->word[0]);
	return NULL;
}

const char *
setup_add_server(struct setup *c, const char *text)
{
	const char *is = strchr(text, '=');
	char name[REQUEST_SERVER_MAX + 1];
	size_t len;

	if (!is || !is[1])
		return "NAME=SOCKET is expected";
	len = (size_t)(is - text);
	if (len < sizeof(name)) {
		memcpy(name, text, len);
		name[len] = 0;
	}
	if (len >= sizeof(name) || !ask_name(name) || !strcmp(name, "all"))
		return "a name has 1 to 32 letters, digits and _.:-, and is not `all'";
	for (unsigned i = 0; i < c->server_cnt; i++)
		if (!strncmp(c->server[i], text, len + 1))
			return "two servers have this name";
	if (c->server_cnt == SETUP_SERVERS_MAX)
		return "too many servers";
	c->server[c->server_cnt++] = mem_strdup(MEM_OTHER, text);
	return NULL;
}

static const char *
setup_server(struct setup_line *l)
{
	struct strbuf b;
	const char *wrong;

	strbuf_init(&b);
	strbuf_addf(&b, "%s=%s", l->word[0], l->word[1]);
	wrong = strchr(l->word[0], '=') ? "a name has no `='"
					: setup_add_server(l->to, b.s);
	strbuf_fini(&b);
	return wrong;
}

/* setup_pem - take the file @name, which has a part @part in PEM form. */
static const char *
setup_pem(char **to, const struct setup_line *l, const char *name, const char *part)
{
	struct strbuf text;
	const char *wrong;

	strbuf_init(&text);
	wrong = setup_load_named(&text, l, name);
	if (!wrong && !strstr(text.s, part))
		wrong = "a certificate and a key in PEM form are expected";
	if (!wrong)
		setup_text(to, text.s);
	strbuf_fini(&text);
	return wrong;
}

static const char *
setup_tls(struct setup_line *l)
{
	const char *wrong = setup_pem(&l->to->cert, l, l->word[0], "-----BEGIN CERT");

	return wrong ? wrong : setup_pem(&l->to->key, l, l->word[1], "PRIVATE KEY-----");
}

static const char *
setup_connections(struct setup_line *l)
{
	uint64_t n;

	if (scan_u64(&n, l->word[0], SETUP_CONNECTIONS))
		return "a number from 0 to 1000 is expected";
	l->to->connections = (unsigned)n;
	return NULL;
}

/* setup_seconds - a time, at least 1 s. */
static const char *
setup_seconds(unsigned *to, const char *s)
{
	uint64_t n;

	if (scan_u64(&n, s, SETUP_SECONDS) || !n)
		return "a number of seconds from 1 to 3600 is expected";
	*to = (unsigned)n;
	return NULL;
}

static const char *
setup_silent(struct setup_line *l)
{
	return setup_seconds(&l->to->silent_s, l->word[0]);
}

static const char *
setup_stall(struct setup_line *l)
{
	return setup_seconds(&l->to->stall_s, l->word[0]);
}

/* setup_rate - COUNT second|minute|hour [burst COUNT]. */
static const char *
setup_rate(struct setup_line *l)
{
	static const struct {
		const char *word;
		unsigned s;
	} units[] = { { "second", 1 }, { "minute", 60 }, { "hour", 3600 } };
	struct rate_rule *r = &l->to->rate;
	uint64_t n, burst;
	size_t u = 0;

	while (u < 3 && strcmp(units[u].word, l->word[1]))
		u++;
	if (u == 3 || scan_u64(&n, l->word[0], RATE_MAX))
		return "a number up to 1000000 and second, minute or hour are expected";
	burst = n;
	if (l->cnt > 2 && (l->cnt != 4 || strcmp(l->word[2], "burst") ||
			      scan_u64(&burst, l->word[3], RATE_MAX) || !burst))
		return "`burst' and a number from 1 to 1000000 are expected at the end";
	r->cnt = (unsigned)n;
	r->burst = (unsigned)burst;
	r->per_ms = units[u].s * 1000ull;
	return NULL;
}

static const char *
setup_log(struct setup_line *l)
{
	if (strcmp(l->word[0], "stderr") && *l->word[0] != '/')
		return "`stderr' or a path that begins with a slash is expected";
	setup_text(&l->to->log, l->word[0]);
	return NULL;
}

/* setup_as - `exchange` (0) or an AS number. Returns: false: another text. */
static bool
setup_as(uint32_t *as, const char *s)
{
	struct visitor v = { 0 };

	if (!visitor_add_text(&v, s) || v.exchange + v.as_cnt != 1)
		return false;
	*as = v.exchange ? 0 : v.as[0];
	return true;
}

static const char *
setup_add_token(struct setup_line *l)
{
	uint32_t as;

	if (!setup_as(&as, l->word[0]))
		return "`exchange' or an AS number is expected";
	if (!rights_add_token(&l->to->rights, as, l->word[1]))
		return "a SHA-256 digest is expected, as `ternhttp --token' prints, of "
		       "4096 tokens at most";
	return NULL;
}

/* setup_name - a name of a header or a claim, or a text to compare. */
static const char *
setup_name(char *to, const char *s)
{
	if (strlen(s) >= JWT_NAME_MAX)
		return "a text is too long";
	snprintf(to, JWT_NAME_MAX, "%s", s);
	return NULL;
}

static const char *
setup_proxy(struct setup_line *l)
{
	struct rights *r = &l->to->rights;
	unsigned i = 0;

	for (; i < l->cnt && strcmp(l->word[i], "header"); i++) {
		struct prefix p;
		struct ip_addr a;
		const char *end = prefix_scan(&p, l->word[i]);

		if (end && !*end)
			p = prefix_make(p.addr, p.len, (enum family)p.fam);
		else if (!ip_parse(&a, l->word[i]))
			p = prefix_make(a, family_bits(family_of_ip(a)), family_of_ip(a));
		else
			return "addresses or prefixes of proxies are expected";
		if (!rights_add_proxy(r, p))
			return "too many proxies";
	}
	if (!i)
		return "addresses or prefixes of proxies are expected";
	if (i == l->cnt)
		return NULL;
	if (i + 2 != l->cnt)
		return "`header NAME' is expected at the end";
	if (*r->header && strcasecmp(r->header, l->word[i + 1]))
		return "all proxies use one header";
	r->closed = true;
	return setup_name(r->header, l->word[i + 1]);
}

static const char *
setup_jwt(struct setup_line *l)
{
	struct jwt_rule *r = &l->to->rights.jwt;
	const struct {
		const char *word;
		char *to;
	} more[] = { { "claim", r->claim }, { "header", r->header },
		{ "issuer", r->issuer }, { "audience", r->audience } };
	struct strbuf key;
	const char *wrong;

	if (*r->alg)
		return "one rule for tokens is possible";
	strbuf_init(&key);
	wrong = setup_load_named(&key, l, l->word[1]);
	if (!wrong)
		wrong = jwt_rule_set(r, l->word[0], key.s, key.len);
	strbuf_fini(&key);
	(void)setup_name(r->claim, "asn");
	for (unsigned i = 2; !wrong && i < l->cnt; i += 2) {
		size_t k = 0;

		while (k < 4 && strcmp(more[k].word, l->word[i]))
			k++;
		if (k == 4 || i + 1 == l->cnt)
			return "claim, header, issuer and audience have a text each";
		wrong = setup_name(more[k].to, l->word[i + 1]);
	}
	l->to->rights.closed = true;
	return wrong;
}

static const struct {
	const char *word;
	unsigned min, max; /* words behind the first */
	const char *(*take)(struct setup_line *l);
} setup_rows[] = {
	{ "listen", 1, 1, setup_listen },
	{ "server", 2, 2, setup_server },
	{ "connections", 1, 1, setup_connections },
	{ "silent", 1, 1, setup_silent },
	{ "stall", 1, 1, setup_stall },
	{ "rate", 2, 4, setup_rate },
	{ "log", 1, 1, setup_log },
	{ "user", 1, 1, setup_user },
	{ "tls", 2, 2, setup_tls },
	{ "token", 2, 2, setup_add_token },
	{ "proxy", 1, SETUP_WORDS_MAX, setup_proxy },
	{ "jwt", 2, 10, setup_jwt },
};

/* setup_statement - take the line @s. Returns: NULL, or what is wrong. */
static const char *
setup_statement(struct setup_line *l, char *s)
{
	char *save, *first;

	/* a comment begins at the start of a word */
	for (char *c = strchr(s, '#'); c; c = strchr(c + 1, '#'))
		if (c == s || c[-1] == ' ' || c[-1] == '\t')
			*c = 0;
	first = strtok_r(s, " \t\r", &save);
	if (!first)
		return NULL;
	for (l->cnt = 0; (s = strtok_r(NULL, " \t\r", &save)); l->word[l->cnt++] = s)
		if (l->cnt == SETUP_WORDS_MAX)
			return "too many words";
	for (size_t i = 0; i < sizeof(setup_rows) / sizeof(setup_rows[0]); i++) {
		if (strcmp(setup_rows[i].word, first))
			continue;
		if (l->cnt < setup_rows[i].min || l->cnt > setup_rows[i].max)
			return "the statement has too few or too many words";
		return setup_rows[i].take(l);
	}
	return "expected: listen, server, connections, silent, stall, rate, log, user, "
	       "tls, token, proxy or jwt";
}

bool
setup_read(struct setup *c, const char *path, char *why)
{
	struct setup_line l = { .to = c, .path = path };
	struct strbuf text;
	const char *wrong;
	unsigned at = 0;
	char *next;

	strbuf_init(&text);
	wrong = setup_load(&text, path);
	for (char *s = text.s; !wrong && s; s = next) {
		next = strchr(s, '\n');
		if (next)
			*next++ = 0;
		at++;
		wrong = setup_statement(&l, s);
	}
	if (wrong && at)
		snprintf(why, SETUP_WHY_MAX, "%s:%u: %s", path, at, wrong);
	else if (wrong)
		snprintf(why, SETUP_WHY_MAX, "%s: %s", path, wrong);
	strbuf_fini(&text);
	return !wrong;
}

void
setup_merge(struct setup *to, struct setup *from)
{
	if (!to->listen) {
		to->listen = from->listen;
		from->listen = NULL;
	}
	if (!to->user) {
		to->user = from->user;
		from->user = NULL;
	}
	if (!to->server_cnt) {
		memcpy(to->server, from->server, sizeof(to->server));
		to->server_cnt = from->server_cnt;
		from->server_cnt = 0;
	}
	if (to->connections == UINT_MAX)
		to->connections = from->connections;
	to->cert = from->cert;
	to->key = from->key;
	from->cert = from->key = NULL;
	to->log = from->log;
	from->log = NULL;
	to->rate = from->rate;
	to->silent_s = from->silent_s;
	to->stall_s = from->stall_s;
	to->rights = from->rights;
	memset(&from->rights, 0, sizeof(from->rights));
	setup_fini(from);
}

void
setup_fini(struct setup *c)
{
	mem_free(MEM_OTHER, c->listen);
	mem_free(MEM_OTHER, c->user);
	mem_free(MEM_OTHER, c->log);
	mem_free(MEM_OTHER, c->cert);
	mem_free(MEM_OTHER, c->key);
	for (unsigned i = 0; i < c->server_cnt; i++)
		mem_free(MEM_OTHER, c->server[i]);
	rights_fini(&c->rights);
}

bool
setup_token(const char *whose)
{
	uint8_t random[24];
	char token[2 * sizeof(random) + 1], hash[SHA256_TEXT], name[16];
	struct sha256 *sum;
	uint32_t as;
	bool good;

	if (!setup_as(&as, whose) ||
	    getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return false;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	sum = sha256_new();
	sha256_add(sum, token, strlen(token));
	good = sha256_end(sum, hash);
	sha256_free(sum);
	if (!good)
		return false;
	snprintf(name, sizeof(name), "%u", as);
	/* the line begins at column 1: `grep '^token '` finds the line */
	printf("The token, for its owner:\n  %s\n"
	       "The line for the configuration file of ternhttp:\ntoken %s %s\n",
	    token, as ? name : "exchange", hash);
	return true;
}
