#include "cli/bench_rows.h"

#include <string.h>

#include "cli/cli.h"

enum { NAME_BYTES = 64 };

/* Flags of the command itself: what is done with a run, not how it loads. */
#define FLAGS(X)                                                                                  \
	X("output", "FILE",                                                                       \
	  "write the whole result there, as profllm run does; its side files lie beside it")      \
	X("dry-run", NULL, "show the completed options and what would be sent, and send nothing") \
	X("json", NULL,                                                                           \
	  "print the result (or the dry run) as one JSON object, alone on standard "              \
	  "output")                                                                               \
	X("quiet", NULL, "no progress")                                                           \
	X("fail-on", "VERDICT", "exit status 6 when the verdict is degraded, or client_limited")

const struct md_bench_flag cli_bench_flags[] = {
#define FLAG(name, arg, help) { "--" name, arg != NULL },
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

/* Read by model/bench_line.h, so that offsets are of no use here. */
static struct pl_opt rows[] = {
#define FLAG(name_, arg_, help_)                              \
	{ .name = name_,                                      \
	  .type = (arg_) != NULL ? PL_OPT_TEXT : PL_OPT_FLAG, \
	  .arg = arg_,                                        \
	  .help = help_ },
	FLAGS(FLAG)
#undef FLAG
#define BENCH(type_, name_, def, min, max, choices_, state, origin, help_)              \
	{ .name = #name_,                                                               \
	  .type = TYPE_##type_,                                                         \
	  .arg = WORD_##type_,                                                          \
	  .negatable = TYPE_##type_ == PL_OPT_FLAG && MD_BENCH_##type_ == MD_BENCH_TRI, \
	  .help = help_,                                                                \
	  .hidden = MD_BENCH_##name_ == MD_BENCH_kind || MD_BENCH_##name_ == MD_BENCH_client },
#include "tbl/bench_args.h"
#undef BENCH
		{ .name = NULL },
};

static char names[sizeof(rows) / sizeof(rows[0])][NAME_BYTES];

/* Flags are written with dashes, and a macro cannot turn them: done once, before main(). */
__attribute__((constructor)) static void name_rows(void)
{
	for (size_t i = 0; rows[i].name != NULL; i++) {
		strncpy(names[i], rows[i].name, NAME_BYTES - 1);
		for (char *at = names[i]; *at != '\0'; at++)
			*at = *at == '_' ? '-' : *at;
		rows[i].name = names[i];
	}
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
