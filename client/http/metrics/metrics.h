/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics in the text format of Prometheus, with the names and labels of bird_exporter
 * in its new form or its old form, and tern's own metrics. Loop: the only thread of
 * ternhttp. */
#ifndef TERN_CLIENT_HTTP_METRICS_METRICS_H
#define TERN_CLIENT_HTTP_METRICS_METRICS_H

#include "client/http/job/job.h"

extern const struct view metrics_view;

#endif
