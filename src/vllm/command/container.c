/*
 * "docker run [options] IMAGE [command]", "apptainer run [options] IMAGE.sif [arguments]" and
 * "kubectl run NAME --image=IMAGE -- [arguments]". Only finding the image requires the options: an
 * unknown option is assumed to have a value, as most have, and a wrong guess gives an image that is
 * not vLLM's, which causes a warning.
 */
#include "vllm/command/program.h"
#include "vllm/command/runtime_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Long options of docker, podman and nerdctl that take no value; every other takes one. */
static const char *const switches[] = {
	"detach",
	"rm",
	"privileged",
	"interactive",
	"tty",
	"publish-all",
	"init",
	"no-healthcheck",
	"oom-kill-disable",
	"read-only",
	"sig-proxy",
	"disable-content-trust",
	"quiet",
	"help",
	"use-api-socket",
	"replace",
	"tls-verify",
	"rmi",
	"no-hosts",
	"read-only-tmpfs",
	"http-proxy",
	"unsetenv-all",
	"env-host",
	"rootfs",
	"no-hostname",
	"passwd",
};

#define SWITCH_LETTERS "ditPqh"

/* Options of singularity and apptainer without a value. */
static const char *const image_switches[] = {
	"nv",
	"nvccli",
	"rocm",
	"cleanenv",
	"contain",
	"containall",
	"writable",
	"no-home",
	"fakeroot",
	"userns",
	"pid",
	"ipc",
	"net",
	"writable-tmpfs",
	"compat",
	"uts",
	"no-init",
	"no-privs",
	"unsquash",
	"no-umask",
	"keep-privs",
	"allow-setuid",
	"no-eval",
	"sharens",
	"disable-cache",
	"no-https",
	"underlay",
	"bridge-slirp4netns",
};

#define IMAGE_SWITCH_LETTERS "eCcwfupis"

/* The same of kubectl run. */
static const char *const pod_switches[] = { "rm",     "stdin",  "tty",        "quiet",
					    "attach", "expose", "privileged", "leave-stdin-open" };

#define POD_SWITCH_LETTERS "itq"

/* The options of a program that starts containers. */
struct run_form {
	const char *const *switches; /* long options without a value */
	size_t switch_count;
	const char *letters; /* short ones */
};

static const struct run_form docker_form = { switches, PL_ARRAY_SIZE(switches), SWITCH_LETTERS };
static const struct run_form image_form = { image_switches, PL_ARRAY_SIZE(image_switches),
					    IMAGE_SWITCH_LETTERS };
static const struct run_form pod_form = { pod_switches, PL_ARRAY_SIZE(pod_switches),
					  POD_SWITCH_LETTERS };

struct run {
	struct vllm_parse *parse;
	const struct run_form *form;
	const char *image; /* of --image=IMAGE */
	size_t at;
	size_t end;
};

static const char *word_at(const struct run *run, size_t i)
{
	return run->parse->command->words.items[i].text;
}

static bool is_switch(const struct run_form *form, const char *name, size_t len)
{
	for (size_t i = 0; i < form->switch_count; i++) {
		if (strlen(form->switches[i]) == len && strncmp(form->switches[i], name, len) == 0)
			return true;
	}
	/* "--command", "--dry-run" of kubectl: nothing of theirs stands alone */
	return form == &pod_form && name[len] != '=';
}

/* "-e NAME" without a value inherits the caller's: null. */
static void take_env(struct run *run, const char *text)
{
	size_t len = strcspn(text, "=");
	auto_free char *name = pl_strndup(text, len);
	json_t *value = text[len] == '=' ? json_string(text + len + 1) : json_null();

	json_object_set_new(run->parse->command->env, name, value);
}

/* "--env A=1,B=2" of singularity. */
static void take_env_list(struct run *run, const char *text)
{
	if (run->form != &image_form) {
		take_env(run, text);
		return;
	}
	while (*text != '\0') {
		const char *comma = strchr(text, ',');
		/* a comma may be part of the value */
		while (comma != NULL && vllm_word_name_len(comma + 1) == 0)
			comma = strchr(comma + 1, ',');
		size_t len = comma != NULL ? (size_t)(comma - text) : strlen(text);
		auto_free char *one = pl_strndup(text, len);
		take_env(run, one);
		text += len + (comma != NULL);
	}
}

static void take_option(struct run *run, const char *name, size_t len, const char *value)
{
	auto_free char *key = pl_strndup(name, len);

	if (value != NULL && (strcmp(key, "e") == 0 || strcmp(key, "env") == 0)) {
		take_env_list(run, value);
		return;
	}
	if (value != NULL && run->form == &pod_form && strcmp(key, "image") == 0) {
		run->image = value;
		return;
	}
	auto_free char *flag = pl_asprintf("%s%s", len == 1 ? "-" : "--", key);
	json_t *args = run->parse->command->runtime_args;
	json_array_append_new(args, json_string(flag));
	if (value != NULL)
		json_array_append_new(args, json_string(value));
}

/* Returns the option's value from the next word. */
static const char *next_value(struct run *run)
{
	return run->at < run->end ? word_at(run, run->at++) : NULL;
}

static void take_long(struct run *run, const char *name)
{
	size_t len = strcspn(name, "=");

	if (name[len] == '=')
		take_option(run, name, len, name + len + 1);
	else if (is_switch(run->form, name, len))
		take_option(run, name, len, NULL);
	else
		take_option(run, name, len, next_value(run));
}

/* "-itd", "-p8000:8000", "-e", "-e=A=1" */
static void take_letters(struct run *run, const char *letters)
{
	for (; *letters != '\0'; letters++) {
		if (strchr(run->form->letters, *letters) != NULL) {
			take_option(run, letters, 1, NULL);
			continue;
		}
		const char *value = letters + 1 + (letters[1] == '=');
		take_option(run, letters, 1, letters[1] != '\0' ? value : next_value(run));
		return;
	}
}

static char *release_of(const char *text)
{
	struct vllm_version version;

	text += *text == 'v';
	auto_free char *release = pl_strndup(text, strcspn(text, "-_@"));
	if (pl_text_ends(release, ".sif"))
		release[strlen(release) - strlen(".sif")] = '\0';
	if (strchr(release, '.') == NULL ||
	    vllm_version_parse(release, &version, PL_ERR_IGNORED) < 0)
		return NULL;
	return pl_take(release);
}

/* "0.9.1" of "vllm-openai_v0.9.1.sif". */
static char *file_release(const char *name)
{
	for (; *name != '\0'; name++) {
		char *release = (*name == '_' || *name == '-') ? release_of(name + 1) : NULL;
		if (release != NULL)
			return release;
	}
	return NULL;
}

/*
 * Returns "0.14.1" for "vllm/vllm-openai:v0.14.1-cu130"; NULL if the tag is not a release, such as
 * "latest" and "nightly". A ':' before the last '/' is a registry's port.
 */
char *vllm_image_release(const char *image)
{
	const char *slash = strrchr(image, '/');
	const char *name = slash != NULL ? slash + 1 : image;
	const char *colon = strchr(name, ':');

	if (colon != NULL)
		return release_of(colon + 1);
	return pl_text_ends(name, ".sif") ? file_release(name) : NULL;
}

static void note_image(struct run *run, size_t word)
{
	struct vllm_command *command = run->parse->command;

	option_problem_report(
		run->parse->problems, .severity = OPTION_WARNING, .source = command->source,
		.line = (int)word + 1, .column = command->words.items[word].column,
		.found = command->image,
		.expected = "an image of vLLM, such as vllm/vllm-openai; profllm "
			    "reads the arguments after the image as arguments of vLLM");
}

static void set_image(struct run *run, const char *runtime, const char *image, size_t word)
{
	struct vllm_command *command = run->parse->command;

	free(command->runtime);
	free(command->image);
	free(command->version);
	command->runtime = pl_strdup(runtime);
	command->image = pl_strdup(image);
	command->version = vllm_image_release(image);
	if (strstr(image, "vllm") == NULL)
		note_image(run, word);
}

/* Reads options up to the first other word. */
static void take_options(struct run *run)
{
	while (run->at < run->end && word_at(run, run->at)[0] == '-') {
		const char *word = word_at(run, run->at);
		if (strcmp(word, "--") == 0)
			return;
		run->at++;
		if (word[1] == '-')
			take_long(run, word + 2);
		else
			take_letters(run, word + 1);
	}
}

/* "kubectl run NAME --image=IMAGE … -- WORDS" */
static bool read_pod(struct run *run, size_t at, size_t *ret_image)
{
	size_t word = run->at;

	while (run->at < run->end && strcmp(word_at(run, run->at), "--") != 0) {
		take_options(run);
		if (run->at < run->end && strcmp(word_at(run, run->at), "--") != 0)
			run->at++;
	}
	if (run->image == NULL || run->at + 1 >= run->end)
		return false;
	set_image(run, word_at(run, at), run->image, word);
	*ret_image = run->at + 1;
	return true;
}

bool vllm_command_container(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_image)
{
	struct run run = { .parse = parse, .form = &docker_form, .at = at + 1, .end = end };
	bool is_runtime = vllm_is_runtime(word_at(&run, at));

	/* The word after "run" or "create"; false: another command of the runtime. */
	bool may_have_options = !is_runtime;
	if (run.at < run.end && strcmp(word_at(&run, run.at), "container") == 0)
		run.at++;
	while (may_have_options && run.at < run.end && strcmp(word_at(&run, run.at), "run") != 0)
		run.at++;
	if (run.at >= run.end || (strcmp(word_at(&run, run.at), "run") != 0 &&
				  strcmp(word_at(&run, run.at), "create") != 0))
		return false;
	run.at++;
	json_array_clear(parse->command->runtime_args);
	if (!is_runtime)
		run.form = vllm_is_image_runner(word_at(&run, at)) ? &image_form : &pod_form;
	if (run.form == &pod_form)
		return read_pod(&run, at, ret_image);
	take_options(&run);
	run.at += run.at < end && strcmp(word_at(&run, run.at), "--") == 0;
	if (run.at >= end)
		return false;
	set_image(&run, word_at(&run, at), word_at(&run, run.at), run.at);
	*ret_image = run.at + 1;
	return true;
}

bool vllm_runtime_is_switch(const char *name)
{
	return name[1] == '\0' ? strchr(SWITCH_LETTERS, name[0]) != NULL
			       : is_switch(&docker_form, name, strlen(name));
}

/* "--shm-size=16g", "--ipc", "host" */
static void read_long(const json_t *args, size_t *at, const char *word,
		      void (*option)(void *data, const char *name, const char *value), void *data)
{
	size_t len = strcspn(word, "=");
	auto_free char *name = pl_strndup(word, len);

	if (word[len] == '=')
		option(data, name, word + len + 1);
	else if (is_switch(&docker_form, word, len))
		option(data, name, NULL);
	else
		option(data, name, json_string_value(json_array_get(args, (*at)++)));
}

/* "-it", "-v/a:/b", "-v", "/a:/b" */
static void read_letters(const json_t *args, size_t *at, const char *letters,
			 void (*option)(void *data, const char *name, const char *value),
			 void *data)
{
	for (; *letters != '\0'; letters++) {
		char name[] = { *letters, '\0' };
		const char *value = letters + 1 + (letters[1] == '=');
		if (strchr(docker_form.letters, *letters) != NULL) {
			option(data, name, NULL);
			continue;
		}
		option(data, name,
		       letters[1] != '\0' ? value
					  : json_string_value(json_array_get(args, (*at)++)));
		return;
	}
}

const char *vllm_runtime_args_each(const json_t *args,
				   void (*option)(void *data, const char *name, const char *value),
				   void *data)
{
	for (size_t at = 0; at < json_array_size(args);) {
		const char *word = json_string_value(json_array_get(args, at++));
		if (word == NULL || word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0)
			return word != NULL ? word : "";
		if (word[1] == '-')
			read_long(args, &at, word + 2, option, data);
		else
			read_letters(args, &at, word + 1, option, data);
	}
	return NULL;
}
