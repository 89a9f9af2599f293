/*
 * The value of an existing file at an output path: no result, an end without metrics, some of them,
 * all. A file that is not a result may be the user's work, and no result replaces it.
 */
#include "result/existing.h"

#include "base/file.h"
#include "base/mem.h"
#include "result/document.h"
#include "result/flat/offline.h"
#include "schema/former.h"

static bool is_result(const json_t *document)
{
	return json_is_string(json_object_get(document, "run_id")) &&
	       json_is_string(json_object_get(document, "timestamp")) &&
	       json_is_string(json_object_get(document, "status"));
}

json_t *res_existing_result(const char *path)
{
	auto_json json_t *document = NULL;

	if (pl_file_size(path) <= 0 || pl_json_read_file(path, &document, PL_ERR_IGNORED) < 0)
		return NULL;
	json_t *inside = json_object_get(document, "profllm");
	json_t *result = is_result(document) ? document : is_result(inside) ? inside : NULL;
	schema_rename_former_result(result);
	return json_incref(result);
}

static bool has_figures(const json_t *results)
{
	const json_t *completed = json_object_get(results, "completed");

	return json_is_object(results) &&
	       !(json_is_integer(completed) && json_integer_value(completed) == 0);
}

enum res_worth res_worth(const json_t *document)
{
	enum res_status status;

	if (document == NULL)
		return RES_WORTH_NOTHING;
	if (res_status_find(pl_json_get_text(document, "status"), &status) == 0 &&
	    res_status_is_whole(status))
		return RES_WORTH_WHOLE;
	return has_figures(json_object_get(document, "results")) ? RES_WORTH_PART : RES_WORTH_END;
}

/* Every release of vllm bench serve writes these keys. The other benchmarks write keys of their own. */
static bool is_of_vllm(const char *path)
{
	auto_json json_t *document = NULL;

	if (pl_json_read_file(path, &document, PL_ERR_IGNORED) < 0)
		return false;
	if (res_offline_kind_of(document) != NULL)
		return true;
	return json_is_string(json_object_get(document, "date")) &&
	       json_is_number(json_object_get(document, "duration")) &&
	       json_is_integer(json_object_get(document, "completed"));
}

enum res_worth res_existing_worth(const char *path)
{
	auto_json json_t *document = res_existing_result(path);

	if (document != NULL)
		return res_worth(document);
	if (pl_file_size(path) <= 0)
		return RES_WORTH_NOTHING;
	return is_of_vllm(path) ? RES_WORTH_WHOLE : RES_WORTH_OTHER;
}

char *res_existing_text(const char *path)
{
	auto_json json_t *document = res_existing_result(path);

	if (document != NULL)
		return pl_asprintf("a result of %s, status %s",
				   pl_json_get_text(document, "timestamp"),
				   pl_json_get_text(document, "status"));
	return pl_file_size(path) > 0 ? pl_strdup("another file") : NULL;
}

int res_existing_check(const char *path, const char *option, struct pl_err *err)
{
	auto_json json_t *document = res_existing_result(path);
	auto_free char *what = res_existing_text(path);

	if (what == NULL)
		return 0;
	return pl_err_invalid(err, "'%s' %s%s; use another %s or --overwrite", path,
			      document != NULL ? "holds " : "already exists",
			      document != NULL ? what : "", option);
}

int res_existing_check_replaced(const char *path, const char *option, bool as_result,
				struct pl_err *err)
{
	enum res_worth worth = res_existing_worth(path);

	if (worth == RES_WORTH_NOTHING || as_result == (worth != RES_WORTH_OTHER))
		return 0;
	if (as_result)
		return pl_err_invalid(
			err,
			"'%s' is not a result, and --overwrite replaces only results; "
			"remove it, or use another %s",
			path, option);
	return pl_err_invalid(err,
			      "'%s' holds a result, and --overwrite does not replace it by another "
			      "file; remove it, or use another %s",
			      path, option);
}
