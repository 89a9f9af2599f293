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
#include "store/documents/document.h"
#include "store/store.h"

#define NAME_BYTES_MAX 120
#define RETRY_S        1

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

static const struct report_limits limits = {
	.records_bytes = (size_t)256 << 20,
	.series_text_bytes = (size_t)128 << 20,
	.series_bytes = (size_t)256 << 20,
};

static bool has_left(void *token)
{
	struct mirror_cancel_token *cancel_token = token;

	return cancel_token != NULL && cancel_token->has_left(cancel_token);
}

struct stored {
	struct store *store;
	const struct store_artifact *artifact;
};

static int open_artifact(void *data, struct pl_unpack **ret, struct pl_err *err)
{
	const struct stored *stored = data;
	const struct store_artifact *artifact = stored->artifact;
	int fd = -1;

	/* its path on the server concerns no reader */
	if (artifact->is_lost || artifact->stored_at == NULL ||
	    store_artifact_open(stored->store, artifact->sha256, &fd, PL_ERR_IGNORED) < 0)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "not stored, so its charts are missing");
	return pl_unpack_new(fd, artifact->name, ret, err);
}

static void read_artifact(const struct dash_request *request, const struct store_artifact *artifact,
			  struct report_data *data)
{
	const struct records_cancel cancel = { has_left, request->cancel_token };
	struct stored stored = { request->context->store, artifact };
	const struct report_artifact one = { artifact->kind, artifact->name, open_artifact,
					     &stored };

	report_data_read(data, &one, &limits, &cancel);
}

/* Returns false if the client has left. */
static bool read_artifacts(const struct dash_request *request,
			   const struct store_artifacts *artifacts, struct report_data *data)
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
static void read_lists(const struct store_entry *entry, struct report_data *data)
{
	auto_flat struct res_flat *flat = NULL;

	if (store_form_is_vllm(entry->form) &&
	    res_flat_parse(entry->bytes, entry->len, "the file", &flat, PL_ERR_IGNORED) == 0)
		report_data_add_lists(data, flat, &limits);
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
	auto_report_data data;
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	report_data_init(&data);
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
	if (data.records == NULL)
		read_lists(&entry, &data);
	auto_json json_t *report = report_of_result(
		request->context->fields, &(struct report_input){
						  .path = NULL,
						  .is_vllm = store_form_is_vllm(entry.form),
						  .document = entry.document,
						  .data = &data,
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
