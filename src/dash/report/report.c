/*
 * The report of one result as a file to share (report/report.h). One report at a time reads artifacts, so that a few
 * requests cannot fill the memory.
 */
#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "base/text.h"
#include "dash/artifacts.h"
#include "dash/problem.h"
#include "mirror/cancel_token.h"
#include "report/report.h"
#include "series/series.h"
#include "store/documents/document.h"
#include "store/store.h"

#define SERIES_TEXT_MAX  ((size_t)128 << 20)
#define SERIES_BYTES_MAX ((size_t)256 << 20)
#define BLOCK_BYTES      ((size_t)256 << 10)
#define NAME_BYTES_MAX   120
#define RETRY_S          1

static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

static const struct form {
	const char *name; /* of the parameter */
	const char *media;
	const char *suffix;
} forms[] = {
	{ "html", "text/html; charset=utf-8", ".html" },
	{ "markdown", "text/markdown; charset=utf-8", ".md" },
	{ "text", "text/plain; charset=utf-8", ".txt" },
};

struct data {
	struct report_requests requests;
	bool has_requests;
	struct series *series;
	json_t *notes;
};

static void data_done(struct data *data)
{
	report_requests_done(&data->requests);
	series_unref(data->series);
	json_decref(data->notes);
}
#define auto_data __attribute__((cleanup(data_done), unused)) struct data

static void add_note(struct data *data, const char *name, const char *text)
{
	auto_free char *note = pl_asprintf("%s: %s.", name, text);

	json_array_append_new(data->notes, pl_json_text(note));
}

static int read_series(struct pl_unpack *unpack, struct data *data, struct pl_err *err)
{
	auto_buf text = PL_BUF(SERIES_TEXT_MAX);
	auto_free char *block = pl_alloc_array(BLOCK_BYTES, 1);
	size_t len = 0;
	int rc;

	while ((rc = pl_unpack_read(unpack, block, BLOCK_BYTES, &len, err)) == 0 && len > 0) {
		if (!pl_buf_add(&text, block, len))
			return pl_err_set(err, PL_ERR_INVALID, "larger than %zu MiB",
					  SERIES_TEXT_MAX >> 20);
	}
	return rc < 0 ? rc
		      : series_read(pl_buf_text(&text), text.len, SERIES_BYTES_MAX, &data->series,
				    err);
}

static bool has_left(void *token)
{
	struct mirror_cancel_token *cancel_token = token;

	return cancel_token != NULL && cancel_token->has_left(cancel_token);
}

/* Errors of files concern one section of the report: the others are still useful. */
static void read_artifact(const struct dash_request *request, const struct store_artifact *artifact,
			  struct data *data)
{
	const struct report_cancel cancel = { has_left, request->cancel_token };
	struct store *store = request->context->store;
	auto_unpack struct pl_unpack *unpack = NULL;
	struct pl_err err = PL_ERR_INIT;
	int fd = -1;

	if (artifact->is_lost || artifact->stored_at == NULL ||
	    store_artifact_open(store, artifact->sha256, &fd, &err) < 0) {
		add_note(data, artifact->name, "not stored, so its charts are missing");
		return;
	}
	if (pl_unpack_new(fd, artifact->name, &unpack, &err) < 0) {
		add_note(data, artifact->name, "could not be read");
		return;
	}
	int rc = strcmp(artifact->kind, "series") == 0
			 ? read_series(unpack, data, &err)
			 : report_requests_read(unpack, &cancel, &data->requests, &err);
	data->has_requests = data->has_requests || data->requests.count > 0;
	/* a path of the server is in the log only */
	if (rc < 0)
		add_note(data, artifact->name,
			 err.code == PL_ERR_INVALID ? err.text : "could not be read completely");
}

/* Returns false if the client has left. */
static bool read_artifacts(const struct dash_request *request,
			   const struct store_artifacts *artifacts, struct data *data)
{
	static const char *const kinds[] = { "requests", "series" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		const struct store_artifact *stored = dash_artifact_of_kind(artifacts, kinds[i]);
		for (size_t k = 0; stored == NULL && k < artifacts->count; k++) {
			/* one that was never stored is named in the report */
			if (strcmp(artifacts->items[k].kind, kinds[i]) == 0)
				stored = &artifacts->items[k];
		}
		if (stored != NULL)
			read_artifact(request, stored, data);
		if (has_left(request->cancel_token))
			return false;
	}
	return true;
}

/* The lists of requests in a file of vllm bench serve. */
static void read_lists(const struct store_entry *entry, struct data *data)
{
	auto_flat struct res_flat *flat = NULL;

	if (!store_form_is_vllm(entry->form) ||
	    res_flat_parse(entry->bytes, entry->len, "the file", &flat, PL_ERR_IGNORED) < 0)
		return;
	report_requests_of_flat(flat, &data->requests);
	data->has_requests = data->requests.count > 0;
}

/* dash_disposition() keeps the part after the last '/': it must be a visible name. */
static bool is_file_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *part = slash != NULL ? slash + 1 : name;
	bool has_letter = false;

	/* other letters than those of ASCII have bytes from 0x80 on */
	for (const char *c = part; *c != '\0'; c++)
		has_letter = has_letter || isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80;
	return has_letter && *part != '.' && strlen(name) <= NAME_BYTES_MAX;
}

/* The name of the file: of the experiment, else of its run. */
static char *file_name(const struct store_entry *entry, const char *suffix)
{
	const char *name = pl_json_get_text(entry->document, "name");
	const char *run_id = entry->run_id;

	if (name != NULL && is_file_name(name))
		return pl_asprintf("%s%s", name, suffix);
	if (run_id != NULL)
		return pl_asprintf("%s%s", run_id, suffix);
	return pl_asprintf("experiment-%lld%s", (long long)entry->id, suffix);
}

static void write_form(const struct form *form, const json_t *report, struct pl_buf *text)
{
	if (strcmp(form->name, "markdown") == 0)
		report_markdown(report, text);
	else if (strcmp(form->name, "text") == 0)
		report_terminal(report, false, text);
	else
		report_html(report, text);
}

void dash_get_report(const struct dash_request *request, struct dash_answer *answer)
{
	const char *format = json_string_value(json_object_get(request->query, "format"));
	const struct form *form = PL_ROW_FIND(forms, name, format != NULL ? format : "html");
	auto_store_entry entry;
	auto_artifacts artifacts = { 0 };
	auto_data data = { .notes = json_array() };
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	if (!dash_find_experiment(request, &entry, answer) ||
	    !dash_find_artifacts(request, &artifacts, answer))
		return;
	if (pthread_mutex_trylock(&reading) != 0) {
		dash_refuse(answer, 503, "another report is being written; retry later");
		answer->retry_s = RETRY_S;
		return;
	}
	if (!read_artifacts(request, &artifacts, &data)) {
		pthread_mutex_unlock(&reading);
		dash_refuse(answer, 503, "the client has left");
		return;
	}
	if (!data.has_requests)
		read_lists(&entry, &data);
	auto_json json_t *report = report_of_result(
		request->context->fields,
		&(struct report_input){
			.path = NULL,
			.is_vllm = store_form_is_vllm(entry.form),
			.document = entry.document,
			.requests = data.has_requests ? &data.requests : NULL,
			.series = data.series,
			.notes = data.notes,
		});
	pthread_mutex_unlock(&reading);
	write_form(form, report, &text);
	if (text.full) {
		dash_refuse(answer, 422, "the report is larger than %u MiB",
			    REPORT_BYTES_MAX >> 20);
		return;
	}
	size_t len = text.len;
	auto_free char *name = file_name(&entry, form->suffix);
	answer->status = 200;
	answer->is_inert = true;
	answer->disposition = dash_disposition(name);
	dash_answer_bytes(answer, form->media, pl_buf_take(&text), len);
}
