/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a run: progress and differences on stderr, one JSON object on stdout. */
#include "test/load/load_report.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *const diff_name[] = { "right", "missing", "extra", "wrong" };

static double
s_of(uint64_t from, uint64_t to)
{
	return to > from && from ? (double)(to - from) / (double)NS_S : 0;
}

static const char *
load_report_doing(const struct load_run *r)
{
	if (!r->all_up_ns)
		return "connecting";
	if (r->steps->cur < r->steps->cnt)
		return r->steps->step[r->steps->cur].kind->name;
	return "done";
}

void
load_report_progress(struct load_run *r)
{
	uint64_t octets = 0, all = (uint64_t)r->clients * r->nets.cnt;
	double percent;
	uint32_t c;

	if (r->opt->quiet)
		return;
	for (c = 0; c < r->clients; c++)
		octets += r->client[c].rx_octets;
	percent = all ? 100.0 - 100.0 * (double)load_board_wrong(&r->board) / (double)all
		      : 0;
	/* Only what is right to the last prefix counts as whole. */
	if (percent > 99.9 && !load_steps_quiet(r))
		percent = 99.9;
	fprintf(stderr,
	    "%s%6.1f s  %-10s  %u of %u sessions up  %5.1f %% right  %.1f MB in%s",
	    isatty(2) ? "\r\033[K" : "", s_of(r->start_ns, r->now), load_report_doing(r),
	    r->up_cnt, r->clients, percent, (double)octets / 1e6, isatty(2) ? "" : "\n");
}

void
load_report_end_progress(struct load_run *r)
{
	if (!r->opt->quiet && isatty(2))
		fputs("\r\033[K", stderr);
}

static void
load_report_print_set(struct load_run *r, const char *what, uint32_t set)
{
	struct strbuf b;

	if (!set)
		return;
	strbuf_init(&b);
	attr_print(&b, r->sets.set[set].canon);
	fprintf(stderr, "    %s %s\n", what, b.s);
	strbuf_fini(&b);
}

/* Path by path. */
static void
print_paths(struct load_run *r, uint32_t c, uint32_t n)
{
	struct load_addpath *a = &r->board.add_path;
	struct load_addpath_diff d;
	char what[64];
	uint32_t i;

	load_addpath_compare(&r->board, c, n, &d);
	for (i = 0; i < d.missing_cnt && i < LOAD_ADDPATH_SHOWN; i++)
		load_report_print_set(r, "must hold", d.missing[i]);
	for (i = 0; i < d.extra_cnt && i < LOAD_ADDPATH_SHOWN; i++) {
		snprintf(what, sizeof(what),
		    "mustn't hold path id %u:", a->ids.at[d.extra[i]].id);
		load_report_print_set(r, what, a->row[c].held[d.extra[i]]);
	}
}

static void
print_difference(struct load_run *r, uint32_t c, uint32_t n, enum load_diff d)
{
	struct prefix p = load_net_prefix(&r->nets.net[n]);
	char ps[PREFIX_STR_MAX], as[IP_STR_MAX];

	fprintf(stderr, "ternload: client %s (AS %u): %s %s\n",
	    ip_str(as, r->facts[c].addr), r->facts[c].as, diff_name[d],
	    prefix_str(ps, &p));
	if (r->board.row[c].add_path) {
		print_paths(r, c, n);
		return;
	}
	load_report_print_set(r, "must hold", load_board_expected(&r->board, c, n));
	load_report_print_set(r, "holds    ", load_board_held(&r->board, c, n));
}

static void
print_unknown(struct load_run *r, uint32_t c)
{
	const struct load_addpath *a = &r->board.add_path;
	const struct load_pathid *first;
	char ps[PREFIX_STR_MAX], as[IP_STR_MAX];
	struct prefix p;

	if (!a->row || !a->row[c].unknown || r->opt->allow_unknown)
		return;
	first = &a->ids.at[a->row[c].unknown_first];
	p = load_net_prefix(&r->nets.net[first->net]);
	fprintf(stderr,
	    "ternload: client %s (AS %u): %llu withdrawals of paths that the client "
	    "didn't hold, first %s path id %u\n",
	    ip_str(as, r->facts[c].addr), r->facts[c].as,
	    (unsigned long long)a->row[c].unknown, prefix_str(ps, &p), first->id);
}

bool
load_report_differences(struct load_run *r, uint64_t cnt[DIFF_CNT])
{
	uint32_t c, n, shown = 0;
	enum load_diff d;

	memset(cnt, 0, DIFF_CNT * sizeof(*cnt));
	load_board_grow(&r->board);
	for (c = 0; c < r->clients; c++) {
		if (r->client[c].elsewhere)
			continue;
		if (r->client[c].state != CL_ESTABLISHED && shown < r->opt->report) {
			char as[IP_STR_MAX];

			fprintf(stderr, "ternload: client %s (AS %u): no session\n",
			    ip_str(as, r->facts[c].addr), r->facts[c].as);
			shown++;
		}
		print_unknown(r, c);
		for (n = 0; n < r->nets.cnt && r->board.row[c].wrong; n++) {
			d = load_board_diff(&r->board, c, n);
			cnt[d]++;
			if (d != DIFF_NONE && shown < r->opt->report) {
				print_difference(r, c, n, d);
				shown++;
			}
		}
	}
	return cnt[DIFF_MISSING] + cnt[DIFF_EXTRA] + cnt[DIFF_WRONG] == 0;
}

static void
json_usage(const struct load_usage *u)
{
	printf("\"cpu_user_s\": %.2f, \"cpu_system_s\": %.2f, \"cpu_s\": %.4f, "
	       "\"rss_kb\": %llu, \"peak_rss_kb\": %llu, \"threads\": %u",
	    u->user_s, u->system_s, u->cpu_s, (unsigned long long)u->rss_kb,
	    (unsigned long long)u->peak_kb, u->threads);
}

static void
json_step(const struct load_run *r, struct load_step *s)
{
	printf("{\"step\": \"%s\", \"value\": %g, \"done\": %s, \"median_s\": %.6f, "
	       "\"last_s\": %.6f, \"took_s\": %.6f",
	    s->kind->name, s->a, s->finished ? "true" : "false",
	    (double)s->median_ns / (double)NS_S, (double)s->last_ns / (double)NS_S,
	    s_of(s->start_ns, s->finished ? s->end_ns : r->now));
	if (s->finished)
		printf(", \"in_octets\": %llu, \"in_messages\": %llu, \"in_prefixes\": "
		       "%llu, "
		       "\"in_withdrawn\": %llu, \"lacked\": %llu",
		    (unsigned long long)s->rx_octets, (unsigned long long)s->rx_msgs,
		    (unsigned long long)s->prefixes, (unsigned long long)s->withdrawn,
		    (unsigned long long)s->lacked);
	printf(", \"began_s\": %.6f, \"changes\": %llu, \"load_lag_s\": %.6f",
	    (double)s->start_ns / (double)NS_S, (unsigned long long)s->changes,
	    (double)s->lag_ns / (double)NS_S);
	if (s->gap_ns)
		printf(", \"gap_s\": %.6f, \"gap_median_s\": %.6f",
		    (double)s->gap_ns / (double)NS_S,
		    (double)s->gap_median_ns / (double)NS_S);
	if (s->kind == &step_pair && s->sample_cnt) {
		load_sort(s->sample, s->sample_cnt);
		printf(", \"pair_median_ms\": %.4f, \"pair_p95_ms\": %.4f, "
		       "\"pair_p99_ms\": %.4f, \"pair_max_ms\": %.4f, \"pair_cnt\": %u",
		    (double)load_percentile(s->sample, s->sample_cnt, 50) / 1e6,
		    (double)load_percentile(s->sample, s->sample_cnt, 95) / 1e6,
		    (double)load_percentile(s->sample, s->sample_cnt, 99) / 1e6,
		    (double)load_percentile(s->sample, s->sample_cnt, 100) / 1e6,
		    s->sample_cnt);
	}
	if (s->flap_cnt) {
		load_sort(s->sample, s->sample_cnt);
		load_sort(s->last, s->flap_cnt);
		printf(", \"flap_median_ms\": %.4f, \"flap_p99_ms\": %.4f, "
		       "\"flap_last_client_median_ms\": %.4f, "
		       "\"flap_last_client_max_ms\": %.4f, \"flaps\": %u",
		    (double)load_percentile(s->sample, s->sample_cnt, 50) / 1e6,
		    (double)load_percentile(s->sample, s->sample_cnt, 99) / 1e6,
		    (double)load_percentile(s->last, s->flap_cnt, 50) / 1e6,
		    (double)s->last[s->flap_cnt - 1] / 1e6, s->flap_cnt);
	}
	if (r->opt->pid_cnt && s->finished) {
		printf(", ");
		json_usage(&s->usage);
	}
	printf("}");
}

/* Totals over all clients. */
struct totals {
	uint64_t in_octets, in_msgs, out_octets, out_msgs, prefixes, withdrawn, lacked,
	    routes;
};

static struct totals
load_report_total(const struct load_run *r)
{
	struct totals t = { 0 };
	uint32_t c, i;

	for (c = 0; c < r->clients; c++) {
		t.in_octets += r->client[c].rx_octets;
		t.in_msgs += r->client[c].rx_msgs;
		t.out_octets += r->client[c].tx_octets;
		t.out_msgs += r->client[c].tx_msgs;
		t.prefixes += r->board.row[c].prefixes;
		t.withdrawn += r->board.row[c].withdrawn;
	}
	for (i = 0; i < r->model.route_cnt; i++)
		t.routes += r->model.route[i].set != 0;
	return t;
}

static const struct load_step *
step_named(const struct load_run *r, const char *name)
{
	uint32_t i;

	for (i = 0; i < r->steps->cnt; i++)
		if (strcmp(r->steps->step[i].kind->name, name) == 0)
			return &r->steps->step[i];
	return NULL;
}

static void
json_times(const struct load_run *r)
{
	const struct load_step *s = step_named(r, "announce");

	printf("\"started_at\": %.6f, \"all_up_s\": %.6f, ", load_gate_time(r->start_ns),
	    s_of(r->start_ns, r->all_up_ns));
	if (!s || !s->finished) {
		printf("\"complete_median_s\": null, \"complete_last_s\": null, ");
		return;
	}
	printf("\"complete_median_s\": %.6f, \"complete_last_s\": %.6f, "
	       "\"complete_since_connect_s\": %.6f, \"complete_since_up_s\": %.6f, ",
	    (double)s->median_ns / (double)NS_S, (double)s->last_ns / (double)NS_S,
	    s_of(r->start_ns, s->start_ns + s->last_ns),
	    s_of(r->all_up_ns, s->start_ns + s->last_ns));
}

/* What ternload itself used since it began to connect: who was slow? */
static void
json_own(const struct load_run *r)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	printf("\"load_cpu_s\": %.2f, \"load_elapsed_s\": %.2f, ",
	    (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		(double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6 - r->setup_cpu_s,
	    s_of(r->start_ns, r->now));
}

void
load_report_json(struct load_run *r, bool ok, const uint64_t cnt[DIFF_CNT])
{
	struct totals t = load_report_total(r);
	struct load_usage u;
	uint32_t i;

	printf("{\"ok\": %s, \"sessions\": %u, \"sessions_up\": %u, \"sessions_lost\": "
	       "%llu, "
	       "\"retries\": %llu, \"malformed\": %llu, \"nets\": %u, \"routes\": %llu, ",
	    ok ? "true" : "false", r->clients - r->elsewhere_cnt, r->up_cnt,
	    (unsigned long long)r->lost, (unsigned long long)r->retries,
	    (unsigned long long)r->malformed, r->nets.cnt, (unsigned long long)t.routes);
	json_times(r);
	printf("\"in_octets\": %llu, \"in_messages\": %llu, \"out_octets\": %llu, "
	       "\"out_messages\": %llu, \"in_prefixes\": %llu, \"in_withdrawn\": %llu, "
	       "\"lacked\": %llu, \"changes\": %llu, ",
	    (unsigned long long)t.in_octets, (unsigned long long)t.in_msgs,
	    (unsigned long long)t.out_octets, (unsigned long long)t.out_msgs,
	    (unsigned long long)t.prefixes, (unsigned long long)t.withdrawn,
	    (unsigned long long)load_steps_lacked(r),
	    (unsigned long long)r->steps->changes);
	json_own(r);
	printf("\"missing\": %llu, \"extra\": %llu, \"wrong\": %llu, ",
	    (unsigned long long)cnt[DIFF_MISSING], (unsigned long long)cnt[DIFF_EXTRA],
	    (unsigned long long)cnt[DIFF_WRONG]);
	if (r->board.add_path.row)
		printf("\"unknown_withdrawn\": %llu, ",
		    (unsigned long long)load_addpath_unknown(&r->board));
	if (r->opt->pid_cnt) {
		load_proc_usage(&u, r->opt->pid, r->opt->pid_cnt);
		json_usage(&u);
		printf(", ");
	}
	load_curve_json(&r->curve, r->start_ns);
	printf("\"steps\": [");
	for (i = 0; i < r->steps->cnt; i++) {
		if (i)
			printf(", ");
		json_step(r, &r->steps->step[i]);
	}
	printf("]}\n");
	fflush(stdout);
}
