/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hands the answer of a job to libmicrohttpd. Tested by test/net/test_http.py. Loop: the
 * only thread of ternhttp.
 *
 * I1  A short answer that is whole is a buffer of the job, which lives until the request
 *     has ended. All other answers are read piece by piece, as the job makes them.
 * I2  A connection is suspended here only if its job waits for a daemon. */
#include "client/http/answer.h"

#include "client/http/heads.h"
#include "client/http/job/squeeze.h"
#include "lib/base/strbuf.h"

#include <microhttpd.h>
#include <string.h>

#define ANSWER_BLOCK       8192 /* octets that a response asks of the reader at once */
#define ANSWER_SQUEEZE_MIN 1024 /* octets of an answer that is worth a compression */

/* answer_taken - the client has @n further octets of the answer. */
static void
answer_taken(struct job *j, size_t n)
{
	j->http.pos += n;
	if (j->http.pos == j->out.len) {
		strbuf_reset(&j->out);
		j->http.pos = 0;
	}
}

/* answer_copy - Returns: octets of the answer in @to. */
static size_t
answer_copy(struct job *j, char *to, size_t max)
{
	size_t n = j->out.len - j->http.pos;

	if (n > max)
		n = max;
	memcpy(to, j->out.s + j->http.pos, n);
	answer_taken(j, n);
	return n;
}

/* answer_squeeze - as answer_copy, compressed. The compressor may take much and give
 * nothing. */
static size_t
answer_squeeze(struct job *j, char *to, size_t max)
{
	size_t n = 0, taken;
	bool last;

	do {
		last = j->finished && !j->failed;
		n = squeeze_more(j->http.squeeze, j->out.s + j->http.pos,
		    j->out.len - j->http.pos, last, &taken, to, max);
		answer_taken(j, taken);
		if (!n && !last && !j->failed)
			job_run(j);
	} while (
	    !n && (j->out.len > j->http.pos || (j->finished && !j->failed && !last)));
	return n;
}

/* answer_read - libmicrohttpd wants octets of the answer. */
static ssize_t
answer_read(void *cls, uint64_t pos, char *to, size_t max)
{
	struct job *j = cls;
	size_t n;

	(void)pos;
	if (j->out.len == j->http.pos && !j->finished)
		job_run(j);
	n = j->http.squeeze ? answer_squeeze(j, to, max) : answer_copy(j, to, max);
	j->http.sent += n;
	if (n)
		return (ssize_t)n;
	if (j->failed)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (j->finished)
		return MHD_CONTENT_READER_END_OF_STREAM;
	j->http.suspended = true;
	MHD_suspend_connection(j->http.conn);
	return 0;
}

/* answer_squeeze_whole - compress the answer, which is whole and short. */
static void
answer_squeeze_whole(struct job *j)
{
	char part[ANSWER_BLOCK];
	struct strbuf to;
	size_t n, taken, pos = 0;

	strbuf_init(&to);
	do {
		n = squeeze_more(j->http.squeeze, j->out.s + pos, j->out.len - pos, true,
		    &taken, part, sizeof(part));
		pos += taken;
		strbuf_add(&to, part, n);
	} while (n);
	strbuf_fini(&j->out);
	j->out = to;
}

/* answer_whole - the response of a short answer that is whole. libmicrohttpd sends head
 * and content by one system call. */
static struct MHD_Response *
answer_whole(struct job *j)
{
	if (j->http.squeeze)
		answer_squeeze_whole(j);
	j->http.sent = strcmp(j->http.method, MHD_HTTP_METHOD_HEAD) ? j->out.len : 0;
	return MHD_create_response_from_buffer(
	    j->out.len, j->out.s, MHD_RESPMEM_PERSISTENT);
}

/* answer_is_squeezed - does the client permit a compression that is worth the time for
 * @size octets? */
static bool
answer_is_squeezed(const struct job *j, uint64_t size)
{
	return !j->view->more && size >= ANSWER_SQUEEZE_MIN &&
	       squeeze_wanted(MHD_lookup_connection_value(
		   j->http.conn, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
}

bool
answer_send(struct job *j)
{
	uint64_t size = j->finished ? j->out.len : MHD_SIZE_UNKNOWN;
	struct MHD_Response *r;
	bool queued;

	if (answer_is_squeezed(j, size))
		j->http.squeeze = squeeze_new();
	if (size <= JOB_HIGH)
		r = answer_whole(j);
	else
		r = MHD_create_response_from_callback(
		    j->http.squeeze ? MHD_SIZE_UNKNOWN : size, ANSWER_BLOCK, answer_read,
		    j, NULL);
	if (!r)
		return false;
	j->started = true;
	heads_add(j, r);
	queued = MHD_queue_response(j->http.conn, (unsigned)j->status, r) == MHD_YES;
	MHD_destroy_response(r);
	return queued;
}
