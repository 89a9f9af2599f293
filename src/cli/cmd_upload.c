/* `profllm upload FILE… --to URL`: the command line of upload/upload.h. */
#include "cli/cli.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/dashboard.h"
#include "result/files.h"
#include "sweep/journal.h"
#include "upload/pending.h"
#include "upload/sweep.h"
#include "upload/upload.h"

#define REPORT_BYTES_MAX (256u << 20)
#define WAIT_NS          (60 * PL_NS_PER_S)

struct upload_options {
	const char *to;
	const char *token_file;
	const char *ca_file;
	bool insecure;
	bool json;
	bool pending;
	bool without_artifacts;
	const char *on_conflict;
	int64_t wait_ns;
};

#define AT(field) offsetof(struct upload_options, field)

static const char *const policy_names[] = {
#define STORE_CONFLICT_POLICY(NAME, name, text) #name,
#include "tbl/store_words.h"
	NULL,
};

static const struct pl_opt upload_rows[] = {
	PL_OPT(TEXT, 0, "to", to, "URL",
	       "send to this dashboard, such as http://127.0.0.1:8421 or unix:PATH"),
	PL_OPT(FLAG, 0, "pending", pending, NULL,
	       "send results that earlier runs did not upload, as listed in the .upload files of "
	       "the "
	       "named files and directories (default: the current directory)"),
	PL_OPT(TEXT, 0, "token-file", token_file, "FILE", "send the token in FILE"),
	PL_OPT(TEXT, 0, "ca-file", ca_file, "FILE",
	       "trust the certificates in FILE (PEM) instead of the system's"),
	PL_OPT(FLAG, 0, "insecure", insecure, NULL, "accept any TLS certificate"),
	PL_OPT(TEXT, 0, "on-conflict", on_conflict, "POLICY",
	       "handle a result whose content or run_id is already stored: skip it, replace "
	       "the stored one, or keep both",
	       .choices = policy_names, .def = "skip"),
	/* the spelling of earlier versions */
	PL_OPT(TEXT, 0, "on-known", on_conflict, "WORD", "", .choices = policy_names,
	       .hidden = true),
	PL_OPT(DURATION, 0, "wait", wait_ns, "TIME",
	       "retry for TIME while the dashboard is unreachable or full", .def = "60s"),
	PL_OPT(FLAG, 0, "without-artifacts", without_artifacts, NULL,
	       "send results without their artifacts"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	{ .name = NULL },
};

const struct pl_opt_command cli_upload_command = {
	.name = "profllm upload",
	.usage = "FILE… --to URL [options]\n--pending [FILE…] [--to URL] [options]",
	.summary = "Send results to a dashboard and show the outcome of each.",
	.details =
		"A FILE holds one result, a JSON array of results, one result per line, or a "
		"log with tables of vllm bench serve. Results may be from any version of profllm, "
		"or from vllm bench serve. Files may be compressed (.zst, .gz). From a directory, "
		"the command sends all .json, .jsonl and .ndjson files, compressed or not, except "
		"artifacts.\n\n"
		"Examples:\n"
		"  profllm upload r.json --to http://127.0.0.1:8421\n"
		"  profllm upload results/ --to https://bench.example --json\n"
		"  profllm upload --pending results/\n\n"
		"For the directory of a sweep (profllm sweep run), the command also sends "
		"summary.json.\n\n"
		"After each stored result, the command sends its missing artifacts (requests, "
		"series, logs, plots, traces). It reports artifacts without a file, and artifacts "
		"that were changed, and does not send them.\n\n"
		"The dashboard stores the same content once (duplicate). Another result with a "
		"stored "
		"run_id is a conflict, which --on-conflict resolves. All files form one upload; "
		"the "
		"last line of output is the URL of its page. If this command stops, the dashboard "
		"continues with the files that it has accepted. If you repeat the command, it "
		"sends "
		"only missing files (with --on-conflict replace, all files).\n\n"
		"A run whose --upload fails lists the missing files in OUTPUT.upload. --pending "
		"sends "
		"the results of such lists, each to its dashboard or to that of --to, and removes "
		"a "
		"list once the dashboard has everything.\n\n"
		"While a dashboard is unreachable or full, the command retries for the time of "
		"--wait, with growing pauses.\n\n"
		"Exit status: 0 every result is stored, 1 the dashboard is unreachable or does not "
		"accept files, 2 invalid usage, a file cannot be read, a result was rejected, "
		"canceled, "
		"deleted on the dashboard or in conflict, or an artifact was rejected.",
	.options = upload_rows,
	.operand = "FILE",
};

#define FAULTS_SHOWN 10 /* per file */

/* The files to send: results, and summaries of sweeps. Paths are borrowed. */
struct named {
	const char *name; /* of the upload */
	size_t others;    /* files in directories whose names are not those of results: ignored */
	struct upload_file *files;
	size_t count;
	size_t room;
	const char **sweeps;
	size_t sweep_count;
	size_t sweep_room;
	json_t *reported; /* [{path, failure}] of each sent sweep; failure null: stored */
};

/* ---- outcomes ------------------------------------------------------------------------------ */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static bool is_deleted(const json_t *item)
{
	return strcmp(text_of(item, "state"), "duplicate") == 0 &&
	       json_is_true(json_object_get(item, "deleted"));
}

/* ---- for people ---------------------------------------------------------------------------- */

/* Removes control characters from texts of the dashboard and file names. */
static void add_clean(struct pl_buf *text, const char *before, const char *words)
{
	auto_free char *clean = pl_clean_line(words);

	if (clean[0] != '\0')
		pl_buf_addf(text, "%s%s", before, clean);
}

/* Adds one line per fault with its location in the file, up to a limit, because a file of another kind has hundreds. */
static void add_faults(struct pl_buf *text, const json_t *faults, const char *message)
{
	size_t count = json_array_size(faults), shown = 0;

	for (size_t i = 0; i < count && shown < FAULTS_SHOWN; i++) {
		const json_t *fault = json_array_get(faults, i);
		int64_t line = pl_json_get_i64(fault, "line");
		/* a single fault usually equals the message */
		if (pl_text_equal(text_of(fault, "message"), message))
			continue;
		auto_free char *position = line > 0 ? pl_asprintf("             line %lld: ",
								  (long long)line)
						    : pl_strdup("             ");
		add_clean(text, position, text_of(fault, "message"));
		pl_buf_add_char(text, '\n');
		shown++;
	}
	if (shown == FAULTS_SHOWN && count > shown)
		pl_buf_add_text(text, "             and more (--json lists them)\n");
}

static void add_item(struct pl_buf *text, const json_t *item)
{
	const json_t *id = json_object_get(item, "id");
	bool is_conflict = strcmp(text_of(item, "state"), "conflict") == 0;

	auto_free char *state = pl_clean_line(text_of(item, "state"));
	pl_buf_addf(text, "%-9s", state);
	add_clean(text, "  ", text_of(item, "name"));
	/* the message of a conflict contains it */
	if (json_is_integer(id) && !is_conflict)
		pl_buf_addf(text, "  (experiment %lld)", (long long)json_integer_value(id));
	const char *message = text_of(item, "message");
	auto_free char *fault_words = upload_item_fault(item);
	add_clean(text, ": ", fault_words != NULL ? fault_words : message);
	if (is_conflict)
		pl_buf_add_text(text, "; use --on-conflict replace or keep");
	pl_buf_add_char(text, '\n');
	if (fault_words != NULL)
		add_faults(text, json_object_get(item, "faults"), message);
}

enum count { STORED, DUPLICATE, CONFLICT, REJECTED, CANCELLED, COUNTS };
static const char *const count_names[] = { "stored", "duplicate", "conflict", "rejected",
					   "cancelled" };

/* Counts the items of the upload, and the files that were not sent because they exist. */
static void count_items(const struct upload *upload, int64_t *counts, int64_t *ret_deleted)
{
	const json_t *counted = json_object_get(upload->job, "counts");

	*ret_deleted = 0;
	for (size_t k = 0; k < COUNTS; k++)
		counts[k] = pl_json_get_i64(counted, count_names[k]);
	for (size_t i = 0; i < upload->count; i++) {
		bool is_counted = upload->results[i].state == UPLOAD_SENT;
		PL_JSON_EACH(item, upload->results[i].items) {
			*ret_deleted += is_deleted(item);
			for (size_t k = 0; k < COUNTS && !is_counted; k++)
				counts[k] += strcmp(text_of(item, "state"), count_names[k]) == 0;
		}
	}
	counts[DUPLICATE] -= *ret_deleted;
}

/* Artifacts that the dashboard already has are not reported. */
static void add_artifact(struct pl_buf *text, const json_t *artifact)
{
	const char *state = text_of(artifact, "state");

	if (strcmp(state, "duplicate") == 0)
		return;
	pl_buf_addf(text, "%-9s", state);
	add_clean(text, "  ", text_of(artifact, "name"));
	pl_buf_addf(text, "  (%s)", text_of(artifact, "kind"));
	add_clean(text, ": ", text_of(artifact, "message"));
	pl_buf_add_char(text, '\n');
}

static void add_artifact_counts(const struct upload *upload, struct pl_buf *text)
{
	static const char *const states[] = { "stored", "duplicate", "missing", "changed",
					      "failed" };
	size_t counts[PL_ARRAY_SIZE(states)] = { 0 }, all = 0;

	for (size_t i = 0; i < upload->count; i++) {
		PL_JSON_EACH(artifact, upload->results[i].artifacts) {
			all++;
			for (size_t k = 0; k < PL_ARRAY_SIZE(states); k++)
				counts[k] += strcmp(text_of(artifact, "state"), states[k]) == 0;
		}
	}
	if (all == 0)
		return;
	pl_buf_add_text(text, "artifacts: ");
	for (size_t k = 0; k < PL_ARRAY_SIZE(states); k++)
		pl_buf_addf(text, "%s%zu %s", k > 0 ? ", " : "", counts[k], states[k]);
	pl_buf_add_char(text, '\n');
}

static int print_text(const struct upload *upload, const struct named *named)
{
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	for (size_t i = 0; i < upload->count; i++) {
		const struct upload_result *result = &upload->results[i];
		if (result->failure != NULL) {
			add_clean(&text, "failed     ", upload->files[i].path);
			add_clean(&text, ": ", result->failure);
			pl_buf_add_char(&text, '\n');
		}
		PL_JSON_EACH(item, result->items)
			add_item(&text, item);
		PL_JSON_EACH(artifact, result->artifacts)
			add_artifact(&text, artifact);
	}
	PL_JSON_EACH(sweep, named->reported) {
		const char *failure = pl_json_get_text(sweep, "failure");
		pl_buf_add_text(&text, failure != NULL ? "failed   " : "stored   ");
		add_clean(&text, "  ", text_of(sweep, "path"));
		pl_buf_add_text(&text, "  (the sweep)");
		add_clean(&text, ": ", failure != NULL ? failure : "");
		pl_buf_add_char(&text, '\n');
	}
	int64_t counts[COUNTS], deleted;
	size_t failed = 0;
	for (size_t i = 0; i < upload->count; i++)
		failed += upload->results[i].failure != NULL;
	count_items(upload, counts, &deleted);
	for (size_t k = 0; k < COUNTS; k++) {
		if (k < CANCELLED || counts[k] > 0)
			pl_buf_addf(&text, "%s%lld %s", k > 0 ? ", " : "", (long long)counts[k],
				    count_names[k]);
	}
	if (deleted > 0)
		pl_buf_addf(&text, ", %lld deleted on the dashboard", (long long)deleted);
	if (failed > 0)
		pl_buf_addf(&text, "; %zu of %zu files could not be sent", failed, upload->count);
	pl_buf_add_char(&text, '\n');
	add_artifact_counts(upload, &text);
	if (named->others > 0)
		pl_buf_addf(&text, "%zu file%s in directories ignored, because %s\n", named->others,
			    named->others == 1 ? "" : "s",
			    named->others == 1 ? "its name is not that of a result"
					       : "their names are not those of results");
	auto_free char *page = upload_page(upload);
	if (page != NULL)
		pl_buf_addf(&text, "%s\n", page);
	return cli_print(pl_buf_text(&text));
}

/* ---- for programs -------------------------------------------------------------------------- */

static json_t *report_json(const struct upload *upload, const struct named *named, const char *to)
{
	json_t *report = json_object();
	json_t *files = json_array();

	auto_free char *page = upload_page(upload);

	json_object_set_new(report, "to", pl_json_text(to));
	json_object_set_new(report, "page", pl_json_text(page));
	json_object_set_new(report, "state", pl_json_text(pl_json_get_text(upload->job, "state")));
	json_object_set_new(report, "files", files);
	json_object_set(report, "sweeps", named->reported);
	json_object_set_new(report, "not_looked_at", json_integer((json_int_t)named->others));
	for (size_t i = 0; i < upload->count; i++) {
		const struct upload_result *result = &upload->results[i];
		json_t *file = json_object();
		json_object_set_new(file, "path", pl_json_text(upload->files[i].path));
		json_object_set_new(file, "status_url", pl_json_text(result->status_url));
		json_object_set_new(file, "failure", pl_json_text(result->failure));
		json_object_set_new(file, "items",
				    result->items != NULL ? json_incref(result->items)
							  : json_array());
		json_object_set(file, "artifacts", result->artifacts);
		json_array_append_new(files, file);
	}
	return report;
}

/* ---- the command --------------------------------------------------------------------------- */

static void show_progress(const struct upload *upload)
{
	fprintf(stderr, "\rsent %zu of %zu files, %zu read, %zu artifacts\x1b[K%s", upload->sent,
		upload->count, upload->over > upload->sent ? upload->sent : upload->over,
		upload->artifacts_sent, upload->is_over ? "\r\x1b[K" : "");
	fflush(stderr);
}

static void print_unreachable(const struct upload *upload, const char *why, int64_t wait_ns)
{
	auto_free char *clean = pl_clean_line(why);

	if (upload->on_progress != NULL)
		fputs("\r\x1b[K", stderr);
	pl_log(PL_LOG_WARNING, "waiting for the dashboard, at most %.0f s: %s",
	       (double)wait_ns / (double)PL_NS_PER_S, clean);
}

/* Sends everything to the dashboard `to`. *ret_report: for --json, else NULL. Returns the exit status. */
static int send_files(const struct upload_options *options, const char *to,
		      const struct run_target *target, struct named *named, json_t **ret_report)
{
	struct upload upload = { .target = target,
				 .files = named->files,
				 .count = named->count,
				 .name = named->name,
				 .on_conflict = options->on_conflict,
				 .wait_ns = options->wait_ns,
				 .wait_first_ns = options->wait_ns,
				 .on_away = print_unreachable,
				 .without_artifacts = options->without_artifacts };

	if (isatty(STDERR_FILENO))
		upload.on_progress = show_progress;
	upload_all(&upload);
	/* after the files: by then the dashboard is reachable again, or will not be */
	enum pl_err_code sweeps = PL_ERR_NONE;
	named->reported = json_array();
	for (size_t i = 0; i < named->sweep_count; i++) {
		struct pl_err err = PL_ERR_INIT;
		if (upload_sweep(target, named->sweeps[i], UPLOAD_SWEEP_NS, &err) < 0)
			sweeps = err.code;
		json_array_append_new(
			named->reported,
			json_pack("{s:o, s:o}", "path", pl_json_text(named->sweeps[i]), "failure",
				  pl_json_text(err.code != PL_ERR_NONE ? err.text : NULL)));
	}
	if (upload.on_progress != NULL)
		show_progress(&upload);
	enum pl_err_code code = upload_code(&upload);
	code = code == PL_ERR_NONE ? sweeps : code;
	int status = 0;
	/* A list of pending files has no use once the dashboard has its result. */
	for (size_t i = 0; i < upload.count && !upload.without_artifacts; i++) {
		auto_free char *fault = upload_file_fault(&upload, i);
		if (fault == NULL)
			upload_pending_remove(upload.files[i].path, options->pending ? NULL : to);
	}
	if (options->json)
		*ret_report = report_json(&upload, named, to);
	else
		status = print_text(&upload, named);

	upload_done(&upload);
	return status != 0 ? status : pl_err_exit_status(code);
}

static int first_of(int status, int other)
{
	return status != 0 ? status : other;
}

/* The same with the address of the dashboard. */
static int send_named(const struct upload_options *options, const char *to, struct named *named,
		      json_t **ret_report)
{
	struct cli_dashboard dashboard = { .url = to,
					   .option = "--to",
					   .token_file = options->token_file,
					   .ca_file = options->ca_file,
					   .insecure = options->insecure,
					   .takes_insecure = true };
	struct run_target target = { 0 };
	struct pl_err err = PL_ERR_INIT;
	int status = cli_dashboard_open(&dashboard, &target, &err) < 0
			     ? cli_fail(&err)
			     : send_files(options, to, &target, named, ret_report);

	run_target_done(&target);
	return status;
}

static void named_done(struct named *named)
{
	free(named->files);
	free(named->sweeps);
	json_decref(named->reported);
}

/* Returns where the display name of an argument starts: "results/" is shown as "results". */
static size_t name_at(const char *word)
{
	size_t len = strlen(word);

	while (len > 0 && word[len - 1] == '/')
		len--;
	while (len > 0 && word[len - 1] != '/')
		len--;
	return len;
}

/* Returns the name of the upload: that of the first argument. free() */
static char *name_of(const char *word)
{
	const char *name = word + name_at(word);
	size_t len = strcspn(name, "/");

	return len > 0 ? pl_strndup(name, len) : pl_strdup("upload");
}

/* Handles the files of a sweep's directory: the journal is not a result, and the summary describes the sweep. */
static bool is_of_sweep(const char *path, struct named *named)
{
	auto_free char *name = pl_file_name(path);

	if (strcmp(name, SWEEP_JOURNAL_NAME) == 0)
		return true;
	if (!upload_is_sweep(path))
		return false;
	*PL_PUSH(named->sweeps, named->sweep_count, named->sweep_room) = path;
	return true;
}

/* Files in a directory have names relative to it. */
static int name_files(const struct pl_words *words, struct res_files *files, struct named *named,
		      struct pl_err *err)
{
	for (int i = 0; i < words->count; i++) {
		size_t from = files->count, before = named->count + named->sweep_count;
		if (res_files_add(files, words->items[i], err) < 0)
			return -1;
		for (; from < files->count; from++) {
			const char *path = files->items[from].path;
			bool is_named = strcmp(path, words->items[i]) == 0;
			if ((files->items[from].side != NULL && !is_named) ||
			    is_of_sweep(path, named))
				continue;
			*PL_PUSH(named->files, named->count, named->room) = (struct upload_file){
				.path = path, .name = path + name_at(words->items[i])
			};
		}
		if (named->count + named->sweep_count == before)
			return pl_err_set(err, PL_ERR_INVALID,
					  "'%s': found no result file (.json, .jsonl, .ndjson, "
					  "also .zst or .gz)",
					  words->items[i]);
	}
	named->others = files->others;
	return 0;
}

static int upload_words(const struct upload_options *options, const struct pl_words *words)
{
	auto_res_files files = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *report = NULL;
	int status;

	if (options->to == NULL)
		return cli_refuse("--to is missing: expected the address of a dashboard, such as "
				  "http://127.0.0.1:8421");
	if (words->count == 0)
		return cli_refuse("nothing to upload: expected files or directories");
	auto_free char *name = name_of(words->items[0]);
	struct named named = { .name = name };
	if (name_files(words, &files, &named, &err) < 0)
		status = cli_fail(&err);
	else
		status = send_named(options, options->to, &named, &report);
	named_done(&named);
	return report != NULL ? first_of(cli_print_json(report), status) : status;
}

/* ---- --pending ------------------------------------------------------------------------------- */

/* Sends the results of the lists from `at` on that go to the same dashboard, and marks these lists as sent. */
static int send_group(const struct upload_options *options, const struct upload_pendings *pendings,
		      size_t at, bool *sent, json_t **ret_report)
{
	const char *to = options->to != NULL ? options->to : pendings->items[at].to;
	struct named named = { .name = "pending" };

	for (size_t i = at; i < pendings->count; i++) {
		const struct upload_pending *pending = &pendings->items[i];
		if (sent[i] || (options->to == NULL && !pl_text_equal(pending->to, to)))
			continue;
		sent[i] = true;
		*PL_PUSH(named.files, named.count, named.room) = (struct upload_file){
			.path = pending->result, .name = pending->result + name_at(pending->result)
		};
	}
	if (!options->json)
		printf("to %s\n", to);
	int status = send_named(options, to, &named, ret_report);
	named_done(&named);
	return status;
}

static int find_pendings(const struct pl_words *words, struct upload_pendings *ret,
			 struct pl_err *err)
{
	if (words->count == 0 && upload_pending_find(".", ret, err) < 0)
		return -1;
	for (int i = 0; i < words->count; i++) {
		if (upload_pending_find(words->items[i], ret, err) < 0)
			return -1;
	}
	/* A list whose result another run replaced is about another result: its user decides. */
	for (size_t i = 0; i < ret->count; i++) {
		const struct upload_pending *pending = &ret->items[i];
		if (!upload_pending_is_current(pending))
			return pl_err_invalid(
				err,
				"'%s': found another run_id in '%s', expected %s; remove the "
				"list, or send the result with profllm upload FILE --to URL",
				pending->path, pending->result, pending->run_id);
	}
	return 0;
}

/* Each dashboard gets its results as one upload. The exit status is the first that is not 0. */
static int upload_pending(const struct upload_options *options, const struct pl_words *words)
{
	auto_pendings pendings = { 0 };
	auto_json json_t *reports = json_array();
	struct pl_err err = PL_ERR_INIT;
	int status = 0;

	if (find_pendings(words, &pendings, &err) < 0)
		return cli_fail(&err);
	if (options->to == NULL && (options->token_file != NULL || options->ca_file != NULL))
		return cli_refuse("%s works only with --to; add --to URL to name the dashboard",
				  options->token_file != NULL ? "--token-file" : "--ca-file");
	auto_free bool *sent = pl_alloc_array(pendings.count, sizeof(*sent));
	for (size_t i = 0; i < pendings.count; i++) {
		json_t *report = NULL;
		if (!sent[i])
			status = first_of(status, send_group(options, &pendings, i, sent, &report));
		if (report != NULL)
			json_array_append_new(reports, report);
	}
	if (options->json) {
		auto_json json_t *all = json_pack("{s:O}", "uploads", reports);
		return first_of(cli_print_json(all), status);
	}
	return pendings.count > 0 ? status : cli_print("Nothing is pending.\n");
}

int cmd_upload(int argc, char **argv)
{
	struct upload_options options = { .wait_ns = WAIT_NS };
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_upload_command, argc, argv, &options, &words, &status))
		return status;
	return options.pending ? upload_pending(&options, &words) : upload_words(&options, &words);
}
