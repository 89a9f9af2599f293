#include "sim/options.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/text.h"
#include "option/secret.h"
#include "vllm/catalog.h"

/* The format of a row's text, which determines the type of the field at `offset`. */
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

/* An option that the engine model uses; the rows of vLLM's options are in vllm/catalog.h. */
struct setting {
	const char *flag;
	enum kind kind;
	size_t offset;
	double min;
	double max;
	const char *arg; /* --sim-… only: shown by --help */
	const char *help;
};

#define AT(field) offsetof(struct sim_options, field)

static const struct setting settings[] = {
	{ "--model", TEXT, AT(model), 0, 0, NULL, NULL },
	{ "--served-model-name", NAMES, AT(names), 0, 0, NULL, NULL },
	{ "--runner", TEXT, AT(runner), 0, 0, NULL, NULL },
	{ "--convert", TEXT, AT(convert), 0, 0, NULL, NULL },
	{ "--host", TEXT, AT(host), 0, 0, NULL, NULL },
	{ "--port", HUMAN, AT(port), 0, 65535, NULL, NULL },
	{ "--uds", TEXT, AT(uds), 0, 0, NULL, NULL },
	{ "--api-key", TEXT, AT(api_key), 0, 0, NULL, NULL },
	{ "--ssl-keyfile", TEXT, AT(ssl_keyfile), 0, 0, NULL, NULL },
	{ "--ssl-certfile", TEXT, AT(ssl_certfile), 0, 0, NULL, NULL },
	{ "--max-model-len", HUMAN, AT(max_model_len), 1, 1e8, NULL, NULL },
	{ "--max-num-seqs", HUMAN, AT(max_num_seqs), 1, 1e6, NULL, NULL },
	{ "--max-num-batched-tokens", HUMAN, AT(max_num_batched_tokens), 1, 1e8, NULL, NULL },
	{ "--block-size", HUMAN, AT(block_size), 1, 65536, NULL, NULL },
	{ "--num-gpu-blocks-override", HUMAN, AT(block_count), 1, 1e8, NULL, NULL },
	{ "--tensor-parallel-size", HUMAN, AT(tensor_parallel), 1, 1024, NULL, NULL },
	{ "--pipeline-parallel-size", HUMAN, AT(pipeline_parallel), 1, 1024, NULL, NULL },
	{ "--max-logprobs", HUMAN, AT(max_logprobs), -1, 1e6, NULL, NULL },
	{ "--seed", HUMAN, AT(seed), -1e18, 1e18, NULL, NULL },
	{ "--gpu-memory-utilization", NUMBER, AT(memory_utilisation), 0.01, 1, NULL, NULL },
	{ "--quantization", TEXT, AT(quantization), 0, 0, NULL, NULL },
	{ "--kv-cache-dtype", TEXT, AT(kv_cache_dtype), 0, 0, NULL, NULL },
	{ "--enable-prefix-caching", SWITCH, AT(prefix_caching), 0, 0, NULL, NULL },
	{ "--enable-chunked-prefill", SWITCH, AT(chunked_prefill), 0, 0, NULL, NULL },
	{ "--scheduler-reserve-full-isl", SWITCH, AT(reserve_full), 0, 0, NULL, NULL },
	{ "--stream-interval", HUMAN, AT(stream_interval), 1, 1e6, NULL, NULL },
	{ "--speculative-config", SPECULATIVE, AT(draft_tokens), 0, 0, NULL, NULL },
	{ "--spec-tokens", HUMAN, AT(draft_tokens), 1, SIM_DRAFTS_MAX, NULL, NULL },
	{ "--enable-lora", SWITCH, AT(lora), 0, 0, NULL, NULL },
	{ "--lora-modules", LORAS, AT(loras), 0, 0, NULL, NULL },
	{ "--profiler-config", TEXT, AT(profiler), 0, 0, NULL, NULL },
	{ "--disable-uvicorn-access-log", SWITCH_OFF, AT(access_log), 0, 0, NULL, NULL },
	{ "--disable-log-stats", SWITCH_OFF, AT(stats_log), 0, 0, NULL, NULL },
	{ "--enable-per-request-metrics", SWITCH, AT(request_metrics), 0, 0, NULL, NULL },
	{ "--enable-prompt-tokens-details", SWITCH, AT(prompt_details), 0, 0, NULL, NULL },
	{ "--sim-profile", PROFILE_NAME, AT(profile), 0, 0, "NAME",
	  "use the step times of this model and GPU" },
	{ "--sim-step", DURATION, AT(step_ns), 1, 1e15, "DURATION",
	  "make every step take DURATION" },
	{ "--sim-speed", NUMBER, AT(speed), 1e-6, 1e6, "N", "run steps N times as fast" },
	{ "--sim-drift", NUMBER, AT(drift), 0, 1e3, "SHARE",
	  "lengthen later steps by SHARE with each request" },
	{ "--sim-drift-file", TEXT, AT(drift_path), 0, 0, "FILE",
	  "count the requests in FILE across servers, one byte each" },
	{ "--sim-log", TEXT, AT(log_path), 0, 0, "FILE",
	  "log received and sent data to FILE as JSON lines, times in ns" },
	{ "--sim-capture", TEXT, AT(capture_path), 0, 0, "FILE",
	  "write the bytes of each request to FILE, including its head" },
	{ "--sim-start-delay", DURATION, AT(startup_ns), 0, 1e15, "DURATION",
	  "listen after DURATION, spread over the phases of a start" },
	{ "--sim-startup", DURATION, AT(startup_ns), 0, 1e15, "DURATION",
	  "listen after DURATION (older name of --sim-start-delay)" },
	{ "--sim-frontend-delay", DURATION, AT(frontend_delay_ns), 0, 1e15, "DURATION",
	  "hold each request for DURATION before the engine receives it" },
	{ "--sim-late-arrival", SWITCH, AT(late_arrival), 0, 0, "",
	  "count TTFT and E2E latency of /metrics from after that delay" },
	{ "--sim-processes", HUMAN, AT(processes), 0, 64, "N",
	  "start N worker processes; the first has its own session and ignores SIGTERM" },
	{ "--sim-trace-delay", DURATION, AT(trace_delay_ns), 0, 1e15, "DURATION",
	  "write the second half of each trace DURATION after /stop_profile" },
	{ "--sim-eos-rate", NUMBER, AT(eos_rate), 0, 1, "P",
	  "end a text after each token with probability P (default 0)" },
	{ "--sim-start-with", TEXT, AT(start_with), 0, 0, "NAME=VALUE",
	  "override a vLLM argument; may be repeated" },
	{ "--sim-no-chat-template", SWITCH, AT(no_chat_template), 0, 0, "",
	  "reject chat messages, like a tokenizer without a chat template" },
	{ "--sim-media", SWITCH, AT(media), 0, 0, "",
	  "accept images, videos and audio, like a multimodal model" },
	{ "--sim-encoder-time", DURATION, AT(encoder_ns), 0, 1e12, "DURATION",
	  "lengthen a step by DURATION for each new token of media (default 10us)" },
#define FAULT(kind, type, field, otherwise, option, arg, min, max, help) \
	{ "--" option, kind, AT(faults.field), min, max, arg, help },
#include "tbl/sim_faults.h"
};

static int set_whole(const struct setting *setting, const char *text, int64_t *field,
		     struct pl_err *err)
{
	int64_t value;
	bool good = setting->kind == DURATION ? pl_text_to_duration_ns(text, &value)
					      : pl_text_to_human_int(text, &value);

	/* In argparse's words, so that parsers of vLLM's messages also work here. */
	if (!good || (double)value < setting->min || (double)value > setting->max)
		return pl_err_invalid(err, "argument %s: invalid value: '%s'", setting->flag, text);
	*field = value;
	return 0;
}

static int set_number(const struct setting *setting, const char *text, double *field,
		      struct pl_err *err)
{
	double value;

	if (!pl_text_to_f64(text, &value) || !(value >= setting->min && value <= setting->max))
		return pl_err_invalid(err, "argument %s: invalid value: '%s'", setting->flag, text);
	*field = value;
	return 0;
}

static int set_profile(const char *text, const struct sim_profile **field, struct pl_err *err)
{
	const struct sim_profile *profile = sim_profile_find(text);

	if (profile == NULL)
		return pl_err_invalid(err, "argument --sim-profile: no profile '%s'", text);
	*field = profile;
	return 0;
}

/* One word of a list, kept as its place in it. */
static int set_word(const struct setting *setting, const char *text, int64_t *field,
		    struct pl_err *err)
{
	int64_t value = setting->kind == FAILURE_NAME   ? sim_word_find(sim_failure_words, text)
			: setting->kind == SIGNAL_NAME  ? sim_signal_find(text)
			: setting->kind == METRICS_NAME ? sim_word_find(sim_metrics_words, text)
							: sim_word_find(sim_form_words, text);

	if (value < 0)
		return pl_err_invalid(err, "argument %s: invalid choice: '%s'", setting->flag,
				      text);
	*field = value;
	return 0;
}

/* {"method": …, "num_speculative_tokens": K} */
static int set_speculative(const char *text, int64_t *field, struct pl_err *err)
{
	auto_json json_t *config = NULL;

	if (pl_json_parse(text, strlen(text), "--speculative-config", &config, err) < 0)
		return -1;
	const json_t *count = json_object_get(config, "num_speculative_tokens");
	if (!json_is_object(config) || (count != NULL && !json_is_integer(count)))
		return pl_err_invalid(err, "argument --speculative-config: invalid value: '%s'",
				      text);
	*field = count != NULL ? json_integer_value(count) : 1;
	if (*field < 1 || *field > SIM_DRAFTS_MAX)
		return pl_err_invalid(
			err, "argument --speculative-config: more than %d draft tokens or none",
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
		return pl_err_invalid(err, "too many LoRA modules");
	if (text[0] == '{' && pl_json_parse(text, strlen(text), "--lora-modules", &object, err) < 0)
		return -1;
	if (object != NULL) {
		lora->name = pl_strdup(pl_json_get_text(object, "name"));
		lora->path = pl_strdup(pl_json_get_text(object, "path"));
	} else if (equals != NULL) {
		lora->name = pl_strndup(text, (size_t)(equals - text));
		lora->path = pl_strdup(equals + 1);
	}
	/* Counted before it is checked, so that sim_options_done() frees it. */
	options->lora_count++;
	if (lora->name == NULL || lora->path == NULL)
		return pl_err_invalid(err, "argument --lora-modules: '%s' is not name=path", text);
	return 0;
}

static int set(const struct setting *setting, const char *text, struct sim_options *options,
	       struct pl_err *err)
{
	char *field = (char *)options + setting->offset;

	switch (setting->kind) {
	case TEXT:
		*(const char **)(void *)field = text;
		return 0;
	case NAMES:
		if (options->name_count == SIM_NAMES_MAX)
			return pl_err_invalid(err, "too many names of the model");
		options->names[options->name_count++] = text;
		return 0;
	case HUMAN:
	case DURATION:
		return set_whole(setting, text, (int64_t *)(void *)field, err);
	case NUMBER:
		return set_number(setting, text, (double *)(void *)field, err);
	case PROFILE_NAME:
		return set_profile(text, (const struct sim_profile **)(void *)field, err);
	case FAILURE_NAME:
	case SIGNAL_NAME:
	case METRICS_NAME:
	case FORM_NAME:
		return set_word(setting, text, (int64_t *)(void *)field, err);
	case SPECULATIVE:
		return set_speculative(text, (int64_t *)(void *)field, err);
	case LORAS:
		return add_lora(text, options, err);
	case SWITCH:
	case SWITCH_OFF:
		break;
	}
	return -1;
}

/* Returns a value of its argument's type, like vLLM's parser. */
static json_t *typed(const struct option_row *row, const char *text)
{
	int64_t whole;
	double number;

	if (row->secret)
		return json_string(OPTION_SECRET_SHOWN);
	if ((row->type == OPTION_INT || row->type == OPTION_HUMAN_INT) &&
	    pl_text_to_human_int(text, &whole))
		return json_integer(whole);
	if (row->type == OPTION_FLOAT && pl_text_to_f64(text, &number))
		return json_real(number);
	json_t *object = row->type == OPTION_JSON ? pl_json_of_text(text) : NULL;
	return object != NULL ? object : json_string(text);
}

static void note(struct sim_options *options, const struct option_argv_word *word)
{
	const struct option_row *row = word->flag->row;
	size_t count = option_argv_value_count(word);
	json_t *value;

	if (count == 0) {
		value = json_boolean(!word->flag->negative);
	} else if (row->type == OPTION_LIST) {
		value = json_array();
		for (size_t i = 0; i < count; i++)
			json_array_append_new(value, typed(row, option_argv_value(word, i)));
	} else {
		value = typed(row, option_argv_value(word, 0));
	}
	json_object_set_new(options->given, row->name, value);
}

static int take_values(const struct setting *setting, const struct option_argv_word *word,
		       struct sim_options *options, struct pl_err *err)
{
	if (setting->kind == SWITCH || setting->kind == SWITCH_OFF)
		*((bool *)options + setting->offset) = (setting->kind == SWITCH) !=
						       word->flag->negative;
	for (size_t i = 0; i < option_argv_value_count(word); i++) {
		if (set(setting, option_argv_value(word, i), options, err) < 0)
			return -1;
	}
	return 0;
}

static int take_flag(const struct option_argv_word *word, struct sim_options *options,
		     struct pl_err *err)
{
	const struct setting *setting = PL_ROW_FIND(settings, flag, word->flag->row->flag);

	if (word->kind == OPTION_ARGV_NO_VALUE)
		return pl_err_invalid(err, "argument %s: expected one argument", word->flag->text);
	if (word->kind == OPTION_ARGV_TAKES_NONE)
		return pl_err_invalid(err, "argument %s: ignored explicit argument '%s'",
				      word->flag->text, word->joined);
	/* only vLLM's own arguments: the log is like vLLM's, and does not reveal the faults */
	if (setting == NULL || setting->arg == NULL)
		note(options, word);
	return setting != NULL ? take_values(setting, word, options, err) : 0;
}

static int unrecognised(const struct option_argv_word *word, struct pl_err *err)
{
	return pl_err_invalid(err, "unrecognized arguments: %s", word->written);
}

/* "--enable-chunked-prefill False": releases before 0.8.5 accept a value for some flags. */
static bool is_value_of_switch(const struct option_argv_word *word, const char *text)
{
	return word->kind == OPTION_ARGV_FLAG && word->flag->row->type == OPTION_BOOL &&
	       (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0);
}

static void take_value_of_switch(const struct option_argv_word *word, const char *text,
				 struct sim_options *options)
{
	const struct setting *setting = PL_ROW_FIND(settings, flag, word->flag->row->flag);

	if (setting != NULL && (setting->kind == SWITCH || setting->kind == SWITCH_OFF))
		*((bool *)options + setting->offset) = (setting->kind == SWITCH) ==
						       (strcasecmp(text, "true") == 0);
	json_object_set_new(options->given, word->flag->row->name,
			    json_boolean(strcasecmp(text, "true") == 0));
}

static int take_word(const struct option_argv *argv, size_t at, struct sim_options *options,
		     struct pl_err *err)
{
	const struct option_argv_word *word = &argv->words[at];
	bool is_level = pl_text_starts(word->text, "-O");

	switch (word->kind) {
	case OPTION_ARGV_SEPARATOR:
	case OPTION_ARGV_VALUE:
		return 0;
	case OPTION_ARGV_WORD:
		/* "-O 3" */
		if (at > 0 && word[-1].kind == OPTION_ARGV_UNKNOWN)
			return 0;
		if (at > 0 && is_value_of_switch(&word[-1], word->text)) {
			take_value_of_switch(&word[-1], word->text, options);
			return 0;
		}
		if (options->model != NULL)
			return unrecognised(word, err);
		options->model = word->text;
		return 0;
	case OPTION_ARGV_UNKNOWN:
		return is_level ? 0 : unrecognised(word, err);
	case OPTION_ARGV_AMBIGUOUS:
		return pl_err_invalid(err, "ambiguous option: %s could match %s, %s", word->text,
				      word->candidates[0]->text, word->candidates[1]->text);
	default:
		return take_flag(word, options, err);
	}
}

/* Converts "max_model_len=4096" of --sim-start-with to the word that would set it, after all others. */
static int add_other_value(struct option_argv *argv, const char *text, struct pl_err *err)
{
	const char *equals = strchr(text, '=');
	auto_free char *name = pl_strndup(text, equals != NULL ? (size_t)(equals - text) : 0);
	const struct option_row *row = vllm_arg_find(vllm_catalog_reference(), name);

	if (row == NULL)
		return pl_err_invalid(err, "argument --sim-start-with: invalid value: '%s'", text);
	bool is_switch = row->style == OPTION_STYLE_TOGGLE || row->style == OPTION_STYLE_FLAG;
	bool is_off = is_switch && strcasecmp(equals + 1, "true") != 0;
	auto_free char *word = is_switch ? pl_strdup(is_off ? row->negative_flag : row->flag)
					 : pl_asprintf("%s=%s", row->flag, equals + 1);
	if (word == NULL)
		return pl_err_invalid(err, "argument --sim-start-with: '%s' cannot be switched off",
				      name);
	(void)option_argv_add_word(argv, word, NULL, 0, 0);
	return 0;
}

/* vLLM's arguments, of any release, and the simulator's own. */
static int read_words(int argc, char **words, struct sim_options *options, struct pl_err *err)
{
	const struct vllm_catalog *catalog = vllm_catalog_reference();
	struct option_argv *argv = &options->argv;
	struct option_row rows[PL_ARRAY_SIZE(settings)] = { 0 };

	for (size_t i = 0; i < vllm_arg_count(catalog); i++)
		option_argv_add_row(argv, vllm_arg_at(catalog, i), vllm_arg_at(catalog, i)->absent);
	for (size_t i = 0; i < PL_ARRAY_SIZE(settings); i++) {
		rows[i].flag = settings[i].flag;
		rows[i].style = settings[i].kind == SWITCH ? OPTION_STYLE_FLAG : OPTION_STYLE_VALUE;
		if (settings[i].arg != NULL)
			option_argv_add_row(argv, &rows[i], true);
	}
	for (int i = 2; i < argc; i++)
		(void)option_argv_add_word(argv, words[i], NULL, i, 0);
	static const char flag[] = "--sim-start-with";
	size_t count = argv->count;
	for (size_t i = 0; i < count; i++) {
		const char *text = argv->words[i].text;
		if (pl_text_equal(text, flag) && i + 1 < count)
			text = argv->words[i + 1].text;
		else if (pl_text_starts(text, flag) && text[sizeof(flag) - 1] == '=')
			text += sizeof(flag);
		else
			continue;
		auto_free char *value = pl_strdup(text);
		if (add_other_value(argv, value, err) < 0)
			return -1;
	}
	option_argv_read(argv);
	if (argv->refused_count > 0)
		return unrecognised(&argv->refused[0], err);
	for (size_t i = 0; i < argv->count; i++) {
		if (take_word(argv, i, options, err) < 0)
			return -1;
	}
	return 0;
}

static void set_defaults(struct sim_options *options)
{
	*options = (struct sim_options){
		.host = "0.0.0.0",
		.port = 8000,
		.max_num_seqs = 256,
		.stream_interval = 1,
		.pipeline_parallel = 1,
		.block_size = 16,
		.max_logprobs = 20,
		.memory_utilisation = 0.92,
		.prefix_caching = true,
		.chunked_prefill = true,
		.reserve_full = true,
		.access_log = true,
		.stats_log = true,
		.speed = 1,
		.encoder_ns = 10000,
	};
	sim_faults_init(&options->faults);
	options->given = json_object();
}

/* Sets values that depend on others. */
static int settle(struct sim_options *options, struct pl_err *err)
{
	const char *key = getenv("VLLM_API_KEY");

	if (options->model == NULL)
		return pl_err_invalid(err, "the following arguments are required: "
					   "model");
	if (options->name_count == 0)
		options->names[options->name_count++] = options->model;
	if (options->lora_count > 0 && !options->lora)
		return pl_err_invalid(err, "argument --lora-modules: needs --enable-lora");
	for (size_t i = 0; i < options->lora_count; i++)
		options->names[options->name_count + i] = options->loras[i].name;
	if (options->profiler == NULL)
		options->profiler = getenv("VLLM_TORCH_PROFILER_DIR");
	if (options->api_key == NULL && key != NULL && key[0] != '\0')
		options->api_key = key;
	options->embeds = pl_text_equal(options->convert, "embed");
	options->pools = options->embeds || pl_text_equal(options->convert, "classify") ||
			 pl_text_equal(options->runner, "pooling");
	if (options->profile == NULL)
		options->profile = sim_profile_for_model(options->model);
	options->precision = sim_profile_with_formats(options->profile, options->quantization,
						      options->kv_cache_dtype);
	options->profile = &options->precision;
	if (options->tensor_parallel == 0)
		options->tensor_parallel = options->profile->tensor_parallel;
	return 0;
}

int sim_options_parse(int argc, char **argv, struct sim_options *ret, enum sim_action *ret_action,
		      struct pl_err *err)
{
	set_defaults(ret);
	*ret_action = SIM_SERVE;
	/* Help and version anywhere, even together with errors, as in argparse. */
	if (argc == 3 && pl_text_equal(argv[1], "help") && pl_text_equal(argv[2], "--man"))
		*ret_action = SIM_MAN;
	for (int i = 1; i < argc; i++) {
		if (pl_text_equal(argv[i], "--help") || pl_text_equal(argv[i], "-h"))
			*ret_action = SIM_HELP;
		else if (pl_text_equal(argv[i], "--version") || pl_text_equal(argv[i], "-v"))
			*ret_action = SIM_VERSION;
	}
	if (*ret_action != SIM_SERVE)
		return 0;
	if (argc < 2 || !pl_text_equal(argv[1], "serve"))
		return pl_err_invalid(err, "the first argument must be 'serve'");
	if (read_words(argc, argv, ret, err) < 0)
		return -1;
	return settle(ret, err);
}

bool sim_options_have_route(const struct sim_options *options, enum sim_route_model model)
{
	return model == SIM_ROUTE_ANY || (model == SIM_ROUTE_POOLS) == options->pools;
}

void sim_options_done(struct sim_options *options)
{
	for (size_t i = 0; i < options->lora_count; i++) {
		free(options->loras[i].name);
		free(options->loras[i].path);
	}
	json_decref(options->given);
	option_argv_done(&options->argv);
}

bool sim_options_at(size_t at, struct sim_option_text *ret)
{
	if (at >= PL_ARRAY_SIZE(settings))
		return false;
	*ret = (struct sim_option_text){
		.flag = settings[at].flag,
		.arg = settings[at].arg,
		.help = settings[at].help,
	};
	return true;
}
