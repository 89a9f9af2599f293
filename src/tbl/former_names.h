/* check-words: skip file (former names are what it bans)
 *
 * Names that earlier versions wrote or accepted, and their present names. They are translated where they come in, before
 * the document is checked, and never written.
 *
 *   FORMER_SECTION(PLACE, path)            a section of a result: an object, or each entry of a list
 *   FORMER_KEY(PLACE, former, name)        a key
 *   FORMER_VALUE(PLACE, key, former, name) a value of the key `key`, by its present name; "" for every key
 *     PLACE  TOP: of the document; RUN: of each object of its list `runs`; RECORD: of a request record and of a planned
 *            request in a journal; HEAD: of the first line of a journal; or a section of a result
 *
 * A key of a section is also a field, by its path. The values of the key `status` of CHECK are also values of the fields
 * quality.ID.status, and those of its key `id` are also parts of field ids.
 * Undefined macros are skipped; a file that defines a macro undefines it after the include.
 */
#ifndef FORMER_SECTION
#define FORMER_SECTION(PLACE, path)
#define NO_FORMER_SECTION
#endif
#ifndef FORMER_KEY
#define FORMER_KEY(PLACE, former, name)
#define NO_FORMER_KEY
#endif
#ifndef FORMER_VALUE
#define FORMER_VALUE(PLACE, key, former, name)
#define NO_FORMER_VALUE
#endif

/* requests to the dashboard: members of the body and of the query string */
FORMER_KEY(TOP, "on_known", "on_conflict")
FORMER_KEY(TOP, "colour", "color")
FORMER_KEY(TOP, "colour_choices", "color_choices")
FORMER_KEY(TOP, "near", "neighbors")
FORMER_VALUE(TOP, "form", "near", "neighbors")

/* summary.json and sweep.jsonl of a sweep, and plans in the database */
FORMER_KEY(TOP, "left_out", "redacted")
FORMER_KEY(RUN, "cell", "combination")
FORMER_KEY(RUN, "point", "parameters")
FORMER_KEY(RUN, "gone", "removed")
FORMER_KEY(RUN, "beside", "other_servers_max")
FORMER_VALUE(RUN, "status", "falls_out", "skipped")
FORMER_VALUE(RUN, "status", "not_sent", "not_uploaded")

/* the head of a plan in the database */
FORMER_KEY(TOP, "falls_out", "skipped")
FORMER_KEY(TOP, "gone", "removed")

/* results of schema_version 1 and 2, and journals of that time */
FORMER_SECTION(SOURCE, "config.server_source")
FORMER_SECTION(TELEMETRY, "system.telemetry")
FORMER_SECTION(LAUNCH, "launch")
FORMER_SECTION(CLIENT, "environment.client")
FORMER_SECTION(DIFFERENCE, "environment.repeat_of.differences")
FORMER_SECTION(MEASUREMENT, "quality.measurement")
FORMER_SECTION(CHECK, "quality.checks")
FORMER_SECTION(MISMATCH, "quality.checks.differences")
FORMER_VALUE(SOURCE, "", "absent", "not_in_release")
FORMER_KEY(TELEMETRY, "late_p50_ms", "lateness_p50_ms")
FORMER_KEY(TELEMETRY, "late_p99_ms", "lateness_p99_ms")
FORMER_KEY(TELEMETRY, "late_max_ms", "lateness_max_ms")
FORMER_KEY(TELEMETRY, "metrics_asked", "metrics_requested")
FORMER_KEY(LAUNCH, "beside", "other_servers_max")
FORMER_KEY(CLIENT, "summary_worst", "summary_difference_metric")
FORMER_KEY(DIFFERENCE, "then", "original")
FORMER_KEY(DIFFERENCE, "now", "current")
FORMER_KEY(MEASUREMENT, "worst_figure", "metric")
FORMER_VALUE(CHECK, "id", "cap_held_rate", "concurrency_limited")
FORMER_VALUE(CHECK, "status", "ok", "passed")
FORMER_VALUE(CHECK, "status", "beyond", "over_limit")
FORMER_KEY(MISMATCH, "asked", "requested")
FORMER_KEY(RECORD, "prompt_tokens_asked", "prompt_tokens_requested")
FORMER_KEY(RECORD, "output_tokens_asked", "output_tokens_requested")
FORMER_KEY(RECORD, "lacks_done", "done_missing")
FORMER_KEY(HEAD, "beside", "separate")

/* a field of the store, which no result has */
FORMER_SECTION(STORED, "stored")
FORMER_KEY(STORED, "near", "possible_duplicate")

#ifdef NO_FORMER_SECTION
#undef FORMER_SECTION
#undef NO_FORMER_SECTION
#endif
#ifdef NO_FORMER_KEY
#undef FORMER_KEY
#undef NO_FORMER_KEY
#endif
#ifdef NO_FORMER_VALUE
#undef FORMER_VALUE
#undef NO_FORMER_VALUE
#endif
