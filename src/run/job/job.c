#include "run/job/job.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "experiment/container.h"
#include "option/secret.h"
#include "run/resources/resources.h"
#include "vllm/command/runtime_args.h"
#include "vllm/secret.h"
#include "vllm/server_args.h"
#include "vllm/shell/words.h"
#include "vllm/yaml_out.h"

#define NAME_BYTES_MAX 50

/* Lowercase letters, digits and '-', at most 50. free() */
static char *job_name(const struct exp_config *experiment)
{
	const char *from = experiment->name != NULL ? experiment->name : "profllm-run";
	auto_buf name = PL_BUF(NAME_BYTES_MAX);

	for (; *from != '\0' && name.len < NAME_BYTES_MAX; from++) {
		bool plain = isalnum((unsigned char)*from) && (unsigned char)*from < 128;
		if (plain)
			pl_buf_add_char(&name, (char)tolower((unsigned char)*from));
		else if (name.len > 0 && name.data[name.len - 1] != '-')
			pl_buf_add_char(&name, '-');
	}
	while (name.len > 0 && name.data[name.len - 1] == '-')
		name.len--;
	return name.len > 0 ? pl_strndup(name.data, name.len) : pl_strdup("profllm-run");
}

/* 0 with launch.url and without GPUs. */
static int64_t gpu_count(const struct exp_config *experiment)
{
	auto_free char *url = exp_server_url(experiment);

	if (url != NULL || pl_text_equal(experiment->launch.platform, "cpu"))
		return 0;
	if (json_is_array(experiment->launch.gpus))
		return (int64_t)json_array_size(experiment->launch.gpus);
	return (int64_t)run_gpus_needed(experiment->server);
}

/* Secret arguments reach the server as variables. */
static void move_argument(json_t *server, json_t *env, const char *argument, const char *variable)
{
	auto_free char *text = pl_asprintf("${%s}", variable);

	if (json_object_get(server, argument) == NULL)
		return;
	json_object_del(server, argument);
	json_object_set_new(env, variable, json_string(text));
}

/*
 * Returns what the user wrote, with secret variables as ${NAME}, and secret arguments moved to variables. Returns NULL
 * if another secret remains. New reference.
 */
static json_t *portable_experiment(const struct exp_config *experiment, struct pl_err *err)
{
	auto_json json_t *shown = exp_config_explicit(experiment);
	auto_json json_t *whole = json_deep_copy(shown);
	json_t *server = json_object_get(whole, "server");
	auto_json json_t *launch = json_object_get(whole, "launch") != NULL
					   ? json_incref(json_object_get(whole, "launch"))
					   : json_object();
	auto_json json_t *env = json_object_get(launch, "env") != NULL
					? json_incref(json_object_get(launch, "env"))
					: json_object();

	PL_JSON_EACH_MEMBER(name, value, experiment->launch.env) {
		/* a script and a Secret take only these */
		auto_free char *pair = pl_asprintf("%s=", name);
		if (vllm_word_name_len(pair) != strlen(name)) {
			pl_err_invalid(err,
				       "launch.env: found '%s', expected a name of letters, "
				       "digits and '_' for a job",
				       name);
			return NULL;
		}
		auto_free char *text = pl_asprintf("${%s}", name);
		if (option_secret_is_name(name))
			json_object_set_new(env, name, json_string(text));
	}
	move_argument(server, env, "api_key", "VLLM_API_KEY");
	move_argument(server, env, "hf_token", "HF_TOKEN");
	if (json_object_size(env) > 0)
		json_object_set(launch, "env", env);
	if (json_object_size(launch) > 0)
		json_object_set(whole, "launch", launch);
	auto_free char *text = pl_json_to_text(whole, PL_JSON_COMPACT);
	if (strstr(text, OPTION_SECRET_SHOWN) != NULL) {
		pl_err_invalid(err, "the experiment contains a secret that is neither an argument "
				    "nor a variable of launch.env; a job cannot contain it");
		return NULL;
	}
	return pl_take(whole);
}

/* The node may lack them. */
static void warn_of_files(const struct exp_config *experiment, json_t *warnings)
{
	const char *model = pl_json_get_text(experiment->server, "model");

	if (experiment->bench.dataset_path != NULL)
		json_array_append_new(warnings,
				      json_sprintf("benchmark.dataset_path '%s' must exist where "
						   "the job runs",
						   experiment->bench.dataset_path));
	if (model != NULL && (model[0] == '/' || model[0] == '.'))
		json_array_append_new(
			warnings,
			json_sprintf("server.model '%s' must exist where the job runs", model));
}

/* ---- Slurm ---- */

#define END_WORD "END_OF_EXPERIMENT"

static void add_upload(const struct run_job_options *options, struct pl_buf *text)
{
	if (options->upload == NULL)
		return;
	pl_buf_add_text(text, " \\\n\t--upload ");
	vllm_word_quote(options->upload, text);
	if (options->token_file == NULL)
		return;
	pl_buf_add_text(text, " --token-file ");
	vllm_word_quote(options->token_file, text);
}

/* sbatch passes its environment on to the job. */
static void add_variables(const json_t *shown, struct pl_buf *text)
{
	PL_JSON_EACH_MEMBER(name, value, pl_json_get_path(shown, "launch.env")) {
		if (option_secret_is_name(name))
			pl_buf_addf(text, ": \"${%s:?set it in the environment of sbatch}\"\n",
				    name);
	}
}

int run_job_slurm(const struct exp_config *experiment, const struct run_job_options *options,
		  struct pl_buf *text, json_t *warnings, struct pl_err *err)
{
	auto_json json_t *shown = portable_experiment(experiment, err);
	auto_free char *name = job_name(experiment);
	int64_t gpus = gpu_count(experiment);

	if (shown == NULL)
		return -1;
	warn_of_files(experiment, warnings);
	pl_buf_addf(text,
		    "#!/bin/sh\n"
		    "# Submit it with sbatch. 120 s before the time limit, Slurm sends SIGTERM: "
		    "the run "
		    "stops its\n"
		    "# server and writes the requests that finished.\n"
		    "#SBATCH --job-name=%s\n"
		    "#SBATCH --output=%s-%%j.log\n"
		    "#SBATCH --nodes=1\n"
		    "#SBATCH --ntasks=1\n",
		    name, name);
	if (gpus > 0)
		pl_buf_addf(text, "#SBATCH --gpus-per-node=%lld\n", (long long)gpus);
	if (options->partition != NULL)
		pl_buf_addf(text, "#SBATCH --partition=%s\n", options->partition);
	if (options->time != NULL)
		pl_buf_addf(text, "#SBATCH --time=%s\n", options->time);
	pl_buf_add_text(text, "#SBATCH --signal=B:TERM@120\n\nset -eu\n");
	add_variables(shown, text);
	pl_buf_addf(text,
		    "base=${SLURM_SUBMIT_DIR:-.}/%s-${SLURM_JOB_ID:-0}\n"
		    "cat >\"$base.yaml\" <<'" END_WORD "'\n",
		    name);
	vllm_yaml_add_members(text, shown, 0);
	pl_buf_add_text(text, END_WORD "\n"
				       "exec profllm run --config \"$base.yaml\" --output "
				       "\"$base.json\"");
	add_upload(options, text);
	pl_buf_add_char(text, '\n');
	return 0;
}

/* ---- Kubernetes ---- */

#define PORT             8000
#define PROBE_S          5
#define SECRET           "profllm"
#define API_KEY          "VLLM_API_KEY"
#define OUTPUT_BYTES_MAX (8u << 20)
#define FILE_NAME        "experiment.yaml"

/* Limits of Kubernetes: of a ConfigMap, and of the annotation in which 'kubectl apply' stores the manifest. */
#define CONFIG_BYTES_MAX     (1u << 20)
#define ANNOTATION_BYTES_MAX (256u << 10)

/* Arguments and keys that the manifest sets itself. */
static const char *const own_arguments[] = { "host", "port", "uds" };
static const char *const own_keys[] = { "command",    "container", "url",         "env",
					"gpus",       "port",      "host",        "ready_timeout",
					"extra_args", "platform",  "stop_timeout" };

struct job {
	const struct exp_config *experiment;
	const struct run_job_options *options;
	char *name; /* as are the next two, quoted if YAML would read a number or a boolean */
	char *secret;
	char *claim;       /* NULL: none */
	json_t *variables; /* of the server: object name -> text; null: from the Secret */
	json_t *words;     /* of the server, after its command */
	json_t *command;   /* of the server; empty: the entrypoint of its image */
	json_t *warnings;  /* borrowed */
	struct pl_buf *text;
};

/* free() */
static char *yaml_text(const char *text)
{
	auto_buf yaml = PL_BUF(OUTPUT_BYTES_MAX);
	auto_json json_t *value = json_string(text);

	if (text == NULL)
		return NULL;
	vllm_yaml_add_inline(&yaml, value);
	return pl_buf_take(&yaml);
}

/* Returns a text that stays as it is: Kubernetes replaces $(NAME), and "$$" by "$". New reference. */
static json_t *unexpanded(const char *text)
{
	auto_buf doubled = PL_BUF(OUTPUT_BYTES_MAX);

	for (; *text != '\0'; text++) {
		if (*text == '$')
			pl_buf_add_char(&doubled, '$');
		pl_buf_add_char(&doubled, *text);
	}
	return json_string(pl_buf_text(&doubled));
}

static void add_value(const struct job *job, const char *before, const char *value)
{
	auto_json json_t *text = unexpanded(value);

	pl_buf_add_text(job->text, before);
	vllm_yaml_add_inline(job->text, text);
	pl_buf_add_char(job->text, '\n');
}

static void add_words(const struct job *job, const char *before, const json_t *words)
{
	auto_json json_t *shown = json_array();

	PL_JSON_EACH(word, words)
		json_array_append_new(shown, unexpanded(json_string_value(word)));
	pl_buf_add_text(job->text, before);
	vllm_yaml_add_inline(job->text, shown);
	pl_buf_add_char(job->text, '\n');
}

static void add_pair(json_t *words, const char *flag, const char *value)
{
	json_array_append_new(words, json_string(flag));
	json_array_append_new(words, json_string(value));
}

/* Each line of the experiment, below a literal block. */
static int add_experiment(const struct job *job, const json_t *shown, struct pl_err *err)
{
	auto_buf yaml = PL_BUF(OUTPUT_BYTES_MAX);

	vllm_yaml_add_members(&yaml, shown, 0);
	if (yaml.full || yaml.len + strlen(FILE_NAME) > CONFIG_BYTES_MAX)
		return pl_err_invalid(err, "the experiment is too large for a ConfigMap, which "
					   "holds 1 MiB; put long values into files");
	if (yaml.len > ANNOTATION_BYTES_MAX)
		json_array_append_new(job->warnings,
				      json_string("'kubectl apply' refuses an experiment of more "
						  "than 256 KiB; use 'kubectl create'"));
	for (const char *at = pl_buf_text(&yaml); *at != '\0';) {
		size_t len = strcspn(at, "\n");
		pl_buf_add_text(job->text, "    ");
		pl_buf_add(job->text, at, len);
		pl_buf_add_char(job->text, '\n');
		at += len + (at[len] == '\n');
	}
	return 0;
}

/* The experiment of a running server: its sidecar, or that of launch.url. */
static json_t *measured_experiment(const struct job *job, struct pl_err *err)
{
	auto_json json_t *shown = portable_experiment(job->experiment, err);
	auto_free char *known = exp_server_url(job->experiment);
	auto_free char *url = pl_asprintf("http://127.0.0.1:%d", PORT);

	if (shown == NULL || known != NULL)
		return pl_take(shown);
	json_t *server = json_object_get(shown, "server");
	json_t *launch = json_object_get(shown, "launch");
	for (size_t i = 0; i < PL_ARRAY_SIZE(own_arguments); i++)
		json_object_del(server, own_arguments[i]);
	for (size_t i = 0; i < PL_ARRAY_SIZE(own_keys); i++)
		json_object_del(launch, own_keys[i]);
	if (launch == NULL)
		json_object_set_new(shown, "launch", json_pack("{s:s}", "url", url));
	else
		json_object_set_new(launch, "url", json_string(url));
	return pl_take(shown);
}

static void add_secret_variable(const struct job *job, const char *name, const char *key,
				const char *blanks)
{
	auto_free char *shown = yaml_text(name);
	auto_free char *key_shown = yaml_text(key);

	pl_buf_addf(job->text, "%s- name: %s\n%s  valueFrom: {secretKeyRef: {name: %s, key: %s}}\n",
		    blanks, shown, blanks, job->secret, key_shown);
}

static void add_server_env(const struct job *job)
{
	if (json_object_size(job->variables) == 0)
		return;
	pl_buf_add_text(job->text, "          env:\n");
	PL_JSON_EACH_MEMBER(name, value, job->variables) {
		if (json_is_null(value)) {
			add_secret_variable(job, name, name, "            ");
			continue;
		}
		auto_free char *shown = yaml_text(name);
		pl_buf_addf(job->text, "            - name: %s\n", shown);
		add_value(job, "              value: ", json_string_value(value));
	}
}

/* A sidecar is an init container that stays: the Job ends with profllm. */
static void add_server(const struct job *job, const char *image)
{
	int64_t tries = job->experiment->launch.ready_timeout_ns / (PROBE_S * PL_NS_PER_S);
	int64_t gpus = gpu_count(job->experiment);

	pl_buf_add_text(job->text,
			"      initContainers:\n"
			"        # a sidecar (Kubernetes 1.29): it starts before profllm and "
			"ends after it\n"
			"        - name: server\n"
			"          restartPolicy: Always\n");
	add_value(job, "          image: ", image);
	if (json_array_size(job->command) > 0)
		add_words(job, "          command: ", job->command);
	add_words(job, "          args: ", job->words);
	add_server_env(job);
	pl_buf_addf(job->text,
		    "          ports:\n"
		    "            - {name: http, containerPort: %d}\n"
		    "          startupProbe:\n"
		    "            httpGet: {path: /health, port: http}\n"
		    "            periodSeconds: %d\n"
		    "            failureThreshold: %lld\n",
		    PORT, PROBE_S, (long long)(tries > 0 ? tries : 1));
	if (gpus > 0)
		pl_buf_addf(job->text,
			    "          resources:\n"
			    "            limits: {nvidia.com/gpu: %lld}\n",
			    (long long)gpus);
	pl_buf_add_text(job->text, "          securityContext:\n"
				   "            allowPrivilegeEscalation: false\n"
				   "            capabilities: {drop: [ALL]}\n"
				   "          volumeMounts:\n"
				   "            - {name: shm, mountPath: /dev/shm}\n");
}

/* The API key of the sidecar, or the secret variables of an experiment that names a running server. */
static void add_client_env(const struct job *job, const json_t *shown, bool has_server)
{
	bool headed = false;

	if (has_server) {
		if (json_object_get(job->variables, API_KEY) == NULL)
			return;
		pl_buf_add_text(job->text, "          env:\n");
		add_secret_variable(job, "OPENAI_API_KEY", API_KEY, "            ");
		return;
	}
	PL_JSON_EACH_MEMBER(name, value, pl_json_get_path(shown, "launch.env")) {
		if (!option_secret_is_name(name))
			continue;
		pl_buf_add_text(job->text, headed ? "" : "          env:\n");
		headed = true;
		add_secret_variable(job, name, name, "            ");
	}
}

static void add_profllm(const struct job *job, const json_t *shown, bool has_server)
{
	const struct run_job_options *options = job->options;
	auto_free char *output = pl_asprintf("/results/%s.json", job->name);
	auto_json json_t *args = json_pack("[s, s, s, s, s]", "run", "--config",
					   "/experiment/experiment.yaml", "--output", output);

	if (options->upload != NULL)
		add_pair(args, "--upload", options->upload);
	if (options->upload != NULL && options->secret != NULL)
		add_pair(args, "--token-file", "/secret/token");
	pl_buf_add_text(job->text, "      containers:\n"
				   "        - name: profllm\n");
	add_value(job, "          image: ", options->runner);
	add_words(job, "          args: ", args);
	add_client_env(job, shown, has_server);
	pl_buf_add_text(job->text,
			"          resources:\n"
			"            requests: {cpu: \"2\", memory: 1Gi}\n"
			"          securityContext:\n"
			"            runAsNonRoot: true\n"
			"            runAsUser: 65534\n"
			"            allowPrivilegeEscalation: false\n"
			"            readOnlyRootFilesystem: true\n"
			"            capabilities: {drop: [ALL]}\n"
			"          volumeMounts:\n"
			"            - {name: experiment, mountPath: /experiment, readOnly: true}\n"
			"            - {name: results, mountPath: /results}\n"
			"            - {name: tmp, mountPath: /tmp}\n");
	if (options->upload != NULL && options->secret != NULL)
		pl_buf_add_text(
			job->text,
			"            - {name: secret, mountPath: /secret, readOnly: true}\n");
}

static void add_volumes(const struct job *job, bool has_server)
{
	const struct run_job_options *options = job->options;

	pl_buf_addf(job->text,
		    "      volumes:\n"
		    "        - name: experiment\n"
		    "          configMap: {name: %s}\n"
		    "        - name: tmp\n"
		    "          emptyDir: {}\n"
		    "        - name: results\n",
		    job->name);
	if (options->claim != NULL)
		pl_buf_addf(job->text, "          persistentVolumeClaim: {claimName: %s}\n",
			    job->claim);
	else
		pl_buf_add_text(job->text, "          emptyDir: {}\n");
	if (has_server)
		pl_buf_add_text(job->text, "        - name: shm\n"
					   "          emptyDir: {medium: Memory}\n");
	if (options->upload != NULL && options->secret != NULL)
		pl_buf_addf(job->text,
			    "        - name: secret\n"
			    "          secret:\n"
			    "            secretName: %s\n"
			    "            items: [{key: token, path: token}]\n",
			    job->secret);
}

static int add_head(const struct job *job, const json_t *shown, struct pl_err *err)
{
	pl_buf_addf(
		job->text,
		"apiVersion: v1\n"
		"kind: ConfigMap\n"
		"metadata:\n"
		"  name: %s\n"
		"  labels: {app.kubernetes.io/name: profllm, app.kubernetes.io/component: run}\n"
		"data:\n"
		"  " FILE_NAME ": |\n",
		job->name);
	if (add_experiment(job, shown, err) < 0)
		return -1;
	pl_buf_addf(
		job->text,
		"---\n"
		"apiVersion: batch/v1\n"
		"kind: Job\n"
		"metadata:\n"
		"  name: %s\n"
		"  labels: {app.kubernetes.io/name: profllm, app.kubernetes.io/component: run}\n"
		"spec:\n"
		"  # a run that failed has a result that says why\n"
		"  backoffLimit: 0\n"
		"  template:\n"
		"    metadata:\n"
		"      labels: {app.kubernetes.io/name: profllm, app.kubernetes.io/component: "
		"run}\n"
		"    spec:\n"
		"      restartPolicy: Never\n"
		"      automountServiceAccountToken: false\n"
		"      securityContext:\n"
		"        fsGroup: 65534\n"
		"        seccompProfile: {type: RuntimeDefault}\n",
		job->name);
	return 0;
}

/* Takes what a manifest can express. --ipc and --shm-size are for /dev/shm, which the sidecar has. */
static void take_option(void *data, const char *name, const char *value)
{
	static const char *const done[] = { "ipc",  "shm-size", "gpus",       "device",
					    "init", "i",        "interactive" };
	struct job *job = data;
	bool is_env = strcmp(name, "e") == 0 || strcmp(name, "env") == 0;
	size_t len = value != NULL ? vllm_word_name_len(value) : 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(done); i++) {
		if (strcmp(name, done[i]) == 0)
			return;
	}
	if (strcmp(name, "entrypoint") == 0 && value != NULL) {
		json_array_clear(job->command);
		json_array_append_new(job->command, json_string(value));
	} else if (is_env && len > 0) {
		auto_free char *key = pl_strndup(value, len);
		json_object_set_new(job->variables, key, json_string(value + len + 1));
	} else {
		json_array_append_new(
			job->warnings,
			json_sprintf("launch.container: the job has no %s%s; add what it does to "
				     "the sidecar",
				     strlen(name) == 1 ? "-" : "--", name));
	}
}

/*
 * The words after the image replace those of the entrypoint: a container keeps it, unless --entrypoint names another.
 * launch.command is a whole command.
 */
static void make_command(struct job *job)
{
	struct exp_container container;

	if (!exp_container_read(job->experiment, &container)) {
		json_array_extend(job->command, job->experiment->launch.command);
		return;
	}
	vllm_runtime_args_each(container.args, take_option, job);
	json_array_extend(job->words, (json_t *)container.command);
}

/* Fills the words and the variables of the server. */
static int make_server(struct job *job, struct pl_err *err)
{
	const struct exp_config *experiment = job->experiment;
	auto_json json_t *values = json_copy(experiment->server);
	auto_json json_t *secret = NULL;

	make_command(job);
	if (json_object_get(values, "ssl_certfile") != NULL)
		return pl_err_invalid(err, "server.ssl_certfile: found a file, expected null for "
					   "--kubernetes, whose server has no files of yours");
	for (size_t i = 0; i < PL_ARRAY_SIZE(own_arguments); i++)
		json_object_del(values, own_arguments[i]);
	json_object_set_new(values, "port", json_integer(PORT));
	if (vllm_args_to_argv(experiment->catalog, values, job->words, &secret, err) < 0)
		return -1;
	json_array_extend(job->words, experiment->launch.extra_args);
	PL_JSON_EACH_MEMBER(name, value, experiment->launch.env)
		json_object_set_new(job->variables, name,
				    option_secret_is_name(name) ? json_null() : json_incref(value));
	PL_JSON_EACH_MEMBER(name, value, secret)
		json_object_set_new(job->variables, name, json_null());
	return 0;
}

static int write_job(struct job *job, struct pl_err *err)
{
	auto_free char *url = exp_server_url(job->experiment);
	struct exp_container container = { 0 };
	exp_container_read(job->experiment, &container);
	const char *image = job->options->image != NULL ? job->options->image : container.image;
	bool has_server = url == NULL;

	if (has_server && image == NULL)
		return pl_err_invalid(err, "no image for the server; set --image, or "
					   "launch.container.image");
	if (has_server && make_server(job, err) < 0)
		return -1;
	auto_json json_t *shown = measured_experiment(job, err);
	if (shown == NULL || add_head(job, shown, err) < 0)
		return -1;
	if (has_server)
		add_server(job, image);
	add_profllm(job, shown, has_server);
	add_volumes(job, has_server);
	return 0;
}

int run_job_kubernetes(const struct exp_config *experiment, const struct run_job_options *options,
		       struct pl_buf *text, json_t *warnings, struct pl_err *err)
{
	auto_free char *name = job_name(experiment);
	struct job job = {
		.experiment = experiment,
		.options = options,
		.name = yaml_text(name),
		.secret = yaml_text(options->secret != NULL ? options->secret : SECRET),
		.claim = yaml_text(options->claim),
		.variables = json_object(),
		.words = json_array(),
		.command = json_array(),
		.warnings = warnings,
		.text = text,
	};

	warn_of_files(experiment, warnings);
	if (options->claim == NULL && options->upload == NULL)
		json_array_append_new(warnings,
				      json_string("the result is lost with the pod; set --claim or "
						  "--upload"));
	int done = write_job(&job, err);
	free(job.name);
	free(job.secret);
	free(job.claim);
	json_decref(job.variables);
	json_decref(job.words);
	json_decref(job.command);
	return done;
}
