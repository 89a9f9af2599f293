#include "sweep/vllm/startup.h"

#include <string.h>

#include "base/text.h"
#include "sweep/vllm/params.h"
#include "vllm/bench/kinds.h"
#include "vllm/catalog.h"

#define NOTE_BYTES_MAX 65536

static bool is_option(const char *name)
{
	const struct vllm_bench_kind *kind = vllm_bench_kind_find("startup");
	const struct vllm_catalog *catalog = vllm_catalog_reference();

	for (size_t i = 0; i < kind->count; i++) {
		/* the spelling of its flag may differ from the option's */
		if (sweep_vllm_same_key(kind->rows[i].flag + strlen("--"), name))
			return true;
	}
	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		const struct option_row *row = vllm_arg_at(catalog, i);
		if (!row->absent && strcmp(row->name, name) == 0)
			return vllm_bench_kind_takes(kind, row);
	}
	return false;
}

static bool is_kept(const char *key)
{
	size_t len = strcspn(key, ".");
	auto_free char *head = pl_strndup(key, len);
	auto_free char *name = pl_text_replace(head, "-", "_");

	return strcmp(key, SWEEP_VLLM_NAME) == 0 || strcmp(name, "config") == 0 || is_option(name);
}

int sweep_vllm_startup_keep(const json_t *combinations, bool strict, json_t **ret,
			    json_t **ret_notes, struct pl_err *err)
{
	auto_json json_t *all = json_array();
	auto_json json_t *notes = json_array();

	PL_JSON_EACH(combination, combinations) {
		auto_buf dropped = PL_BUF(NOTE_BYTES_MAX);
		auto_free char *name = sweep_vllm_name(combination);
		json_t *retained = json_object();
		PL_JSON_EACH_MEMBER(key, value, combination) {
			if (is_kept(key))
				json_object_set(retained, key, value);
			else
				pl_buf_addf(&dropped, "%s%s", dropped.len > 0 ? ", " : "", key);
		}
		json_array_append_new(all, retained);
		if (dropped.len == 0)
			continue;
		if (strict)
			return pl_err_invalid(err, "unsupported startup params for '%s': %s", name,
					      pl_buf_text(&dropped));
		json_array_append_new(notes,
				      json_sprintf("Ignoring unsupported startup params for %s: %s",
						   name, pl_buf_text(&dropped)));
	}
	*ret = pl_take(all);
	*ret_notes = pl_take(notes);
	return 0;
}
