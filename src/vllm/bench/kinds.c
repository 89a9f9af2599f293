/* vLLM's offline benchmarks: rows over the rows of all options. */
#include "vllm/bench/kinds.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/row_words.h"

struct option {
	enum vllm_bench_kind_id kind;
	enum vllm_bench_id id;
	const char *flag;
	const char *default_json; /* "": the row's */
	const char *choices;      /* NULL: the row's */
};

static const struct option options[] = {
#define KIND_OPTION(kind, name, flag, default, choices) \
	{ VLLM_BENCH_KIND_##kind, VLLM_BENCH_##name, flag, default, choices },
#include "tbl/bench_kinds.h"
};

static const struct vllm_bench_old olds[] = {
#define KIND_OLD(kind, flag, style, until, by, why) \
	{ VLLM_BENCH_KIND_##kind, flag, OPTION_STYLE_##style, until, by, why },
#include "tbl/bench_kinds.h"
};

static struct option_row rows[PL_ARRAY_SIZE(options)];

static struct vllm_bench_kind kinds[] = {
#define KIND(id, name, server, logs_requests, summary) \
	{ name, summary, server, logs_requests, NULL, 0 },
#include "tbl/bench_kinds.h"
};

/* Runs once, before main(): a row of a benchmark is the row of its option with its own changes. */
__attribute__((constructor)) static void make_rows(void)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(options); i++) {
		struct vllm_bench_kind *kind = &kinds[options[i].kind];
		struct option_row *row = &rows[i];
		*row = *vllm_bench_row(options[i].id);
		row->flag = options[i].flag;
		row->serve_default = NULL;
		if (options[i].default_json[0] != '\0')
			row->default_json = options[i].default_json;
		row->nullable |= pl_text_equal(row->default_json, "null");
		if (options[i].choices != NULL) {
			row->choices = options[i].choices;
			row->file_choices = NULL;
		}
		if (kind->count++ == 0)
			kind->rows = row;
	}
}

const struct vllm_bench_kind *vllm_bench_kind_find(const char *name)
{
	return name != NULL ? PL_ROW_FIND(kinds, name, name) : NULL;
}

const struct option_row *vllm_bench_kind_row(const struct vllm_bench_kind *kind,
					     enum vllm_bench_id id)
{
	const char *name = vllm_bench_row(id)->name;

	for (size_t i = 0; i < kind->count; i++) {
		if (kind->rows[i].name == name)
			return &kind->rows[i];
	}
	return NULL;
}

/* Underscores count as hyphens, as in every flag. */
const struct vllm_bench_old *vllm_bench_kind_old(const struct vllm_bench_kind *kind,
						 const char *word)
{
	auto_free char *flag = pl_strndup(word, strcspn(word, "="));

	for (char *at = flag; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	for (size_t i = 0; i < PL_ARRAY_SIZE(olds); i++) {
		if (kind == &kinds[olds[i].kind] && strcmp(flag, olds[i].flag) == 0)
			return &olds[i];
	}
	return NULL;
}

bool vllm_bench_kind_takes(const struct vllm_bench_kind *kind, const struct option_row *argument)
{
	/* of the server's they have these two */
	static const char *const retained[] = { "log_config_file", "kda_decode_backend" };
	static const char *const groups[] = { "Serve", "Frontend" };

	if (pl_text_equal(argument->name, "enable_log_requests"))
		return kind->logs_requests;
	return argument->group == NULL || !PL_TEXT_IS_ONE_OF(argument->group, groups) ||
	       PL_TEXT_IS_ONE_OF(argument->name, retained);
}

void vllm_bench_kind_complete(const struct vllm_bench_kind *kind, const bool set[VLLM_BENCH_COUNT],
			      struct vllm_bench *bench)
{
	for (size_t i = 0; i < kind->count; i++) {
		const struct option_row *row = &kind->rows[i];
		enum vllm_bench_id id = vllm_bench_find(row->name);
		auto_json json_t *value = option_member_default(row);
		auto_json json_t *mine = vllm_bench_get(bench, id);
		/* null means no preference */
		if (!set[id] || json_is_null(mine))
			vllm_bench_set(bench, id, value);
	}
}
