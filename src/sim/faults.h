/*
 * Injected faults: the requests on the command line, and which request each fault hits.
 * After n counted requests, each kind has hit floor(share x n) of them, evenly spread; the choice depends only on their
 * order. A request has at most one fault: if two kinds choose the same request, the later kind takes the next one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The faults of a request, in order of precedence. */
enum sim_fault {
	SIM_FAULT_NONE,
	SIM_FAULT_ERROR,        /* refused before it begins */
	SIM_FAULT_RESET,        /* RST in the middle */
	SIM_FAULT_STALL,        /* nothing more is sent */
	SIM_FAULT_STREAM_ERROR, /* an error object after status 200 */
	SIM_FAULT_TRUNCATE,     /* the body ends early, with a regular end */
	SIM_FAULT_BAD_JSON,     /* one event is invalid JSON */
	SIM_FAULT_COUNT
};

enum sim_failure {
	SIM_FAILURE_NONE,
#define FAILURE(id, name, stage, who, text) SIM_FAILURE_##id,
#include "tbl/sim_failures.h"
	SIM_FAILURE_COUNT
};

enum sim_metrics_fault {
	SIM_METRICS_GOOD,
	SIM_METRICS_GONE,           /* 404 */
	SIM_METRICS_GARBAGE,        /* 200, but not a metrics text */
	SIM_METRICS_RESET_COUNTERS, /* every 10th scrape starts at 0, as after a restart */
	SIM_METRICS_COUNT
};

/* Forms of events; all are valid by the standard for event streams. */
enum sim_event_form {
	SIM_FORM_PLAIN,
	SIM_FORM_COMMENTS, /* ": ping" in a separate send() before each event */
	SIM_FORM_CRLF,
	SIM_FORM_NO_SPACE, /* "data:{" */
	SIM_FORM_LINES,    /* several data: lines, split where JSON allows a line feed */
	SIM_FORM_FIELDS,   /* event:, id: and retry: in addition to data: */
	SIM_FORM_COUNT
};

struct sim_faults {
	double rates[SIM_FAULT_COUNT];
	int64_t fail_start;   /* enum sim_failure */
	int64_t crash_after;  /* -1: never */
	int64_t crash_signal; /* 0: no signal, exit status 1 */
	int64_t hang_after;   /* -1: never */
	int64_t error_status;
	int64_t retry_after_s; /* -1: not sent */
	int64_t wrong_usage;
	int64_t merge_tokens;
	int64_t merge_sends;
	int64_t cut_bytes; /* 0: not cut */
	int64_t event_form;
	int64_t unhealthy_ns;
	int64_t metrics;
	int64_t close_after; /* 0: never */
	bool no_usage;
	bool no_finish;
};

struct sim_fault_count {
	uint64_t requests; /* counted so far */
	uint64_t hit[SIM_FAULT_COUNT];
};

/* Sets no faults. */
void sim_faults_init(struct sim_faults *faults);
/* Counts one more request and returns its fault. */
enum sim_fault sim_faults_next(const struct sim_faults *faults, struct sim_fault_count *count);

/* The names in the order of the enumerations above, NULL-terminated. */
extern const char *const sim_failure_words[SIM_FAILURE_COUNT + 1];
extern const char *const sim_metrics_words[SIM_METRICS_COUNT + 1];
extern const char *const sim_form_words[SIM_FORM_COUNT + 1];
/* Returns the index of a word in such a list, or -1. */
int64_t sim_word_find(const char *const *words, const char *word);
/* Accepts "KILL", "SIGKILL" or "9". */
int64_t sim_signal_find(const char *name);
