/*
 * `profllm schema`: prints the tables of src/tbl as JSON. Schemas and reference pages are made from it, so that each
 * row is written once. A table is included here with a macro that names the members of its rows.
 *
 *	STAGE(PREPARE, prepare, "…")  ─>  "stages": [{"name": "prepare", "text": "…"}, …]
 */
#include "cli/cli.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "cli/mcp/answers.h"
#include "cli/schema_fields.h"
#include "experiment/config.h"
#include "option/row_words.h"
#include "schema/schema.h"
#include "vllm/arg_json.h"
#include "vllm/bench_options.h"
#include "vllm/history.h"
#include "vllm/replaced.h"
#include "vllm/rules.h"

#define COUNTS_BYTES_MAX 65536

struct schema_options {
	const char *print;
	bool json;
	bool fields;
	bool outputs;
	struct pl_opt_list ids;
};

#define AT(field) offsetof(struct schema_options, field)

static const struct pl_opt schema_rows[] = {
	PL_OPT(TEXT, 0, "print", print, "NAME",
	       "print this JSON schema, for editors and validators", .choices = schema_names),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON object of arrays of objects (default: the number of rows per "
	       "table)"),
	PL_OPT(FLAG, 0, "fields", fields, NULL,
	       "list the fields of results; with RESULT, print the values of its fields"),
	PL_OPT(FLAG, 0, "outputs", outputs, NULL,
	       "print the JSON schema of what the commands print as JSON"),
	PL_OPT(LIST, 0, "field", ids, "ID",
	       "with --fields: print only this field; may be repeated"),
	{ .name = NULL },
};

const struct pl_opt_command cli_schema_command = {
	.name = "profllm schema",
	.usage = "[--json | --print NAME | --outputs] [--fields [--field ID] [RESULT ...]]",
	.operand = "FILE",
	.summary = "Print the tables that are built into this program.",
	.details = "The tables hold server arguments, load options, keys of the experiment file, "
		   "fields and metrics of the result, checks, states, errors and hardware. Their "
		   "rows include types, units, bounds and help. Schemas and reference pages are "
		   "generated from "
		   "them.\n\n"
		   "docs/reference/commands.md lists the tables.\n\n"
		   "A field is a recorded or derived value of a result, with an id such as "
		   "server.tensor_parallel_size or results.p99_ttft_ms "
		   "(docs/reference/fields.md). A RESULT is a file of profllm or of vllm bench "
		   "serve.\n\n"
		   "Examples:\n"
		   "  profllm schema --json | jq '.metrics[] | {key, unit}'\n"
		   "  profllm schema --print experiment > experiment.schema.json\n"
		   "  profllm schema --fields --field results.p99_ttft_ms r.json\n\n"
		   "Exit status: 0 done, 2 invalid usage, or a RESULT cannot be read.",
	.options = schema_rows,
};

/* ---- one row ------------------------------------------------------------------------------- */

/* "HIGHER" as "higher", "EXCEPTION | ERROR" as "exception | error". */
static json_t *word_json(const char *word)
{
	auto_free char *lower = pl_strdup(word);

	for (char *at = lower; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	return json_string(lower);
}

/* Splits a text at bars. */
static json_t *parts_json(const char *text)
{
	auto_free char *copy = pl_strdup(text);
	json_t *list = json_array();

	for (char *rest = copy, *part; (part = strsep(&rest, "|")) != NULL;)
		json_array_append_new(list, json_string(part));
	return list;
}

static void add(json_t *lists, const char *name, json_t *row)
{
	json_t *list = json_object_get(lists, name);

	if (list == NULL) {
		list = json_array();
		json_object_set_new(lists, name, list);
	}
	json_array_append_new(list, row);
}

/*
 * Appends a row to its list. `members`: a name for each value, separated by blanks. The first character after a name is
 * the kind of the value: '~' a word of the table, '=' JSON, '|' texts separated by bars, '+' by blanks; none: a text.
 */
static void add_row(json_t *lists, const char *list, const char *members, const char *const *values)
{
	auto_free char *names = pl_strdup(members);
	json_t *row = json_object();

	for (char *rest = names, *name; (name = strsep(&rest, " ")) != NULL; values++) {
		char *kind = name + strcspn(name, "~=|+");
		json_t *value = *values == NULL ? json_null()
				: *kind == '~'  ? word_json(*values)
				: *kind == '='  ? pl_json_of_text(*values)
				: *kind == '|'  ? parts_json(*values)
				: *kind == '+'  ? pl_json_words(*values)
						: json_string(*values);
		*kind = '\0';
		json_object_set_new(row, name, value);
	}
	add(lists, list, row);
}

#define ROW(list, members, ...) add_row(lists, list, members, (const char *const[]){ __VA_ARGS__ });

/* ---- options that users can set ------------------------------------------------------------ */

static void add_options(json_t *lists)
{
	const struct vllm_catalog *catalog = vllm_catalog_reference();

	for (size_t i = 0; i < vllm_arg_count(catalog); i++)
		add(lists, "arguments", vllm_option_to_json(vllm_arg_at(catalog, i)));
	for (size_t i = 0; i < vllm_field_count(); i++)
		add(lists, "argument_fields", vllm_option_to_json(vllm_field_at(i)));
	for (size_t i = 0; i < vllm_replacement_count(); i++) {
		const struct vllm_replacement *row = vllm_replacement_at(i);
		ROW("replacements", "key value= by= why", row->key, row->value, row->by, row->why)
	}
	for (int i = 0; i < VLLM_BENCH_COUNT; i++)
		add(lists, "load_options",
		    vllm_option_to_json(vllm_bench_row((enum vllm_bench_id)i)));
	for (size_t i = 0; i < exp_key_count(); i++)
		add(lists, "experiment_keys", vllm_option_to_json(exp_key_at(i)));
}

/* Adds the names of parsers and environment variables by release, in loops because there are many. */
static void add_names(json_t *lists)
{
	static const char *const parsers[][4] = {
#define PARSER(kind, name, since, until) { #kind, name, since, until },
#include "tbl/parsers.h"
	};
	static const char *const arguments[][5] = {
#define PARSER_ARGUMENT(kind, name, key, noun, plugin) { #kind, #name, key, noun, plugin },
#include "tbl/parsers.h"
	};
	static const char *const variables[][4] = {
#define VARIABLE(name, since, until, by) { name, since, until, by },
#include "tbl/variables.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(parsers); i++)
		add(lists, "parsers",
		    json_pack("{s:o, s:s, s:s?, s:s?}", "kind", word_json(parsers[i][0]), "name",
			      parsers[i][1], "since", parsers[i][2], "until", parsers[i][3]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(arguments); i++)
		add(lists, "parser_arguments",
		    json_pack("{s:o, s:s, s:s?, s:s, s:s}", "kind", word_json(arguments[i][0]),
			      "name", arguments[i][1], "key", arguments[i][2], "noun",
			      arguments[i][3], "plugin", arguments[i][4]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(variables); i++)
		add(lists, "variables",
		    json_pack("{s:s, s:s?, s:s?, s:s?}", "name", variables[i][0], "since",
			      variables[i][1], "until", variables[i][2], "by", variables[i][3]));
#define PARSERS(first, last) ROW("parser_releases", "first last", first, last)
#include "tbl/parsers.h"
#define VARIABLES_OF(release) ROW("variable_releases", "version", release)
#include "tbl/variables.h"
}

/* Adds the rows for the command line of `bench serve` and its comparison with vLLM's, other than the options. */
static void add_load_command(json_t *lists)
{
#define BENCH_GROUP(title) ROW("load_groups", "title", title)
#include "tbl/bench_groups.h"
#define BENCH_FLAG(name, arg, choices, help) \
	ROW("load_flags", "name arg choices| help", name, arg, choices, help)
#define OFFLINE_FLAG(name, arg, choices, help) \
	ROW("offline_flags", "name arg choices| help", name, arg, choices, help)
#include "tbl/bench_flags.h"
#define KIND(id, name, server, logs_requests, summary) \
	ROW("offline_kinds", "name at_server= summary", name, #server, summary)
#define KIND_OPTION(kind, name, flag, default, choices)                                         \
	ROW("offline_options", "kind~ name flag default choices=", #kind, #name, flag, default, \
	    choices)
#define KIND_OLD(kind, flag, style, until, by, why)                                              \
	ROW("offline_old_options", "kind~ flag style~ until by why", #kind, flag, #style, until, \
	    by, why)
#include "tbl/bench_kinds.h"
#define OLD(flag, hint) ROW("load_old_flags", "flag hint", flag, hint)
#define CLIENT(flag, verdict, hint) \
	ROW("load_client_flags", "flag verdict~ hint", flag, #verdict, hint)
#include "tbl/bench_line.h"
#define FLAT(key, when, verdict, remark) \
	ROW("flat_keys", "key when verdict~ remark", key, when, #verdict, remark)
#define LINE(label, when, verdict, remark) \
	ROW("console_lines", "label when verdict~ remark", label, when, #verdict, remark)
#include "tbl/bench_notes.h"
#define DATASET(id, name, state, origin, traits) \
	ROW("datasets", "name state~ origin~ traits", name, #state, #origin, #traits)
#include "tbl/datasets.h"
#define HF_CLASS(id, state, names, split, output_len, columns, traits, needs)                      \
	ROW("hf_classes", "id state~ names+ split output_len= columns+ traits needs", #id, #state, \
	    names, split, #output_len, columns, #traits, needs)
#include "tbl/hf_classes.h"
#define BACKEND(id, name, state, endpoint, suffix, traits)                                    \
	ROW("backends", "name state~ endpoint suffix traits", name, #state, endpoint, suffix, \
	    #traits)
#include "tbl/backends.h"
#define CHECK(id, phase, force, where, text) \
	ROW("experiment_checks", "id phase~ force~ where~ text", #id, #phase, #force, #where, text)
#include "tbl/experiment_checks.h"
}

static json_t *command_option_json(const struct pl_opt *option)
{
	json_t *choices = option->choices != NULL ? json_array() : json_null();

	for (size_t i = 0; option->choices != NULL && option->choices[i] != NULL; i++)
		json_array_append_new(choices, json_string(option->choices[i]));
	return json_pack("{s:s, s:s?, s:o, s:s?, s:b, s:s}", "name", option->name, "value",
			 option->arg, "choices", choices, "default", option->def, "later",
			 option->later, "help", option->help);
}

static void add_commands(json_t *lists)
{
	for (const struct pl_command *cmd = cli_commands.items; cmd->name != NULL; cmd++) {
		json_t *options = json_array();
		const struct pl_opt *option = cmd->options != NULL ? cmd->options->options : NULL;
		for (; option != NULL && option->name != NULL; option++) {
			if (!option->hidden || option->later)
				json_array_append_new(options, command_option_json(option));
		}
		add(lists, "commands",
		    json_pack("{s:s, s:s, s:o}", "name", cmd->name, "summary", cmd->summary,
			      "options", options));
	}
#define BENCH_COMMAND(name, what, today) ROW("later_commands", "name what today", name, what, today)
#include "tbl/bench_commands.h"
}

/* ---- results ------------------------------------------------------------------------------ */

static void add_result(json_t *lists)
{
#define FIELD(section, key, type, of, unit, role, one, text)                                     \
	ROW("result_fields", "section key type~ of unit role~ one~ text", #section, #key, #type, \
	    of, unit, #role, #one, text)
#define TOP(section, key, type, unit, role, text)                                                  \
	ROW("result_top_fields", "section key type~ unit role~ text", #section, #key, #type, unit, \
	    #role, text)
#define DERIVED(key, type, unit, direction, role, text)                                  \
	ROW("derived_fields", "key type~ unit direction~ role~ text", #key, #type, unit, \
	    #direction, #role, text)
#define PRICED(key, unit, text) ROW("priced_fields", "key unit text", #key, unit, text)
#define GROUP(section, title)   ROW("field_groups", "section title", #section, title)
#include "tbl/result_fields.h"
#define LABEL(id, label)           ROW("field_labels", "id label", id, label)
#define CHECK_LABEL(id, label)     ROW("check_labels", "id label", id, label)
#define FAILURE_LABEL(name, label) ROW("failure_labels", "name label", name, label)
#define SHORT_LABEL(id, label)     ROW("short_labels", "id label", id, label)
#include "tbl/field_labels.h"
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text)                \
	ROW("families", "key title label direction~ origin~ headline= formula text", key, title, \
	    label, #direction, #origin, #headline, formula, text)
#define FIGURE(key, unit, type, direction, origin, formula, text)                           \
	ROW("metrics", "key unit type~ direction~ origin~ formula text", #key, unit, #type, \
	    #direction, #origin, formula, text)
#define STATISTIC(name, percentile) ROW("headline_statistics", "name", #name)
#define RATE(id, key)               ROW("rates", "key", #key)
#include "tbl/metrics.h"
#define KIND(id, title, alone, text) \
	ROW("comparison_kinds", "id title alone text", #id, title, alone, text)
#define COMPARABLE(kind, field) ROW("comparable_fields", "kind field", #kind, field)
#define ANY(kind, field)        ROW("comparable_counts", "kind field", #kind, field)
#define CHARTED(kind, field)    ROW("charted_fields", "kind field", #kind, field)
#define RECORDED(kind, field)   ROW("recorded_fields", "kind field", #kind, field)
#define MEASURED(kind, field)   ROW("measured_fields", "kind field", #kind, field)
#include "tbl/comparability.h"
#define NEVER    "never", "null"
#define ABOVE(x) "above", #x
#define BELOW(x) "below", #x
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	ROW("quality",                                                                             \
	    "id about~ unit sense~ limit= effect~ worse worse_at= worse_effect~ text finding "     \
	    "action",                                                                              \
	    #id, #about, unit, #sense, #limit, #effect, worse, #worse_effect, text, finding,       \
	    action)
#define FACT(name, text) ROW("quality_facts", "name text", #name, text)
#include "tbl/quality.h"
#undef FACT
#undef QUALITY
#define QUANTITY(source, name, unit, kind, text) \
	ROW("quantities", "source name unit kind~ text", #source, #name, unit, #kind, text)
#define PAGE(name, unit, kind, text)                                                               \
	ROW("server_metrics", "source name unit kind~ text", "server_metrics", #name, unit, #kind, \
	    text)
#include "tbl/telemetry.h"
#define STATUS(id, name, exit, results, error, run, text)                                      \
	ROW("statuses", "name exit= results~ error~ run text", #name, #exit, #results, #error, \
	    run, text)
#define STAGE(id, name, text)       ROW("stages", "name text", #name, text)
#define CAUSE(id, name, text, hint) ROW("causes", "name text hint", #name, text, hint)
#define ARTIFACT(id, name, text)    ROW("artifacts", "name text", #name, text)
#define SOURCE(id, name, text)      ROW("sources", "name text", #name, text)
#define FAILURE(name, text)         ROW("failures", "name text", #name, text)
#define TOKENS(id, name, text)      ROW("token_sources", "name text", #name, text)
#include "tbl/states.h"
#define PART(id, key, title, text) ROW("latency_parts", "key title text", #key, title, text)
#define SERVER_LATENCY(id, key, title, text) \
	ROW("server_latencies", "key title text", #key, title, text)
#define REASON(id, name, state, text) \
	ROW("breakdown_reasons", "name state~ text", #name, #state, text)
#include "tbl/breakdown.h"
#define RUN_ARTIFACT(member, suffix, text) \
	ROW("run_artifacts", "name suffix text", #member, suffix, text)
#include "tbl/run_artifacts.h"
#define ERR(name, exit, http, text) \
	ROW("errors", "name exit= http= text", #name, #exit, #http, text)
#include "tbl/errors.h"
}

/* Adds the knowledge about vLLM, its log, models and accelerators. */
static void add_knowledge(json_t *lists)
{
	for (size_t i = 0; i < vllm_rule_count(); i++)
		add(lists, "rules", vllm_rule_to_json(vllm_rule_at(i)));
#define LOG_PHASE(id, name, which) ROW("log_phases", "id name which~", #id, #name, #which)
#define LOG_MARK(phase, phrase)    ROW("log_marks", "phase phrase", #phase, phrase)
#define LOG_FACT(name, type, keep) ROW("log_facts", "name type~ keep~", #name, #type, #keep)
#define LOG_READ(fact, line, after, until) \
	ROW("log_reads", "fact line after until", #fact, line, after, until)
#define LOG_EXECUTOR(file, name)  ROW("log_executors", "file name", file, name)
#define LOG_BACKEND(logged, name) ROW("log_backends", "logged name", logged, name)
#include "tbl/log_lines.h"
#define LOG_FRAME(position, phrase)  ROW("log_frames", "position~ phrase", #position, phrase)
#define LOG_REACHED(phase, position) ROW("log_reached", "phase~ position~", #phase, #position)
#define LOG_SYMPTOM(phrase)          ROW("log_symptoms", "phrase", phrase)
#define LOG_FAILURE(cause, strength, when, forms, phrase, also)                                   \
	ROW("log_failures", "cause strength~ when~ forms~ phrase also", #cause, #strength, #when, \
	    #forms, phrase, also)
#include "tbl/log_failures.h"
#define LOG_HINT(cause, position, phrase, hint) \
	ROW("log_hints", "cause position~ phrase hint", #cause, #position, phrase, hint)
#include "tbl/log_hints.h"
#define REPORT(source, key, argument, rule) \
	ROW("reported_values", "source~ key argument rule~", #source, #key, #argument, #rule)
#define REPORT_LOOSE(argument) ROW("reported_loose", "argument", #argument)
#define SYNONYM(a, b)          ROW("reported_synonyms", "a b", a, b)
#include "tbl/reported.h"
#define MODEL(type, attention, window, period, mlp, biases, norms, final_norm, qk_norm, tied, \
	      trait)                                                                          \
	ROW("model_types",                                                                    \
	    "type attention~ window~ period= mlp~ biases~ norms= final_norm= qk_norm~ tied= " \
	    "trait~",                                                                         \
	    type, #attention, #window, #period, #mlp, #biases, #norms, #final_norm, #qk_norm, \
	    #tied, #trait)
#define DEFAULT(type, key, value) ROW("model_type_defaults", "type key value=", type, key, #value)
#include "tbl/model_types.h"
#define KNOWN(name, same_as, parameters, computed, confidence, config, quant)                  \
	ROW("known_models",                                                                    \
	    "name same_as+ parameters= computed= confidence~ config= hf_quant_config=", name,  \
	    same_as, (parameters) > 0 ? #parameters : NULL, (computed) > 0 ? #computed : NULL, \
	    #confidence, config, quant[0] != '\0' ? quant : NULL)
#include "tbl/models.h"
#define GPU(name, aliases, title, memory_mib, platform, capability, bandwidth, tflops, large)     \
	ROW("hardware",                                                                           \
	    "name aliases+ titles| memory_mib= platform capability= bandwidth_gb_per_s= tflops= " \
	    "large=",                                                                             \
	    name, aliases, title, #memory_mib, platform, #capability, #bandwidth, #tflops, #large)
#include "tbl/hardware.h"
}

/* ---- the command -------------------------------------------------------------------------- */

static int print_counts(const json_t *lists)
{
	auto_buf text = PL_BUF(COUNTS_BYTES_MAX);

	PL_JSON_EACH_MEMBER(name, rows, lists)
		pl_buf_addf(&text, "%-22s %5zu\n", name, json_array_size(rows));
	return cli_print(pl_buf_text(&text));
}

static int print_lists(bool json)
{
	auto_json json_t *lists = json_object();

	add_options(lists);
	/* Adds the releases that added and removed arguments and their keys. */
	for (size_t i = 0; i < vllm_release_count(); i++)
		add(lists, "releases", json_pack("{s:s}", "version", vllm_release_at(i)));
	for (size_t i = 0; i < vllm_history_count(); i++) {
		const struct vllm_history *history = vllm_history_at(i);
		add(lists, history->of == NULL ? "argument_history" : "field_history",
		    vllm_history_to_json(history));
	}
	add_names(lists);
	add_load_command(lists);
	add_commands(lists);
	add_result(lists);
	add_knowledge(lists);
	cli_answers_add(lists);
#define TOOL(name, title, words, fixed, access, operand, options, answer, text)                \
	ROW("mcp_tools", "name title words fixed access~ operand options+ answer text", #name, \
	    title, words, fixed, #access, operand, options, #answer, text)
#include "tbl/mcp_tools.h"
	return json ? cli_print_json(lists) : print_counts(lists);
}

static int print(const struct schema_options *options, const struct pl_words *words)
{
	if (options->outputs && (options->json || options->fields || options->print != NULL))
		return cli_refuse("--outputs and --%s exclude each other",
				  options->print != NULL ? "print"
				  : options->json        ? "json"
							 : "fields");
	if (options->outputs) {
		auto_json json_t *schema = cli_outputs_schema();
		return cli_print_json(schema);
	}
	if (options->print != NULL && (options->json || options->fields))
		return cli_refuse("--print and --%s exclude each other",
				  options->json ? "json" : "fields");
	if (options->fields)
		return cli_schema_fields(&options->ids, words->items, words->count, options->json);
	if (words->count > 0 || options->ids.count > 0)
		return cli_refuse("'%s' works only with --fields; add --fields",
				  words->count > 0 ? words->items[0] : "--field");
	return options->print != NULL ? cli_print(schema_text(options->print))
				      : print_lists(options->json);
}

int cmd_schema(int argc, char **argv)
{
	struct schema_options options = { 0 };
	struct pl_words words;
	int status;

	if (pl_command_read(&cli_schema_command, argc, argv, &options, &words, &status))
		status = print(&options, &words);
	pl_opt_list_done(&options.ids);
	return status;
}
