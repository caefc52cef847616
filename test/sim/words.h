/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a line of a story. */
#ifndef TERN_TEST_SIM_WORDS_H
#define TERN_TEST_SIM_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* words_next - the next word of *@at, cut off; "" at the end. */
char *words_next(char **at);
/* words_rest - take all words: the text at *@at, without blanks at both ends and without
 * quotes around. */
char *words_rest(char **at);
/* words_is - is the next word @word? */
bool words_is(const char *at, const char *word);
/* words_skip - take the next word if the word is @word. */
bool words_skip(char **at, const char *word);
/* words_u32, words_upto, words_ms - the next word as a number, "7", of 32 bits or up to
 * @max, or as a number of milliseconds, "100ms", that are microseconds of 32 bits. Fails
 * the run if the word is anything else. */
uint32_t words_u32(char **at);
uint32_t words_upto(char **at, uint32_t max);
uint32_t words_ms(char **at);
/* words_address - the next word, which is an address; a link-local address may have an
 * interface, "fe80::1%eth0". Fails the run if the word is anything else. */
void words_address(char **at, char out[64]);
/* words_length - the length of a prefix: the whole text is a number up to @max (128 at
 * most). Returns: false: the text is anything else. */
bool words_length(const char *text, unsigned max, uint8_t *len);
#define WORDS_HEX_MAX 4096 /* octets of a step that sends octets */
/* words_hex - octets in hexadecimal, blanks between. Returns: false: something else, no
 * octets, or more than @cap octets. */
bool words_hex(const char *at, uint8_t *out, uint32_t cap, uint32_t *len);

#endif
