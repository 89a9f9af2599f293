/*
 * "docker run [options] IMAGE [command]": its options are read well enough to find the image. It
 * need not be exact: an option that is not known is taken to have a value, as most have, and a
 * wrong guess shows as an image that is not vLLM's, which is told.
 */
#include "vllm/command/command_priv.h"

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
	"no-hostname",
	"passwd",
};

#define SWITCH_LETTERS "ditPqh"

struct run {
	struct vllm_parse *parse;
	size_t at;
	size_t end;
};

static const char *word_at(const struct run *run, size_t i)
{
	return run->parse->command->words.items[i].text;
}

static bool is_switch(const char *name, size_t len)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(switches); i++) {
		if (strlen(switches[i]) == len && strncmp(switches[i], name, len) == 0)
			return true;
	}
	return false;
}

/* "-e NAME" without a value passes on the caller's: null. */
static void take_env(struct run *run, const char *text)
{
	size_t len = strcspn(text, "=");
	auto_free char *name = pl_strndup(text, len);
	json_t *value = text[len] == '=' ? json_string(text + len + 1) : json_null();

	json_object_set_new(run->parse->command->env, name, value);
}

static void take_option(struct run *run, const char *name, size_t len, const char *value)
{
	auto_free char *key = pl_strndup(name, len);

	if (value != NULL && (strcmp(key, "e") == 0 || strcmp(key, "env") == 0)) {
		take_env(run, value);
		return;
	}
	auto_free char *flag = pl_asprintf("%s%s", len == 1 ? "-" : "--", key);
	json_t *args = run->parse->command->runtime_args;
	json_array_append_new(args, json_string(flag));
	if (value != NULL)
		json_array_append_new(args, json_string(value));
}

/* The option's value: behind "=", or the next word. */
static const char *next_value(struct run *run)
{
	return run->at < run->end ? word_at(run, run->at++) : NULL;
}

static void take_long(struct run *run, const char *name)
{
	size_t len = strcspn(name, "=");

	if (name[len] == '=')
		take_option(run, name, len, name + len + 1);
	else if (is_switch(name, len))
		take_option(run, name, len, NULL);
	else
		take_option(run, name, len, next_value(run));
}

/* "-itd", "-p8000:8000", "-e", "-e=A=1" */
static void take_letters(struct run *run, const char *letters)
{
	for (; *letters != '\0'; letters++) {
		if (strchr(SWITCH_LETTERS, *letters) != NULL) {
			take_option(run, letters, 1, NULL);
			continue;
		}
		const char *value = letters + 1 + (letters[1] == '=');
		take_option(run, letters, 1, letters[1] != '\0' ? value : next_value(run));
		return;
	}
}

/* "0.14.1" of "vllm/vllm-openai:v0.14.1-cu130"; NULL where the tag is no release. A ':' before
 * the last '/' is a registry's port. "latest" and "nightly" are no releases. */
static char *image_release(const char *image)
{
	const char *slash = strrchr(image, '/');
	const char *colon = strchr(slash != NULL ? slash : image, ':');
	const char *tag = colon != NULL ? colon + 1 : "";
	auto_free char *text = NULL;
	struct vllm_version version;

	tag += *tag == 'v';
	text = pl_strndup(tag, strcspn(tag, "-_@"));
	if (strchr(text, '.') == NULL || vllm_version_parse(text, &version, PL_ERR_IGNORED) < 0)
		return NULL;
	return pl_take(text);
}

static void note_image(struct run *run, size_t word)
{
	struct vllm_command *command = run->parse->command;

	option_problem_tell(run->parse->problems, .severity = OPTION_WARNING,
			    .source = command->source, .line = (int)word + 1,
			    .column = command->words.items[word].column, .found = command->image,
			    .expected = "an image of vLLM, such as vllm/vllm-openai: what "
					"follows is taken for its arguments");
}

bool vllm_command_container(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_image)
{
	struct vllm_command *command = parse->command;
	struct run run = { .parse = parse, .at = at + 1, .end = end };

	if (run.at < end && strcmp(word_at(&run, run.at), "container") == 0)
		run.at++;
	if (run.at >= end || (strcmp(word_at(&run, run.at), "run") != 0 &&
			      strcmp(word_at(&run, run.at), "create") != 0))
		return false;
	run.at++;
	json_array_clear(command->runtime_args);
	while (run.at < end && word_at(&run, run.at)[0] == '-') {
		const char *word = word_at(&run, run.at++);
		if (strcmp(word, "--") == 0)
			break;
		if (word[1] == '-')
			take_long(&run, word + 2);
		else
			take_letters(&run, word + 1);
	}
	if (run.at >= end)
		return false;
	free(command->runtime);
	free(command->image);
	free(command->version);
	command->runtime = pl_strdup(word_at(&run, at));
	command->image = pl_strdup(word_at(&run, run.at));
	command->version = image_release(command->image);
	if (strstr(command->image, "vllm") == NULL)
		note_image(&run, run.at);
	*ret_image = run.at + 1;
	return true;
}
