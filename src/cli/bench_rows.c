#include "cli/bench_rows.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "bench/adapters/adapter.h"
#include "bench/data/dataset.h"
#include "cli/cli.h"

enum { NAME_BYTES = 64, TEXTS_BYTES = 4096, CHOICES_MAX = 128 };

static const char *const verdicts[] = { "degraded", "client_limited", NULL };

/* Flags of the command itself: what is done with a run, not how it loads. */
#define FLAGS(X)                                                                             \
	X("output", "FILE", NULL,                                                            \
	  "write the whole result there, as profllm run does; its side files lie beside it") \
	X("dry-run", NULL, NULL,                                                             \
	  "show the completed options and what would be sent, and send nothing")             \
	X("json", NULL, NULL,                                                                \
	  "print the result (or the dry run) as one JSON object, alone on standard output")  \
	X("quiet", NULL, NULL, "no progress and no notes; faults are told")                  \
	X("fail-on", "VERDICT", verdicts, "exit status 6 on this verdict or a worse one")

const struct vllm_bench_flag cli_bench_flags[] = {
#define FLAG(name, arg, choices, help) { "--" name, arg != NULL },
	FLAGS(FLAG)
#undef FLAG
		{ "--help", false },
	{ "-h", false },
	{ NULL, false },
};

#define TYPE_BOOL PL_OPT_FLAG
#define TYPE_TRI  PL_OPT_FLAG
#define TYPE_I64  PL_OPT_INT
#define TYPE_F64  PL_OPT_F64
#define TYPE_TEXT PL_OPT_TEXT
#define TYPE_JSON PL_OPT_TEXT
#define TYPE_LIST PL_OPT_TEXT
#define TYPE_DUR  PL_OPT_DURATION

#define WORD_BOOL NULL
#define WORD_TRI  NULL
#define WORD_I64  "N"
#define WORD_F64  "X"
#define WORD_TEXT "TEXT"
#define WORD_JSON "JSON"
#define WORD_LIST "WORD..."
#define WORD_DUR  "TIME"

/* In `order`: the next of `groups` begins. */
enum { GROUP = VLLM_BENCH_COUNT };

static const char *const groups[] = {
#define BENCH_GROUP(title) title,
#define BENCH_IN(name)
#include "tbl/bench_groups.h"
};

static const int order[] = {
#define BENCH_GROUP(title) GROUP,
#define BENCH_IN(name)     VLLM_BENCH_##name,
#include "tbl/bench_groups.h"
};

/* Read by vllm/bench/line.h, so that offsets are of no use here. */
static const struct pl_opt flags[] = {
#define FLAG(name_, arg_, choices_, help_)                    \
	{ .name = name_,                                      \
	  .type = (arg_) != NULL ? PL_OPT_TEXT : PL_OPT_FLAG, \
	  .arg = arg_,                                        \
	  .choices = choices_,                                \
	  .help = help_ },
	FLAGS(FLAG)
#undef FLAG
};

static const struct pl_opt options[VLLM_BENCH_COUNT] = {
#define BENCH(type_, name_, def, min, max, choices_, state, origin, help_)                        \
	{ .name = #name_,                                                                         \
	  .type = TYPE_##type_,                                                                   \
	  .arg = WORD_##type_,                                                                    \
	  .negatable = TYPE_##type_ == PL_OPT_FLAG && VLLM_BENCH_##type_ == VLLM_BENCH_TRI &&     \
		       STATE_##state,                                                             \
	  .help = help_,                                                                          \
	  .later = !STATE_##state,                                                                \
	  .hidden = !STATE_##state || ORIGIN_##origin || VLLM_BENCH_##name_ == VLLM_BENCH_kind || \
		    VLLM_BENCH_##name_ == VLLM_BENCH_client },
#define STATE_NOW   true
#define STATE_LATER false
/* hidden: not on the command line */
#define ORIGIN_VLLM     false
#define ORIGIN_OURS     false
#define ORIGIN_OLD_VLLM true
#include "tbl/bench_args.h"
#undef BENCH
};

static struct pl_opt rows[VLLM_BENCH_COUNT + PL_ARRAY_SIZE(flags) + 1];
static char names[VLLM_BENCH_COUNT][NAME_BYTES];
static char texts[TEXTS_BYTES];
static const char *choices[CHOICES_MAX];

/* What this version can do of a row's choices. */
static bool is_offered(enum vllm_bench_id id, const char *choice)
{
	if (id == VLLM_BENCH_backend)
		return bench_adapter_find(choice) != NULL;
	return id != VLLM_BENCH_dataset_name || bench_dataset_is_known(choice);
}

/* The row's choices as a list of their own; *text and *list go on behind what was taken. */
static const char *const *split_choices(enum vllm_bench_id id, char **text, const char ***list)
{
	const char **first = *list;
	char *rest = stpcpy(*text, vllm_bench_row(id)->choices);

	for (char *at = *text, *choice; (choice = strsep(&at, "|")) != NULL;) {
		if (is_offered(id, choice))
			*(*list)++ = choice;
	}
	*(*list)++ = NULL;
	*text = rest + 1;
	assert(*text <= texts + TEXTS_BYTES && *list <= choices + CHOICES_MAX);
	return first;
}

static const char *default_of(enum vllm_bench_id id)
{
	const struct vllm_bench_row *row = vllm_bench_row(id);

#define SERVE_DEFAULT(name_, text)    \
	if (id == VLLM_BENCH_##name_) \
		return text;
#include "tbl/bench_line.h"
	if (row->type == VLLM_BENCH_BOOL || strcmp(row->def, "null") == 0)
		return NULL;
	return row->def;
}

/* What the shell completes as a file or a folder. */
static const char *word_of(enum vllm_bench_id id, const char *word)
{
	if (id == VLLM_BENCH_dataset_path || id == VLLM_BENCH_result_filename)
		return "FILE";
	if (id == VLLM_BENCH_source_addresses)
		return "A,B,...";
	return id == VLLM_BENCH_result_dir ? "DIR" : word;
}

/* Flags are written with dashes, and a macro cannot turn them. */
static void fill_row(enum vllm_bench_id id, struct pl_opt *row)
{
	*row = options[id];
	row->def = default_of(id);
	row->arg = word_of(id, row->arg);
	strncpy(names[id], row->name, NAME_BYTES - 1);
	for (char *at = names[id]; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	row->name = names[id];
}

/* Done once, before main(): the rows in the order of the help. */
__attribute__((constructor)) static void make_rows(void)
{
	struct pl_opt *row = rows;
	const char **list = choices;
	const char *const *title = groups;
	const char *group = NULL; /* not shown yet */
	bool listed[VLLM_BENCH_COUNT] = { false };
	char *text = texts;

	for (size_t i = 0; i < PL_ARRAY_SIZE(order) + VLLM_BENCH_COUNT; i++) {
		int id = i < PL_ARRAY_SIZE(order) ? order[i] : (int)(i - PL_ARRAY_SIZE(order));
		if (id == GROUP) {
			group = *title++;
			continue;
		}
		if (listed[id])
			continue;
		listed[id] = true;
		fill_row((enum vllm_bench_id)id, row);
		if (vllm_bench_row((enum vllm_bench_id)id)->choices[0] != '\0')
			row->choices = split_choices((enum vllm_bench_id)id, &text, &list);
		row->group = row->hidden ? NULL : group;
		group = row->hidden ? group : NULL;
		row++;
	}
	memcpy(row, flags, sizeof(flags));
}

const struct pl_opt_command cli_bench_command = {
	.name = "profllm bench",
	.usage = "serve [options]",
	.summary = "Send load to a server that runs, with the options of vllm bench serve.",
	.details =
		"A command line of vLLM works with 'vllm' replaced by 'profllm': flags may be "
		"written with dashes or underscores, with '=' or a blank, and be shortened as long "
		"as one option begins so; JSON options can be given key by key.\n\n"
		"Examples:\n"
		"  profllm bench serve --model org/model --num-prompts 200 --request-rate 10\n"
		"  profllm bench serve --backend openai-chat --dataset-name sharegpt \\\n"
		"      --dataset-path ShareGPT.json --max-concurrency 64 --save-result\n"
		"  profllm bench serve --random-input 512 --random-output 64 --dry-run\n"
		"  profllm bench serve --extra-body.top_k 20 --output r.json\n\n"
		"Exit status: 0 completed, 1 partial or failed, 2 bad usage or input, 3 the server "
		"does not answer, 4 timeout, 6 verdict not accepted, 128 + signal interrupted.",
	.options = rows,
};
