#include "sim/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "vllm/server_args.h"
#include "sim/engine.h"

enum kind {
	TEXT,
	NAMES,
	HUMAN,
	NUMBER,
	SWITCH,
	SWITCH_OFF,
	DURATION,
	PROFILE_NAME,
	FAILURE_NAME,
	SIGNAL_NAME,
	METRICS_NAME,
	FORM_NAME,
	SPECULATIVE,
	LORAS,
};

struct row {
	const char *name; /* as typed, in kebab-case */
	enum kind kind;
	size_t offset;
	double min;
	double max;
	const char *arg; /* --sim-… only: shown by --help */
	const char *help;
};

#define AT(field) offsetof(struct sim_options, field)

static const struct row rows[] = {
	{ "model", TEXT, AT(model), 0, 0, NULL, NULL },
	{ "served-model-name", NAMES, AT(names), 0, 0, NULL, NULL },
	{ "host", TEXT, AT(host), 0, 0, NULL, NULL },
	{ "port", HUMAN, AT(port), 0, 65535, NULL, NULL },
	{ "uds", TEXT, AT(uds), 0, 0, NULL, NULL },
	{ "api-key", TEXT, AT(api_key), 0, 0, NULL, NULL },
	{ "ssl-keyfile", TEXT, AT(ssl_keyfile), 0, 0, NULL, NULL },
	{ "ssl-certfile", TEXT, AT(ssl_certfile), 0, 0, NULL, NULL },
	{ "max-model-len", HUMAN, AT(max_model_len), 1, 1e8, NULL, NULL },
	{ "max-num-seqs", HUMAN, AT(max_num_seqs), 1, 1e6, NULL, NULL },
	{ "max-num-batched-tokens", HUMAN, AT(max_num_batched_tokens), 1, 1e8, NULL, NULL },
	{ "block-size", HUMAN, AT(block_size), 1, 65536, NULL, NULL },
	{ "num-gpu-blocks-override", HUMAN, AT(block_count), 1, 1e8, NULL, NULL },
	{ "tensor-parallel-size", HUMAN, AT(tensor_parallel), 1, 1024, NULL, NULL },
	{ "max-logprobs", HUMAN, AT(max_logprobs), -1, 1e6, NULL, NULL },
	{ "seed", HUMAN, AT(seed), -1e18, 1e18, NULL, NULL },
	{ "gpu-memory-utilization", NUMBER, AT(memory_utilisation), 0.01, 1, NULL, NULL },
	{ "enable-prefix-caching", SWITCH, AT(prefix_caching), 0, 0, NULL, NULL },
	{ "no-enable-prefix-caching", SWITCH_OFF, AT(prefix_caching), 0, 0, NULL, NULL },
	{ "enable-chunked-prefill", SWITCH, AT(chunked_prefill), 0, 0, NULL, NULL },
	{ "no-enable-chunked-prefill", SWITCH_OFF, AT(chunked_prefill), 0, 0, NULL, NULL },
	{ "scheduler-reserve-full-isl", SWITCH, AT(reserve_full), 0, 0, NULL, NULL },
	{ "no-scheduler-reserve-full-isl", SWITCH_OFF, AT(reserve_full), 0, 0, NULL, NULL },
	{ "stream-interval", HUMAN, AT(stream_interval), 1, 1e6, NULL, NULL },
	{ "speculative-config", SPECULATIVE, AT(draft_tokens), 0, 0, NULL, NULL },
	{ "speculative-config.num-speculative-tokens", HUMAN, AT(draft_tokens), 1, SIM_DRAFTS_MAX,
	  NULL, NULL },
	{ "spec-tokens", HUMAN, AT(draft_tokens), 1, SIM_DRAFTS_MAX, NULL, NULL },
	{ "enable-lora", SWITCH, AT(lora), 0, 0, NULL, NULL },
	{ "lora-modules", LORAS, AT(loras), 0, 0, NULL, NULL },
	{ "profiler-config", TEXT, AT(profiler), 0, 0, NULL, NULL },
	{ "profiler-config.profiler", TEXT, AT(profiler), 0, 0, NULL, NULL },
	{ "profiler-config.torch-profiler-dir", TEXT, AT(profiler), 0, 0, NULL, NULL },
	{ "disable-uvicorn-access-log", SWITCH_OFF, AT(access_log), 0, 0, NULL, NULL },
	{ "disable-log-stats", SWITCH_OFF, AT(stats_log), 0, 0, NULL, NULL },
	{ "sim-profile", PROFILE_NAME, AT(profile), 0, 0, "NAME",
	  "model and GPU whose step times are used" },
	{ "sim-step", DURATION, AT(step_ns), 1, 1e15, "DURATION",
	  "every step takes this long, whatever is in it" },
	{ "sim-speed", NUMBER, AT(speed), 1e-6, 1e6, "N", "steps take 1/N of their time" },
	{ "sim-log", TEXT, AT(log_path), 0, 0, "FILE",
	  "JSON lines of what was received and sent, in ns" },
	{ "sim-capture", TEXT, AT(capture_path), 0, 0, "FILE",
	  "each request's bytes, head included" },
	{ "sim-start-delay", DURATION, AT(startup_ns), 0, 1e15, "DURATION",
	  "time before the server listens, shared among the phases of a start" },
	{ "sim-startup", DURATION, AT(startup_ns), 0, 1e15, "DURATION",
	  "the same, by its older name" },
	{ "sim-processes", HUMAN, AT(processes), 0, 64, "N",
	  "worker processes; the first has a session of its own and ignores SIGTERM" },
	{ "sim-eos-rate", NUMBER, AT(eos_rate), 0, 1, "P",
	  "chance of each token to end its text (default 0)" },
	{ "sim-no-chat-template", SWITCH, AT(no_chat_template), 0, 0, "",
	  "chat messages are refused, as by a model whose tokenizer has no template" },
#define FAULT(kind, type, field, otherwise, option, arg, min, max, help) \
	{ option, kind, AT(faults.field), min, max, arg, help },
#include "tbl/sim_faults.h"
#undef FAULT
};

static const struct row *find_row(const char *name, size_t len)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *a = rows[i].name;
		size_t k = 0;

		while (k < len && a[k] != '\0' &&
		       (a[k] == name[k] || (a[k] == '-' && name[k] == '_')))
			k++;
		if (k == len && a[k] == '\0')
			return &rows[i];
	}
	return NULL;
}

static int set_whole(const struct row *row, const char *text, int64_t *field, struct pl_err *err)
{
	int64_t value;
	bool good = row->kind == DURATION ? pl_text_to_duration_ns(text, &value)
					  : pl_text_to_human_int(text, &value);

	if (!good || (double)value < row->min || (double)value > row->max)
		return pl_err_set(err, PL_ERR_INVALID, "argument --%s: invalid value: '%s'",
				  row->name, text);
	*field = value;
	return 0;
}

static int set_number(const struct row *row, const char *text, double *field, struct pl_err *err)
{
	double value;

	if (!pl_text_to_f64(text, &value) || !(value >= row->min && value <= row->max))
		return pl_err_set(err, PL_ERR_INVALID, "argument --%s: invalid value: '%s'",
				  row->name, text);
	*field = value;
	return 0;
}

static int set_profile(const char *text, const struct sim_profile **field, struct pl_err *err)
{
	const struct sim_profile *profile = sim_profile_find(text);

	if (profile == NULL)
		return pl_err_set(err, PL_ERR_INVALID, "argument --sim-profile: no profile '%s'",
				  text);
	*field = profile;
	return 0;
}

/* One word of a list, kept as its place in it. */
static int set_word(const struct row *row, const char *text, int64_t *field, struct pl_err *err)
{
	int64_t value = row->kind == FAILURE_NAME   ? sim_failure_find(text)
			: row->kind == SIGNAL_NAME  ? sim_signal_find(text)
			: row->kind == METRICS_NAME ? sim_metrics_fault_find(text)
						    : sim_event_form_find(text);

	if (value < 0)
		return pl_err_set(err, PL_ERR_INVALID, "argument --%s: invalid choice: '%s'",
				  row->name, text);
	*field = value;
	return 0;
}

/* {"method": …, "num_speculative_tokens": K} */
static int set_speculative(const char *text, int64_t *field, struct pl_err *err)
{
	auto_json json_t *config = NULL;
	const json_t *count;

	if (pl_json_parse(text, strlen(text), "--speculative-config", &config, err) < 0)
		return -1;
	count = json_object_get(config, "num_speculative_tokens");
	if (!json_is_object(config) || (count != NULL && !json_is_integer(count)))
		return pl_err_set(err, PL_ERR_INVALID,
				  "argument --speculative-config: invalid value: '%s'", text);
	*field = count != NULL ? json_integer_value(count) : 1;
	if (*field < 1 || *field > SIM_DRAFTS_MAX)
		return pl_err_set(
			err, PL_ERR_INVALID,
			"argument --speculative-config: more than %d draft tokens or none",
			SIM_DRAFTS_MAX);
	return 0;
}

/* name=path, or {"name": …, "path": …} */
static int add_lora(const char *text, struct sim_options *options, struct pl_err *err)
{
	struct sim_lora *lora = &options->loras[options->lora_count];
	auto_json json_t *object = NULL;
	const char *equals = strchr(text, '=');

	if (options->lora_count == SIM_LORAS_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "too many LoRA modules");
	if (text[0] == '{' && pl_json_parse(text, strlen(text), "--lora-modules", &object, err) < 0)
		return -1;
	if (object != NULL) {
		lora->name = pl_strdup(json_string_value(json_object_get(object, "name")));
		lora->path = pl_strdup(json_string_value(json_object_get(object, "path")));
	} else if (equals != NULL) {
		lora->name = pl_strndup(text, (size_t)(equals - text));
		lora->path = pl_strdup(equals + 1);
	}
	options->lora_count++;
	if (lora->name == NULL || lora->path == NULL)
		return pl_err_set(err, PL_ERR_INVALID,
				  "argument --lora-modules: '%s' is not name=path", text);
	return 0;
}

static int set(const struct row *row, const char *text, struct sim_options *options,
	       struct pl_err *err)
{
	char *field = (char *)options + row->offset;

	switch (row->kind) {
	case TEXT:
		*(const char **)(void *)field = text;
		return 0;
	case NAMES:
		if (options->name_count == SIM_NAMES_MAX)
			return pl_err_set(err, PL_ERR_INVALID, "too many names of the model");
		options->names[options->name_count++] = text;
		return 0;
	case HUMAN:
	case DURATION:
		return set_whole(row, text, (int64_t *)(void *)field, err);
	case NUMBER:
		return set_number(row, text, (double *)(void *)field, err);
	case PROFILE_NAME:
		return set_profile(text, (const struct sim_profile **)(void *)field, err);
	case FAILURE_NAME:
	case SIGNAL_NAME:
	case METRICS_NAME:
	case FORM_NAME:
		return set_word(row, text, (int64_t *)(void *)field, err);
	case SPECULATIVE:
		return set_speculative(text, (int64_t *)(void *)field, err);
	case LORAS:
		return add_lora(text, options, err);
	case SWITCH:
	case SWITCH_OFF:
		*(bool *)field = row->kind == SWITCH;
		return 0;
	}
	return -1;
}

static bool is_value(const char *word)
{
	return word != NULL && !pl_text_starts(word, "--");
}

/* 'name': 'value', with the key left out of sight. */
static void note(struct sim_options *options, const char *name, size_t len, const char *value)
{
	pl_buf_addf(&options->given, ", '%.*s': ", (int)len, name);
	for (char *c = options->given.data + options->given.len - 3 - len; *c != '\''; c++) {
		if (*c == '-')
			*c = '_';
	}
	if (value == NULL)
		pl_buf_add_text(&options->given, "True");
	else if (strncmp(name, "api-key", len) == 0)
		pl_buf_add_text(&options->given, "'***'");
	else
		pl_buf_addf(&options->given, "'%s'", value);
}

/* vLLM's argument of this name: "x-y", "x_y", "no-x", "x-config.key". */
static const struct option_row *find_vllm(const char *name, size_t len)
{
	auto_free char *plain = pl_strndup(name, strnlen(name, len));
	const struct option_row *arg;

	plain[strcspn(plain, ".")] = '\0';
	arg = vllm_arg_find(plain);
	return arg != NULL ? arg : vllm_arg_find_negative(plain);
}

/* What stands behind an argument that changes nothing here. */
static void skip_values(const struct option_row *arg, char **argv, int *at)
{
	bool one = arg == NULL || arg->style == OPTION_STYLE_VALUE ||
		   arg->style == OPTION_STYLE_REPEAT || arg->style == OPTION_STYLE_OPTIONAL_VALUE;
	bool many = arg != NULL && arg->style == OPTION_STYLE_LIST;

	while ((one || many) && is_value(argv[*at])) {
		(*at)++;
		one = false;
	}
}

static int take_values(const struct row *row, const char *value, char **argv, int *at,
		       struct sim_options *options, struct pl_err *err)
{
	bool more = (row->kind == NAMES || row->kind == LORAS) && value == NULL;

	if (value == NULL && row->kind != SWITCH && row->kind != SWITCH_OFF) {
		if (!is_value(argv[*at]))
			return pl_err_set(err, PL_ERR_INVALID,
					  "argument --%s: expected one argument", row->name);
		value = argv[(*at)++];
	}
	if (row->arg ==
	    NULL) /* vLLM's own: the log is as vLLM's, and does not tell what will fail */
		note(options, row->name, strlen(row->name), value);
	if (set(row, value, options, err) < 0)
		return -1;
	while (more && is_value(argv[*at])) {
		if (set(row, argv[(*at)++], options, err) < 0)
			return -1;
	}
	return 0;
}

/* One option at argv[*at]; *at moves behind it and its values. */
static int parse_option(char **argv, int *at, struct sim_options *options, struct pl_err *err)
{
	const char *word = argv[(*at)++];
	const char *name = word + strspn(word, "-");
	const char *equals = strchr(name, '=');
	size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
	bool is_short = word[1] != '-';
	const struct row *row = is_short ? NULL : find_row(name, len);
	const struct option_row *arg = row == NULL && !is_short ? find_vllm(name, len) : NULL;

	if (row == NULL && is_short && strncmp(name, "tp", len) == 0 && len == 2)
		row = find_row("tensor-parallel-size", strlen("tensor-parallel-size"));
	if (row == NULL && is_short && strncmp(name, "sc", len) == 0 && len == 2)
		row = find_row("speculative-config", strlen("speculative-config"));
	if (row == NULL && arg != NULL && memchr(name, '.', len) == NULL &&
	    strncmp(name, "no", 2) != 0)
		row = find_row(arg->name, strlen(arg->name));
	if (row != NULL)
		return take_values(row, equals != NULL ? equals + 1 : NULL, argv, at, options, err);
	if (arg == NULL && !is_short)
		return pl_err_set(err, PL_ERR_INVALID, "unrecognized arguments: %s", word);
	note(options, name, len, equals != NULL ? equals + 1 : NULL);
	if (equals == NULL)
		skip_values(arg, argv, at);
	return 0;
}

static void set_defaults(struct sim_options *options)
{
	*options = (struct sim_options){
		.host = "0.0.0.0",
		.port = 8000,
		.max_num_seqs = 256,
		.stream_interval = 1,
		.block_size = 16,
		.max_logprobs = 20,
		.memory_utilisation = 0.92,
		.prefix_caching = true,
		.chunked_prefill = true,
		.reserve_full = true,
		.access_log = true,
		.stats_log = true,
		.speed = 1,
	};
	sim_faults_init(&options->faults);
	pl_buf_init(&options->given, 1u << 20);
}

/* What follows from other values. */
static int settle(struct sim_options *options, struct pl_err *err)
{
	const char *key = getenv("VLLM_API_KEY");

	if (options->model == NULL)
		return pl_err_set(err, PL_ERR_INVALID,
				  "the following arguments are required: "
				  "model");
	if (options->name_count == 0)
		options->names[options->name_count++] = options->model;
	if (options->lora_count > 0 && !options->lora)
		return pl_err_set(err, PL_ERR_INVALID,
				  "argument --lora-modules: needs --enable-lora");
	for (size_t i = 0; i < options->lora_count; i++)
		options->names[options->name_count + i] = options->loras[i].name;
	if (options->profiler == NULL)
		options->profiler = getenv("VLLM_TORCH_PROFILER_DIR");
	if (options->api_key == NULL && key != NULL && key[0] != '\0')
		options->api_key = key;
	if (options->profile == NULL)
		options->profile = sim_profile_for_model(options->model);
	if (options->tensor_parallel == 0)
		options->tensor_parallel = options->profile->tensor_parallel;
	return 0;
}

int sim_options_parse(int argc, char **argv, struct sim_options *ret, enum sim_action *ret_action,
		      struct pl_err *err)
{
	int at = 2;

	set_defaults(ret);
	*ret_action = SIM_SERVE;
	for (int i = 1; i < argc; i++) {
		if (pl_text_equal(argv[i], "--help") || pl_text_equal(argv[i], "-h"))
			*ret_action = SIM_HELP;
		else if (pl_text_equal(argv[i], "--version") || pl_text_equal(argv[i], "-v"))
			*ret_action = SIM_VERSION;
	}
	if (*ret_action != SIM_SERVE)
		return 0;
	if (argc < 2 || !pl_text_equal(argv[1], "serve"))
		return pl_err_set(err, PL_ERR_INVALID, "the first word must be 'serve'");
	if (at < argc && argv[at][0] != '-')
		ret->model = argv[at++];
	while (at < argc) {
		if (argv[at][0] != '-' || argv[at][1] == '\0')
			return pl_err_set(err, PL_ERR_INVALID, "unrecognized arguments: %s",
					  argv[at]);
		if (parse_option(argv, &at, ret, err) < 0)
			return -1;
	}
	return settle(ret, err);
}

void sim_options_done(struct sim_options *options)
{
	for (size_t i = 0; i < options->lora_count; i++) {
		free(options->loras[i].name);
		free(options->loras[i].path);
	}
	pl_buf_done(&options->given);
}

static void add_words(struct pl_buf *buf, const char *option, const char *(*name)(int64_t))
{
	pl_buf_addf(buf, "\nOf %s:", option);
	for (int64_t i = 1; name(i) != NULL; i++)
		pl_buf_addf(buf, " %s", name(i));
}

void sim_options_help(struct pl_buf *buf)
{
	pl_buf_add_text(
		buf, "usage: profllm-sim serve MODEL [vLLM's arguments] [--sim-...]\n\n"
		     "Speaks vLLM's HTTP API with a model of its engine: no GPU, no weights.\n"
		     "What it answers is simulated, and says so.\n\n"
		     "Read of vLLM's arguments (all others are accepted and change nothing):\n ");
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].arg == NULL)
			pl_buf_addf(buf, " --%s\n ", rows[i].name);
	}
	pl_buf_add_text(buf, "\nIts own:\n");
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].arg != NULL)
			pl_buf_addf(buf, "  --%s%s%s\n        %s\n", rows[i].name,
				    rows[i].arg[0] != '\0' ? " " : "", rows[i].arg, rows[i].help);
	}
	pl_buf_add_text(buf, "  --help\n  --version\n\nProfiles:");
	for (size_t i = 0; sim_profile_at(i) != NULL; i++)
		pl_buf_addf(buf, " %s", sim_profile_at(i)->name);
	add_words(buf, "--sim-fail-start", sim_failure_name);
	add_words(buf, "--sim-metrics-fault", sim_metrics_fault_name);
	add_words(buf, "--sim-event-form", sim_event_form_name);
	pl_buf_add_text(buf, "\nDurations: 30ms, 250us, 1.5s, 2m.\n");
}
