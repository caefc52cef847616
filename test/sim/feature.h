/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of a configuration, and drawn choices of them (feature.c). */
#ifndef TERN_TEST_SIM_FEATURE_H
#define TERN_TEST_SIM_FEATURE_H

#include "test/sim/member.h"

#define FEATURE_MAX 96
#define PEER_CNT    6

enum feature_place {
	OF_WORLD, /* text at the top of the file */
	OF_SESSION, /* text in a `protocol bgp` */
	OF_CHANNEL /* text in its IPv4 channel */
};

/* Meaning of a feature beyond its text. */
enum feature_tag {
	UNTAGGED,
	THREADS,
	CONFEDERATION,
	IPV6,
	PASSWORD,
	TTL,
	MEMBER_RESTARTS,
	LONG_LIVED, /* of the daemon's routes, and of a member that restarts */
	ROLE, /* the member has the role that fits, or none */
	EXTENDED_HOP,
	EXTENDED_MESSAGES,
	PATHS_IN, /* the member sends several routes of a prefix */
	PATHS_OUT,
	DYNAMIC,
	LINK_LOCAL, /* addresses of the member and the daemon */
	SKEWED, /* the member's clock is fast or slow */
	INTERNAL,
	OVERLAY, /* a table of its own, and a pipe */
	ROA_CACHE,
	STATION,
	KERNEL,
	BFD_PEER,
	NO_REFRESH,
	LIMIT, /* the number changes during the hour */
	FILTER_PATH,
	FILTER_SET,
	FILTER_ROA,
	FILTER_ASPA,
	FILTER_EXPORT,
	FILTER_EXPORT_ROA
};

struct feature {
	const char *name;
	enum feature_place place;
	enum feature_tag tag;
	/* a member has at most one feature of a group; NULL: no group */
	const char *group;
	const char *text; /* in the file; %u of a LIMIT: the limit */
};

extern const struct feature feature[];
extern const unsigned feature_cnt;

/* The features of a run: of the world, and of each member. */
struct choice {
	bool world[FEATURE_MAX];
	bool peer[PEER_CNT][FEATURE_MAX];
};

/* choice_draw - the choice of a seed; no world is needed. */
void choice_draw(struct choice *c, uint64_t seed);
/* choice_any - has the run the feature at all? */
bool choice_any(const struct choice *c, unsigned f);
/* choice_tag - has the run, or member @p if not negative, a feature with that tag? */
bool choice_tag(const struct choice *c, int p, enum feature_tag tag);
/* choice_role - the role of member @p that fits the daemon's role; ROLE_NONE: the daemon
 * has no role for the member. */
enum member_role choice_role(const struct choice *c, unsigned p);
/* choice_pairs - count the pairs of features that meet in @cnt seeds from @seed; @table:
 * print the table. Returns: the number of possible pairs that never met. */
unsigned choice_pairs(uint64_t seed, uint64_t cnt, bool table);

/* The variable part of a configuration during a run. */
struct shape {
	unsigned limit; /* of all limits */
	unsigned list; /* which lists of prefixes, communities and ROAs */
	unsigned left; /* bit p: member p has left */
};

/* choice_config - the file. The caller frees the text. */
char *choice_config(
    const struct choice *c, const struct shape *s, struct member *const *peer);

#endif
