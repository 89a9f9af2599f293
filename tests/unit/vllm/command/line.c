#include "vllm/command/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "config_text.h"
#include "experiment/config.h"
#include "vllm/yaml_out.h"

#define RELEASE "0.32.0"

static struct vllm_command *parse_as(const char *text, const struct vllm_command_options *options,
				     struct option_problems *problems)
{
	struct vllm_command *command = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(vllm_command_parse(text, strlen(text), options, &command, problems, &err),
			 0);
	assert_non_null(command);
	return command;
}

static struct vllm_command *parse(const char *text, struct option_problems *problems)
{
	const struct vllm_command_options options = { .release = RELEASE };

	return parse_as(text, &options, problems);
}

static void assert_json(const json_t *json, const char *expected)
{
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);

	assert_string_equal(text, expected);
}

/* What "vllm serve m ARGS" sets besides the model, and no error. */
static const struct {
	const char *args;
	const char *values;
} arguments[] = {
	/* one argument, many ways */
	{ "--tensor-parallel-size 2", "{\"tensor_parallel_size\":2}" },
	{ "--tensor-parallel-size=2", "{\"tensor_parallel_size\":2}" },
	{ "--tensor_parallel_size 2", "{\"tensor_parallel_size\":2}" },
	{ "--tensor_parallel-size=2", "{\"tensor_parallel_size\":2}" },
	{ "--tensor-p 2", "{\"tensor_parallel_size\":2}" },
	{ "--tensor-p=2", "{\"tensor_parallel_size\":2}" },
	{ "-tp 2", "{\"tensor_parallel_size\":2}" },
	{ "-tp=2", "{\"tensor_parallel_size\":2}" },
	{ "-tp 4 -tp 2", "{\"tensor_parallel_size\":2}" },
	{ "-q awq", "{\"quantization\":\"awq\"}" },
	{ "-qawq", "{\"quantization\":\"awq\"}" },
	{ "-n2 -r 1", "{\"nnodes\":2,\"node_rank\":1}" },
	/* switches */
	{ "--enforce-eager", "{\"enforce_eager\":true}" },
	{ "--no-enforce-eager", "{\"enforce_eager\":false}" },
	{ "--no_enforce_eager", "{\"enforce_eager\":false}" },
	{ "-ep", "{\"enable_expert_parallel\":true}" },
	{ "--enforce-eager --no-enforce-eager", "{\"enforce_eager\":false}" },
	/* numbers */
	{ "--max-model-len 32k", "{\"max_model_len\":32000}" },
	{ "--max-model-len 32K", "{\"max_model_len\":32768}" },
	{ "--max-model-len 25.6k", "{\"max_model_len\":25600}" },
	{ "--max-model-len auto", "{\"max_model_len\":\"auto\"}" },
	{ "--max-model-len AUTO", "{\"max_model_len\":\"auto\"}" },
	{ "--max-model-len -1", "{\"max_model_len\":-1}" },
	{ "--max-num-seqs ' 1_024 '", "{\"max_num_seqs\":1024}" },
	{ "--max-num-seqs +8", "{\"max_num_seqs\":8}" },
	{ "--seed 007", "{\"seed\":7}" },
	{ "--gpu-memory-utilization .9", "{\"gpu_memory_utilization\":0.9}" },
	{ "--gpu-memory-util 9e-1", "{\"gpu_memory_utilization\":0.9}" },
	{ "--device-memory-utilization 1", "{\"gpu_memory_utilization\":1.0}" },
	/* texts that look like something else */
	{ "--revision 7", "{\"revision\":\"7\"}" },
	{ "--revision true", "{\"revision\":\"true\"}" },
	{ "--revision None", "{\"revision\":null}" },
	{ "--revision ''", "{\"revision\":null}" },
	{ "--revision=-x", "{\"revision\":\"-x\"}" },
	{ "--revision '-x y'", "{\"revision\":\"-x y\"}" },
	{ "--revision=a=b", "{\"revision\":\"a=b\"}" },
	/* several values */
	{ "--served-model-name a b -tp 2",
	  "{\"served_model_name\":[\"a\",\"b\"],\"tensor_parallel_size\":2}" },
	{ "--served-model-name=a", "{\"served_model_name\":[\"a\"]}" },
	{ "--served-model-name a --served-model-name b", "{\"served_model_name\":[\"b\"]}" },
	{ "--middleware a --middleware b", "{\"middleware\":[\"a\",\"b\"]}" },
	{ "--cudagraph-capture-sizes 1 2 4", "{\"cudagraph_capture_sizes\":[1,2,4]}" },
	{ "--allowed-origins '[\"*\"]'", "{\"allowed_origins\":[\"*\"]}" },
	{ "--lora-modules a=/b '{\"name\":\"c\",\"path\":\"d\"}'",
	  "{\"lora_modules\":[\"a=/b\",{\"name\":\"c\",\"path\":\"d\"}]}" },
	{ "--collect-detailed-traces model,worker",
	  "{\"collect_detailed_traces\":[\"model\",\"worker\"]}" },
	/* a value that may be missing */
	{ "--hf-token", "{\"hf_token\":true}" },
	{ "--hf-token abc", "{\"hf_token\":\"abc\"}" },
	{ "--hf-token -tp 2", "{\"hf_token\":true,\"tensor_parallel_size\":2}" },
	/* JSON */
	{ "--compilation-config '{\"mode\": 3}'", "{\"compilation_config\":{\"mode\":3}}" },
	{ "-cc '{\"mode\": \"3\"}'", "{\"compilation_config\":{\"mode\":3}}" },
	{ "--compilation-config.mode 3", "{\"compilation_config\":{\"mode\":3}}" },
	{ "--compilation_config.mode=3", "{\"compilation_config\":{\"mode\":3}}" },
	{ "--compilation-conf.mode=3", "{\"compilation_config\":{\"mode\":3}}" },
	{ "-cc.mode=3 -cc.pass_config.fuse_norm_quant true",
	  "{\"compilation_config\":{\"mode\":3,\"pass_config\":{\"fuse_norm_quant\":"
	  "true}}}" },
	{ "-cc.pass_config '{\"fuse_norm_quant\": true}' -cc.pass_config.fuse_act_quant=on",
	  "{\"compilation_config\":{\"pass_config\":{\"fuse_norm_quant\":true,"
	  "\"fuse_act_quant\":true}}}" },
	{ "-cc.custom_ops+ a -cc.custom_ops+=b,c",
	  "{\"compilation_config\":{\"custom_ops\":[\"a\",\"b\",\"c\"]}}" },
	{ "-cc.mode=1 -cc.mode=2", "{\"compilation_config\":{\"mode\":2}}" },
	{ "--eplb-config '{\"window_size\": 1k}'", "{\"eplb_config\":{\"window_size\":1000}}" },
	{ "--hf-overrides.a.b 1 --hf-overrides.c x",
	  "{\"hf_overrides\":{\"a\":{\"b\":1},\"c\":\"x\"}}" },
	{ "--limit-mm-per-prompt '{\"image\":1,\"image\":2}'",
	  "{\"limit_mm_per_prompt\":{\"image\":2}}" },
	{ "--kv-transfer-config None", "{\"kv_transfer_config\":null}" },
	{ "--pt-load-map-location cuda", "{\"pt_load_map_location\":\"cuda\"}" },
	{ "--pt-load-map-location '{\"a\":\"b\"}'", "{\"pt_load_map_location\":{\"a\":\"b\"}}" },
	/* optimization levels */
	{ "-O3", "{\"optimization_level\":3}" },
	{ "-O=2", "{\"optimization_level\":2}" },
	{ "-O 1", "{\"optimization_level\":1}" },
	{ "--", "{}" },
};

static void arguments_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(arguments); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("vllm serve m %s", arguments[i].args);
		auto_command struct vllm_command *command = parse(text, &problems);
		assert_string_equal(json_string_value(json_object_get(command->values, "model")),
				    "m");
		json_object_del(command->values, "model");
		auto_free char *values = pl_json_to_text(command->values, PL_JSON_COMPACT);
		if (problems.errors != 0)
			fail_msg("%s: %s", arguments[i].args, problems.items[0].expected);
		assert_string_equal(values, arguments[i].values);
	}
}

/* What "vllm serve m ARGS" is refused for: key, number of the word, nearest name. */
static const struct {
	const char *args;
	const char *key;
	size_t word;
	const char *nearest;
} faults[] = {
	{ "--tensor-paralel-size 2", "--tensor-paralel-size", 4, "--tensor-parallel-size" },
	{ "--tensor_paralel_size=2", "--tensor_paralel_size", 4, "--tensor-parallel-size" },
	{ "---max-num-seqs 2", "---max-num-seqs", 4, "--max-num-seqs" },
	{ "-mtp", "-mtp", 4, NULL },
	{ "-tp2", "-tp2", 4, NULL },
	{ "--disable-log-requests", "--disable-log-requests", 4, NULL },
	{ "--device cpu", "--device", 4, NULL },
	{ "-d 1", "-d", 4, NULL },
	{ "--enforce-eager=False", "--enforce-eager", 4, "--no-enforce-eager" },
	{ "--enforce-eager=True", "--enforce-eager", 4, NULL },
	{ "--no-enforce-eager=1", "--no-enforce-eager", 4, NULL },
	{ "--dtype", "--dtype", 4, NULL },
	{ "--dtype -tp 2", "--dtype", 4, NULL },
	{ "--served-model-name -tp 2", "--served-model-name", 4, NULL },
	{ "--dtype float17", "--dtype", 5, "float16" },
	{ "--dtype=float17", "--dtype", 4, "float16" },
	{ "-tp x", "-tp", 5, NULL },
	{ "-tp 2.0", "-tp", 5, NULL },
	{ "-tp true", "-tp", 5, NULL },
	{ "-tp ''", "-tp", 5, NULL },
	{ "-tp 0", "-tp", 5, NULL },
	{ "--seed None", "--seed", 5, NULL },
	{ "--max-model-len 1.5K", "--max-model-len", 5, NULL },
	{ "--gpu-memory-utilization 1.5", "--gpu-memory-utilization", 5, NULL },
	{ "--gpu-memory-utilization nan", "--gpu-memory-utilization", 5, NULL },
	{ "--cudagraph-capture-sizes 1 x", "--cudagraph-capture-sizes", 6, NULL },
	{ "--allowed-origins '*'", "--allowed-origins", 5, NULL },
	{ "--lora-modules a", "--lora-modules", 5, NULL },
	{ "--lora-modules a=b=c", "--lora-modules", 5, NULL },
	{ "--collect-detailed-traces model,x", "--collect-detailed-traces", 5, NULL },
	{ "--limit-mm-per-prompt image=2", "--limit-mm-per-prompt", 5, NULL },
	{ "--limit-mm-per-prompt '{\"image\": 2,}'", "--limit-mm-per-prompt", 5, NULL },
	{ "--compilation-config 3", "--compilation-config", 5, NULL },
	{ "--compilation-config '{\"modus\": 3}'", "--compilation-config.modus", 5, "mode" },
	{ "-cc.mode=1 -cc.pass_config.fuse_nrm_quant true", "-cc.pass_config.fuse_nrm_quant", 5,
	  "fuse_norm_quant" },
	{ "--eplb-config.window_size 1 --eplb-config.step_interval x",
	  "--eplb-config.step_interval", 6, NULL },
	{ "-cc.mode", "-cc.mode", 4, NULL },
	{ "--hf-overrides '{\"a\": 1k}'", "--hf-overrides", 5, NULL },
	{ "--hf-overrides '{\"a\": [NaN]}'", "--hf-overrides", 5, NULL },
	{ "--hf-overrides.a NaN", "--hf-overrides.a", 4, NULL },
	{ "--hf-overrides.a=[-Infinity]", "--hf-overrides.a", 4, NULL },
	{ "--hf-overrides.a 1e400", "--hf-overrides.a", 4, NULL },
	{ "--hf-overrides.a.b 18446744073709551616", "--hf-overrides.a.b", 4, NULL },
	{ "-O fast", "-O", 4, NULL },
	{ "-O.mode=3", "-O.mode", 4, NULL },
	{ "--help", "--help", 4, NULL },
	{ "--host -tp 2", "--host", 4, NULL },
	{ "n", NULL, 4, NULL },
	{ "dtype float16", NULL, 4, "--dtype" },
	{ "-- --dtype", NULL, 5, NULL },
};

static void faults_are_reported(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(faults); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("vllm serve m %s", faults[i].args);
		auto_command struct vllm_command *command = parse(text, &problems);
		const struct option_problem *found = problems.items;
		if (problems.errors == 0)
			fail_msg("%s: taken", faults[i].args);
		if (faults[i].key != NULL && strcmp(found->key, faults[i].key) != 0)
			fail_msg("%s: key %s", faults[i].args, found->key);
		if (vllm_command_word(command, found) != faults[i].word)
			fail_msg("%s: word %d", faults[i].args, found->line);
		if (faults[i].nearest != NULL &&
		    (found->nearest == NULL || strcmp(found->nearest, faults[i].nearest) != 0))
			fail_msg("%s: nearest %s", faults[i].args, found->nearest);
	}
}

/* Two letters become thirteen digits, over and over. */
static void short_numbers_are_written_out(void **state)
{
	auto_problems problems = { 0 };
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 4096);
	pl_buf_add_text(&text, "vllm serve m -cc '{\"cudagraph_capture_sizes\":[1t");
	for (int i = 1; i < 200; i++)
		pl_buf_add_text(&text, ",1t");
	pl_buf_add_text(&text, "]}'");
	auto_command struct vllm_command *command = parse(pl_buf_text(&text), &problems);
	assert_int_equal(problems.errors, 0);
	const json_t *sizes = pl_json_get_path(command->values,
					       "compilation_config.cudagraph_capture_sizes");
	assert_int_equal(json_array_size(sizes), 200);
	assert_int_equal(json_integer_value(json_array_get(sizes, 199)), 1000000000000);
}

static void all_faults_are_reported_at_once(void **state)
{
	auto_problems problems = { 0 };
	auto_command struct vllm_command *command = parse(
		"vllm serve m --omni --dtype x --num-gpus 2 --devic 1 -tp", &problems);

	(void)state;
	assert_int_equal(problems.errors, 5);
	assert_json(command->unknown, "[\"--omni\",\"--num-gpus\"]");
	assert_json(command->values, "{\"model\":\"m\"}");
}

static void warnings_do_not_refuse(void **state)
{
	static const char *const texts[] = {
		"vllm serve m -tp 2 -tp 4",
		"vllm serve m --load-format own_format",
		"vllm serve m --config=x.yaml",
		"vllm serve m --headless",
		"vllm serve m --revision $REVISION",
		"vllm serve m > log.txt 2>&1 &",
		"vllm serve m\n--dtype auto",
		"vllm serve m; curl localhost:8000/health",
		("vllm serve m \xE2\x80\x93"
		 "dtype float16"),
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(texts[i], &problems);
		assert_int_equal(problems.errors, 0);
		assert_true(problems.count > 0);
		if (vllm_command_word(command, &problems.items[0]) == 0)
			fail_msg("%s: no word", texts[i]);
	}
}

static const struct {
	const char *text;
	enum vllm_command_form form;
	const char *launch;
	const char *env;
} texts_of_forms[] = {
	{ "vllm serve m -tp 2", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]", "{}" },
	{ "$ vllm serve m -tp 2", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]", "{}" },
	{ "vllm serve --model m -tp 2", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]", "{}" },
	{ "vllm serve -tp 2 m", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]", "{}" },
	{ "vllm serve -tp 2 --model=m", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]", "{}" },
	{ "/opt/v/bin/vllm serve m -tp 2", VLLM_COMMAND_SERVE, "[\"/opt/v/bin/vllm\",\"serve\"]",
	  "{}" },
	{ "A=1 B='2 3' vllm serve m -tp 2", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]",
	  "{\"A\":\"1\",\"B\":\"2 3\"}" },
	{ "export A=1\nexport B=2\ncd /x && A=3 vllm serve m -tp 2", VLLM_COMMAND_SERVE,
	  "[\"vllm\",\"serve\"]", "{\"A\":\"3\",\"B\":\"2\"}" },
	{ "env -u X A=1 nohup vllm serve m -tp 2 &", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]",
	  "{\"A\":\"1\"}" },
	{ "sudo -E time vllm serve m -tp 2", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]", "{}" },
	{ "numactl -N 0 -m 0 vllm serve m -tp 2", VLLM_COMMAND_SERVE,
	  "[\"numactl\",\"-N\",\"0\",\"-m\",\"0\",\"vllm\",\"serve\"]", "{}" },
	{ "conda run -n vllm vllm serve m -tp 2", VLLM_COMMAND_SERVE,
	  "[\"conda\",\"run\",\"-n\",\"vllm\",\"vllm\",\"serve\"]", "{}" },
	{ "uv run python -m vllm.entrypoints.cli.main serve m -tp 2", VLLM_COMMAND_SERVE,
	  "[\"uv\",\"run\",\"python\",\"-m\",\"vllm.entrypoints.cli.main\",\"serve\"]", "{}" },
	{ "python3 -u -m vllm.entrypoints.openai.api_server --model m -tp 2", VLLM_COMMAND_MODULE,
	  "[\"python3\",\"-u\",\"-m\",\"vllm.entrypoints.openai.api_server\"]", "{}" },
	{ "bash -c 'A=1 vllm serve m -tp 2'", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]",
	  "{\"A\":\"1\"}" },
	{ "docker run --rm -itd --gpus all -p 8000:8000 --env A=1 -eB=2 -v /a:/b "
	  "--shm-size=1g vllm/vllm-openai:latest --model m -tp 2",
	  VLLM_COMMAND_CONTAINER, "[\"vllm\",\"serve\"]", "{\"A\":\"1\",\"B\":\"2\"}" },
	{ "A=1 podman container run vllm/vllm-openai m -tp 2", VLLM_COMMAND_CONTAINER,
	  "[\"vllm\",\"serve\"]", "{\"A\":\"1\"}" },
	{ "docker run rocm/vllm:x vllm serve m -tp 2", VLLM_COMMAND_CONTAINER,
	  "[\"vllm\",\"serve\"]", "{}" },
	{ "docker run --entrypoint vllm vllm/vllm-openai serve m -tp 2", VLLM_COMMAND_CONTAINER,
	  "[\"vllm\",\"serve\"]", "{}" },
	{ "docker run --entrypoint python3 vllm/vllm-openai -m "
	  "vllm.entrypoints.openai.api_server --model m -tp 2",
	  VLLM_COMMAND_CONTAINER, "[\"vllm\",\"serve\"]", "{}" },
	{ "docker run --entrypoint bash vllm/vllm-openai -c 'B=1 vllm serve m -tp 2'",
	  VLLM_COMMAND_CONTAINER, "[\"vllm\",\"serve\"]", "{\"B\":\"1\"}" },
	{ "docker run -e HF_HOME vllm/vllm-openai m -tp 2", VLLM_COMMAND_CONTAINER,
	  "[\"vllm\",\"serve\"]", "{\"HF_HOME\":null}" },
	{ "sudo docker exec -it c vllm serve m -tp 2", VLLM_COMMAND_SERVE,
	  "[\"docker\",\"exec\",\"-it\",\"c\",\"vllm\",\"serve\"]", "{}" },
	{ "apptainer exec --nv i.sif vllm serve m -tp 2", VLLM_COMMAND_SERVE,
	  "[\"apptainer\",\"exec\",\"--nv\",\"i.sif\",\"vllm\",\"serve\"]", "{}" },
	{ "vllm bench latency --model m -tp 2", VLLM_COMMAND_SERVE, "[\"vllm\",\"serve\"]", "{}" },
	{ "A=1 python -m vllm bench startup --model=m -tp 2", VLLM_COMMAND_SERVE,
	  "[\"python\",\"-m\",\"vllm\",\"serve\"]", "{\"A\":\"1\"}" },
	{ "python benchmarks/benchmark_throughput.py --model m -tp 2", VLLM_COMMAND_SERVE, "[]",
	  "{}" },
	{ "python -m vllm.benchmarks.latency --model m -tp 2", VLLM_COMMAND_SERVE, "[]", "{}" },
	{ "profllm bench mm-processor --model m -tp 2", VLLM_COMMAND_SERVE, "[]", "{}" },
	{ "docker run rocm/vllm:x vllm bench startup --model m -tp 2", VLLM_COMMAND_CONTAINER,
	  "[\"vllm\",\"serve\"]", "{}" },
	{ "--model m -tp 2", VLLM_COMMAND_FLAGS, "[\"vllm\",\"serve\"]", "{}" },
};

static void the_form_is_recognised(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts_of_forms); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(texts_of_forms[i].text,
								  &problems);
		if (problems.errors > 0)
			fail_msg("%s: %s", texts_of_forms[i].text, problems.items[0].found);
		assert_int_equal(command->form, texts_of_forms[i].form);
		assert_json(command->launch, texts_of_forms[i].launch);
		assert_json(command->env, texts_of_forms[i].env);
		assert_int_equal(json_object_size(command->values), 2);
		assert_string_equal(json_string_value(json_object_get(command->values, "model")),
				    "m");
		assert_int_equal(json_integer_value(
					 json_object_get(command->values, "tensor_parallel_size")),
				 2);
	}
}

/* A wrapper that changes how the server runs is part of the launch; the others are dropped. */
static void wrappers_are_dropped_or_launched(void **state)
{
	static const char *const dropped[] = { "sudo",       "nohup",           "exec",
					       "time",       "setsid",          "doas",
					       "caffeinate", "systemd-inhibit", "unbuffer" };
	static const char *const launched[] = {
		"nice",     "ionice",    "stdbuf", "prlimit", "setarch", "numactl",
		"taskset",  "srun",      "salloc", "nsys",    "ncu",     "torchrun",
		"xvfb-run", "strace",    "chrt",   "mpirun",  "mpiexec", "chroot",
		"gdb",      "catchsegv", "flock",  "direnv",  "dotenv",  "op",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(dropped); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("%s vllm serve m", dropped[i]);
		auto_command struct vllm_command *command = parse(text, &problems);
		assert_int_equal(problems.errors, 0);
		assert_json(command->launch, "[\"vllm\",\"serve\"]");
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(launched); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("%s vllm serve m", launched[i]);
		auto_free char *launch = pl_asprintf("[\"%s\",\"vllm\",\"serve\"]", launched[i]);
		auto_command struct vllm_command *command = parse(text, &problems);
		assert_int_equal(problems.errors, 0);
		assert_json(command->launch, launch);
	}
}

static void what_starts_no_server_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"ls -l # vllm serve m",
		"ls -l",
		"vllm bench",
		"vllm bench srve",
		"vllm bench sweep serve",
		"python benchmarks/benchmark_prefix_caching.py",
		"vllm",
		"A=1",
		"python -m http.server",
		"docker run",
		"docker ps",
		"bash -c 'ls'",
		"bash -c \"bash -c 'bash -c x'\"",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(texts[i], &problems);
		assert_int_equal(problems.errors, 1);
		assert_int_equal(json_object_size(command->values), 0);
	}
}

static void an_image_says_the_release(void **state)
{
	static const struct {
		const char *image;
		const char *version;
	} cases[] = {
		{ "vllm/vllm-openai:v0.14.1", "0.14.1" },
		{ "vllm/vllm-openai:v0.14.1-cu130", "0.14.1" },
		{ "vllm/vllm-openai:0.9.2", "0.9.2" },
		{ "r.example.org:5000/x/vllm:v0.6.3.post1", "0.6.3.post1" },
		{ "vllm/vllm-openai:latest", NULL },
		{ "vllm/vllm-openai", NULL },
		{ "r.example.org:5000/vllm", NULL },
		{ "vllm/vllm-openai:cu130", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		const struct vllm_command_options options = { 0 };
		auto_free char *text = pl_asprintf("docker run %s --model m", cases[i].image);
		auto_command struct vllm_command *command = parse_as(text, &options, &problems);
		if (cases[i].version == NULL)
			assert_null(command->version);
		else
			assert_string_equal(command->version, cases[i].version);
		assert_string_equal(command->image, cases[i].image);
	}
}

/* --swap-space went with 0.18.0 or so; it is taken where the release is older or not known. */
static void the_release_decides(void **state)
{
	static const struct {
		const char *release;
		bool allow_removed;
		const char *args;
		bool taken;
	} cases[] = {
		{ "0.9.0", false, "--disable-log-requests", true },
		{ "0.9.0", false, "--disable-log-req", true },
		{ "0.32.0", false, "--disable-log-requests", false },
		/* another spelling of --no-enable-log-requests */
		{ "0.33.0", false, "--disable-log-requests", true },
		{ "0.33.0", false, "--disable-log-req", true },
		{ "0.33.0", false, "--no-disable-log-requests", false },
		{ "0.40.0", false, "--disable-log-requests", true },
		{ "0.32.0", true, "--disable-log-requests", true },
		{ NULL, false, "--disable-log-requests", true },
		{ NULL, false, "--disable-log-req", true },
		{ "0.9.0", false, "--compilation-config 3", true },
		{ "0.32.0", false, "--compilation-config 3", false },
		{ NULL, false, "--compilation-config 3", false },
		{ "0.9.0", false, "-O.use_inductor=true", true },
		/* a key that came later */
		{ "0.9.0", false, "-O.use_inductor_graph_partition=true", false },
		{ "0.11.0", false, "-O.use_inductor_graph_partition=true", true },
		{ "0.32.0", false, "-O.use_inductor_graph_partition=true", false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		const struct vllm_command_options options = {
			.release = cases[i].release, .allow_removed = cases[i].allow_removed
		};
		auto_free char *text = pl_asprintf("vllm serve m %s", cases[i].args);
		auto_command struct vllm_command *command = parse_as(text, &options, &problems);
		if ((problems.errors == 0) != cases[i].taken)
			fail_msg("%s for %s", cases[i].args, cases[i].release);
		assert_int_equal(json_object_size(command->values), cases[i].taken ? 2 : 1);
	}
}

/* Either spelling of it is known, with the release that brought it. */
static void a_flag_of_a_later_release(void **state)
{
	static const char *const flags[] = { "--async-scheduling", "--no-async-scheduling" };
	const struct vllm_command_options options = { .release = "0.9.0" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(flags); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("vllm serve m %s", flags[i]);
		auto_command struct vllm_command *command = parse_as(text, &options, &problems);
		assert_int_equal(problems.errors, 1);
		assert_string_equal(problems.items[0].found,
				    "an argument that vLLM 0.9.0 does not have yet");
		assert_string_equal(problems.items[0].expected, "vLLM 0.10.0 or newer");
		assert_string_equal(json_string_value(json_array_get(command->unknown, 0)),
				    flags[i]);
	}
}

/* The message names the value that follows the flag, and the settings elsewhere in the line. */
static void the_replacement_of_a_flag_is_reported(void **state)
{
	static const struct {
		const char *args, *expected, *replaced_by;
	} cases[] = {
		{ "--task embed", "--runner pooling --convert embed",
		  "[{\"key\":\"server.runner\",\"value\":\"pooling\"},"
		  "{\"key\":\"server.convert\",\"value\":\"embed\"}]" },
		{ "--task=embed", "--runner pooling --convert embed", NULL },
		{ "--disable-log-requests", "--no-enable-log-requests", NULL },
		{ "--no-disable-log-requests", "--enable-log-requests", NULL },
		{ "--rope-scaling.factor 2", "--hf-overrides.rope_scaling '{\"factor\":2}'", NULL },
		{ "--enable-reasoning", "--reasoning-parser with a value that you choose",
		  "[{\"key\":\"server.reasoning_parser\"}]" },
		{ "--enable-reasoning --reasoning-parser qwen3",
		  "no argument; vLLM does this by default", "[]" },
		{ "--num-speculative-tokens x",
		  "--speculative-config.num_speculative_tokens with a value that you choose",
		  NULL },
		{ "--swap-space 4",
		  "no argument; it has no replacement (the Python API still accepted and ignored "
		  "it)",
		  NULL },
	};
	const struct vllm_command_options options = { .release = "0.32.0" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("vllm serve m %s", cases[i].args);
		auto_command struct vllm_command *command = parse_as(text, &options, &problems);
		auto_json json_t *wanted = cases[i].replaced_by != NULL
						   ? json_loads(cases[i].replaced_by, 0, NULL)
						   : NULL;
		assert_int_equal(problems.errors, 1);
		assert_string_equal(problems.items[0].expected, cases[i].expected);
		if (wanted != NULL && !json_equal((json_t *)problems.items[0].replaced_by, wanted))
			fail_msg("%s", cases[i].args);
	}
}

static void too_many_words(void **state)
{
	const struct vllm_command_options options = { 0 };
	auto_problems problems = { 0 };
	struct vllm_command *command = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 20);
	for (int i = 0; i < 20001; i++)
		pl_buf_add_text(&text, "--x ");
	assert_int_equal(vllm_command_parse(pl_buf_text(&text), text.len, &options, &command,
					    &problems, &err),
			 -1);
	assert_non_null(strstr(err.text, "arguments"));
}

static void a_release_that_is_none(void **state)
{
	static const char *const argv[] = { "vllm", "serve", "m" };
	const struct vllm_command_options options = { .release = "newest" };
	auto_problems problems = { 0 };
	struct vllm_command *command = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(
		vllm_command_parse("vllm serve m", 12, &options, &command, &problems, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_int_equal(vllm_command_from_argv(argv, 3, &options, &command, &problems, &err), -1);
	assert_null(command);
}

static void write_config(const char *folder, const char *name, const char *text)
{
	auto_free char *path = pl_asprintf("%s/%s", folder, name);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
}

static void a_config_file_is_read(void **state)
{
	char folder[SCRATCH_PATH];
	const struct vllm_command_options options = { .release = RELEASE, .folder = folder };
	auto_problems problems = { 0 };

	(void)state;
	scratch_folder(folder);
	write_config(folder, "c.yaml",
		     "model: file-model\n"
		     "port: 9000\n"
		     "tensor_parallel_size: 2\n"
		     "enforce-eager: true\n"
		     "trust-remote-code: false\n"
		     "enable-prefix-caching: false\n"
		     "served-model-name: [a, b]\n"
		     "compilation-config:\n"
		     "  mode: 3\n"
		     "hf-overrides: {}\n");
	auto_command struct vllm_command *command = parse_as("vllm serve --config c.yaml -tp 4",
							     &options, &problems);
	assert_int_equal(problems.count, 0);
	assert_string_equal(command->config, "c.yaml");
	assert_json(command->values,
		    "{\"model\":\"file-model\",\"port\":9000,\"tensor_parallel_size\":4,"
		    "\"enforce_eager\":true,\"trust_remote_code\":false,"
		    "\"enable_prefix_caching\":false,"
		    "\"served_model_name\":[\"a\",\"b\"],"
		    "\"compilation_config\":{\"mode\":3},\"hf_overrides\":{}}");
	assert_int_equal(json_integer_value(json_object_get(command->locations, "port")), 0);
	assert_int_equal(
		json_integer_value(json_object_get(command->locations, "tensor_parallel_size")), 5);
	auto_command struct vllm_command *other = parse_as("vllm serve own-model --config c.yaml",
							   &options, &problems);
	assert_int_equal(problems.count, 0);
	assert_string_equal(json_string_value(json_object_get(other->values, "model")),
			    "own-model");
}

static void faults_of_a_config_file(void **state)
{
	char folder[SCRATCH_PATH];
	const struct vllm_command_options options = { .release = RELEASE, .folder = folder };
	auto_problems problems = { 0 };
	auto_buf text = { 0 };

	(void)state;
	scratch_folder(folder);
	write_config(folder, "c.yml", "port: 8000\ndtpye: auto\ntensor-parallel-size: x\n");
	auto_command struct vllm_command *command = parse_as("vllm serve m --config c.yml",
							     &options, &problems);
	assert_int_equal(problems.errors, 2);
	assert_string_equal(problems.items[0].source, "c.yml");
	assert_int_equal(problems.items[0].line, 2);
	assert_string_equal(problems.items[0].nearest, "--dtype");
	assert_int_equal(problems.items[1].line, 3);
	assert_int_equal(problems.items[1].column, 23);
	assert_int_equal(vllm_command_word(command, &problems.items[0]), 0);
	pl_buf_init(&text, 4096);
	vllm_command_problem_text(command, &problems.items[0], &text);
	assert_string_equal(pl_buf_text(&text),
			    "c.yml:2:1: --dtpye: unknown argument (did you mean '--dtype'?)\n"
			    "");
}

static void config_files_that_cannot_be_read(void **state)
{
	static const char *const texts[] = {
		"vllm serve m --config no-such-file.yaml",
		"vllm serve m --config file.json",
		"vllm serve m --config",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(texts[i], &problems);
		assert_int_equal(problems.errors, 1);
		assert_true(vllm_command_word(command, &problems.items[0]) >= 4);
	}
}

static void a_caret_is_under_the_word(void **state)
{
	static const struct {
		const char *text;
		const char *shown;
	} cases[] = {
		{ "vllm serve m --dtpye x",
		  "command line:1:14: --dtpye: unknown argument (did "
		  "you mean '--dtype'?)\n  vllm serve m --dtpye x\n               ^^^^^^^\n"
		  "" },
		{ "vllm serve m \\\n  --port 'a b'",
		  "command line:2:10: --port: found text 'a b', expected an integer from 0 to "
		  "65535\n"
		  "  vllm serve m --port 'a b'\n"
		  "                      ^^^^^\n" },
		{ "HF_TOKEN=abc vllm serve \u00e9 --api-key s t --api-k=u --dtpye",
		  "command line:1:52: --dtpye: unknown argument (did you mean '--dtype'?)\n  "
		  "HF_TOKEN=*** vllm serve '\u00e9' --api-key *** *** --api-k=*** --dtpye\n      "
		  "                                                      ^^^^^^^\n"
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(cases[i].text, &problems);
		auto_buf text = { 0 };
		pl_buf_init(&text, 4096);
		for (size_t j = 0; j < problems.count; j++) {
			if (problems.items[j].severity == OPTION_ERROR)
				vllm_command_problem_text(command, &problems.items[j], &text);
		}
		assert_string_equal(pl_buf_text(&text), cases[i].shown);
	}
}

static void a_long_line_is_cut_around_the_word(void **state)
{
	auto_problems problems = { 0 };
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	pl_buf_add_text(&text, "vllm serve m");
	for (int i = 0; i < 40; i++)
		pl_buf_add_text(&text, " --trust-remote-code");
	pl_buf_add_text(&text, " --dtpye x");
	for (int i = 0; i < 40; i++)
		pl_buf_add_text(&text, " --enforce-eager");
	auto_command struct vllm_command *command = parse(pl_buf_text(&text), &problems);
	pl_buf_clear(&text);
	vllm_command_problem_text(command, &problems.items[0], &text);
	const char *shown = strchr(pl_buf_text(&text), '\n') + 1;
	const char *carets = strchr(shown, '\n') + 1;
	assert_true(carets - shown < 100);
	assert_non_null(strstr(shown, "… "));
	assert_memory_equal(strstr(shown, "--dtpye"), "--dtpye", 6);
	/* "…" has three bytes and one column */
	assert_int_equal(strchr(carets, '^') - carets, strstr(shown, "--dtpye") - shown - 2);
	assert_int_equal(strspn(strchr(carets, '^'), "^"), 7);
}

static void a_problem_as_json(void **state)
{
	auto_problems problems = { 0 };
	auto_command struct vllm_command *command = parse("vllm serve m \\\n --dtpye x", &problems);

	(void)state;
	assert_int_equal(problems.count, 1);
	auto_json json_t *json = vllm_command_problem_to_json(command, &problems.items[0]);
	assert_int_equal(json_integer_value(json_object_get(json, "word")), 4);
	assert_int_equal(json_integer_value(json_object_get(json, "line")), 2);
	assert_int_equal(json_integer_value(json_object_get(json, "col")), 2);
	assert_true(json_is_null(json_object_get(json, "rule")));
}

static void words_of_a_shell(void **state)
{
	static const char *const argv[] = { "A=1", "vllm",   "serve", "m", "--chat-template",
					    "a b", "--dtpye" };
	const struct vllm_command_options options = { .release = RELEASE };
	auto_command struct vllm_command *command = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(vllm_command_from_argv(argv, PL_ARRAY_SIZE(argv), &options, &command,
						&problems, &err),
			 0);
	assert_json(command->env, "{\"A\":\"1\"}");
	assert_json(command->values, "{\"model\":\"m\",\"chat_template\":\"a b\"}");
	assert_int_equal(vllm_command_word(command, &problems.items[0]), 7);
	assert_int_equal(problems.items[0].column,
			 strlen("A=1 vllm serve m --chat-template 'a b' ") + 1);
}

static void one_word_is_a_text(void **state)
{
	static const char *const argv[] = { "vllm serve 'm' -tp 2" };
	const struct vllm_command_options options = { .release = RELEASE };
	auto_command struct vllm_command *command = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(vllm_command_from_argv(argv, 1, &options, &command, &problems, &err), 0);
	assert_json(command->values, "{\"model\":\"m\",\"tensor_parallel_size\":2}");
}

static char *written(const char *values, const struct vllm_command_style *style)
{
	auto_json json_t *json = json_loads(values, 0, NULL);
	struct pl_err err = PL_ERR_INIT;
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1 << 16);
	assert_int_equal(vllm_command_write(json, style, &buf, &err), 0);
	return pl_buf_take(&buf);
}

static void values_are_written(void **state)
{
	const char *values =
		"{\"tensor_parallel_size\":2,\"model\":\"a/b\",\"enforce_eager\":false,"
		"\"served_model_name\":[\"c\",\"d e\"],"
		"\"compilation_config\":{\"mode\":3},\"api_key\":[\"k\"]}";
	auto_json json_t *env = json_pack("{s:s, s:n}", "A", "1 2", "B");
	auto_json json_t *module = json_pack("[sss]", "python3", "-m",
					     "vllm.entrypoints.openai.api_server");
	const struct vllm_command_style plain = { .secrets = true };
	const struct vllm_command_style lines = { .env = env, .flag_a_line = true };
	const struct vllm_command_style python = { .launch = module };
	const struct vllm_command_style hiding = { 0 };
	auto_free char *one = written(values, &plain);
	auto_free char *many = written(values, &lines);
	auto_free char *hidden = written("{\"model\":\"m\",\"model_loader_extra_config\":"
					 "{\"secret_key\":\"s\"}}",
					 &hiding);
	auto_free char *other = written("{\"port\":1,\"model\":\"m\"}", &python);

	(void)state;
	assert_string_equal(one, "VLLM_API_KEY=k vllm serve a/b --tensor-parallel-size 2 "
				 "--no-enforce-eager --served-model-name c 'd e' "
				 "--compilation-config '{\"mode\":3}'\n");
	assert_string_equal(many, "A='1 2' VLLM_API_KEY='***' vllm serve a/b \\\n"
				  "    --tensor-parallel-size 2 \\\n"
				  "    --no-enforce-eager \\\n"
				  "    --served-model-name c 'd e' \\\n"
				  "    --compilation-config '{\"mode\":3}'\n");
	assert_string_equal(other, "python3 -m vllm.entrypoints.openai.api_server --model m "
				   "--port 1\n");
	assert_string_equal(hidden, "vllm serve m --model-loader-extra-config "
				    "'{\"secret_key\":\"***\"}'\n");
}

/* The file made from a command, loaded, says the same; and so does the command made from that. */
static void there_and_back(void **state)
{
	static const char *const texts[] = {
		"vllm serve Qwen/Qwen3-8B",
		"vllm serve ./a/ -tp 2 -pp 2 --revision 7 --max-model-len 32k",
		"A=1 B='x: #y' vllm serve m --served-model-name a 'b, c' true 1.5 '' -- ",
		"vllm serve m -cc '{\"mode\": \"3\", \"custom_ops\": [\"all\", \"-x\"]}' -O2",
		"vllm serve m --hf-overrides '{\"a b\": {\"c\": null, \"\": [1, {\"d\": 1e-7}]}, "
		"\"yes\": \"no\", \"x\": \"\\u00e9\\ud83d\\ude00\\n\"}'",
		"vllm serve m --lora-modules a=b '{\"name\":\"c\",\"path\":\"d\"}' --middleware "
		"x.y",
		"vllm serve m --max-model-len auto --chat-template '{{ a }}' --revision=-x",
		"numactl -N 0 vllm serve m --gpu-memory-utilization 0.85 "
		"--no-enable-prefix-caching",
		"docker run --gpus all -e A=1 -e B vllm/vllm-openai:v0.32.0 --model m --port 8000",
		"python -m vllm.entrypoints.openai.api_server --model m --host 0.0.0.0",
		"vllm serve --port 9000",
		"vllm serve --port 9000 -- --m",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(texts[i], &problems);
		auto_command struct vllm_command *retry = NULL;
		auto_experiment struct exp_config *experiment = NULL;
		struct pl_err err = PL_ERR_INIT;
		auto_buf yaml = { 0 };
		auto_buf line = { 0 };
		pl_buf_init(&yaml, 1 << 16);
		pl_buf_init(&line, 1 << 16);
		assert_int_equal(problems.errors, 0);
		assert_int_equal(vllm_yaml_from_command(command, true, &yaml, &err), 0);
		if (config_text_parse(vllm_catalog_reference(), pl_buf_text(&yaml), yaml.len,
				      "made.yaml", NULL, 0, &experiment, &problems, &err) < 0)
			fail_msg("%s\n%s", err.text, pl_buf_text(&yaml));
		if (!json_equal(experiment->server, command->values))
			fail_msg("%s", pl_buf_text(&yaml));
		assert_true(json_equal(experiment->launch.command, command->launch));
		const struct vllm_command_style style = { .launch = experiment->launch.command,
							  .env = experiment->launch.env,
							  .flag_a_line = i % 2 == 0,
							  .secrets = true };
		assert_int_equal(vllm_command_write(experiment->server, &style, &line, &err), 0);
		retry = parse(pl_buf_text(&line), &problems);
		if (problems.errors > 0 || !json_equal(retry->values, command->values))
			fail_msg("%s", pl_buf_text(&line));
	}
}

static void the_file_made_from_a_command(void **state)
{
	const struct vllm_command_options options = { 0 };
	auto_problems problems = { 0 };
	auto_command struct vllm_command *command = parse_as(
		"docker run --gpus all -e A=1 -e B -e 'C=${D}' vllm/vllm-openai:v0.14.1 --model "
		"meta-llama/Llama-3.1-8B -tp 2 -cc '{\"mode\": \"3\"}' --port 8000",
		&options, &problems);
	struct pl_err err = PL_ERR_INIT;
	auto_buf yaml = { 0 };

	(void)state;
	pl_buf_init(&yaml, 1 << 16);
	assert_int_equal(vllm_yaml_from_command(command, true, &yaml, &err), 0);
	assert_string_equal(
		pl_buf_text(&yaml),
		"# Made from a command line; the benchmark has its defaults.\nname: "
		"\"llama-3.1-8b-tp2\"\nserver:\n  model: meta-llama/Llama-3.1-8B\n  "
		"tensor_parallel_size: 2\n  compilation_config:\n    mode: \"3\"\n  port: "
		"8000\nlaunch:\n  # the command started it in a container: docker run --gpus all "
		"vllm/vllm-openai:v0.14.1\n  command: [vllm, serve]\n  vllm_version: \"0.14.1\"\n  "
		"# environment: B from the environment of the caller\n  # environment: C = ${D}\n  "
		"env:\n    A: \"1\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_read),
		cmocka_unit_test(faults_are_reported),
		cmocka_unit_test(short_numbers_are_written_out),
		cmocka_unit_test(all_faults_are_reported_at_once),
		cmocka_unit_test(warnings_do_not_refuse),
		cmocka_unit_test(the_form_is_recognised),
		cmocka_unit_test(wrappers_are_dropped_or_launched),
		cmocka_unit_test(what_starts_no_server_is_refused),
		cmocka_unit_test(an_image_says_the_release),
		cmocka_unit_test(the_release_decides),
		cmocka_unit_test(a_flag_of_a_later_release),
		cmocka_unit_test(the_replacement_of_a_flag_is_reported),
		cmocka_unit_test(too_many_words),
		cmocka_unit_test(a_release_that_is_none),
		cmocka_unit_test(a_config_file_is_read),
		cmocka_unit_test(faults_of_a_config_file),
		cmocka_unit_test(config_files_that_cannot_be_read),
		cmocka_unit_test(a_caret_is_under_the_word),
		cmocka_unit_test(a_long_line_is_cut_around_the_word),
		cmocka_unit_test(a_problem_as_json),
		cmocka_unit_test(words_of_a_shell),
		cmocka_unit_test(one_word_is_a_text),
		cmocka_unit_test(values_are_written),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(the_file_made_from_a_command),
	};

	return cmocka_run_group_tests_name("model/command_line", tests, NULL, NULL);
}
