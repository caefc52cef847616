/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemons that know a word of the language. Owner: none, constants. Life: by value.
 * Types only; any thread may read. */
#ifndef TERN_FILTER_VALUE_KNOWN_H
#define TERN_FILTER_VALUE_KNOWN_H

enum known_by {
	KNOWN_BIRD_2 = 0, /* BIRD 2.17 and tern */
	KNOWN_NO_VALUE, /* likewise, but BIRD 2.17 refuses a value behind the option */
	KNOWN_DEFAULT, /* likewise, but BIRD 2.17 takes the default value only */
	KNOWN_BIRD_3, /* BIRD 3 and tern */
	KNOWN_TERN /* tern */
};

#endif
