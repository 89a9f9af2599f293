/*
 * The location of a model: a directory with the given name, otherwise the Hugging Face cache with
 * the layout of huggingface_hub:
 *
 *   models--ORG--NAME/refs/REVISION        the commit, as a line of text
 *   models--ORG--NAME/snapshots/COMMIT/    links to the files
 *   models--ORG--NAME/blobs/               the files themselves
 *
 * Links in a user's directory may lead anywhere, those in the cache only within its repository
 * (*ret_root).
 */
#include "checkpoint/facts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hub.h"
#include "base/text.h"

#define REF_BYTES_MAX 256

static const char *env_text(const void *env, const char *name)
{
	const char *given = pl_json_get_text(env, name);
	const char *value = given != NULL ? given : getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A branch may have a '/' in its name. */
static bool is_revision(const char *revision)
{
	return revision[0] != '\0' && revision[0] != '/' && strstr(revision, "..") == NULL &&
	       strlen(revision) <= 200;
}

/* The commit that refs/REVISION names, or the revision itself. A revision may be a commit
 * already, which has no file under refs. */
static char *commit_of(const char *repository, const char *revision)
{
	auto_free char *path = pl_asprintf("%s/refs/%s", repository, revision);
	auto_free char *text = NULL;
	size_t len;

	if (ckpt_read_plain(path, repository, REF_BYTES_MAX, &text, &len, PL_ERR_IGNORED) < 0)
		return pl_strdup(revision);
	return pl_strdup(pl_text_trim(text));
}

static char *find_snapshot(const char *cache, const char *model, const char *revision,
			   char **ret_root)
{
	auto_free char *plain = pl_hub_repository(cache, "models", model);
	auto_free char *repository = realpath(plain, NULL);
	if (repository == NULL)
		return NULL;
	auto_free char *commit = commit_of(repository, revision);
	auto_free char *snapshot = pl_asprintf("%s/snapshots/%s", repository, commit);
	if (!is_revision(commit) || !is_folder(snapshot))
		return NULL;
	*ret_root = pl_take(repository);
	return pl_take(snapshot);
}

/* A folder here wins over a model of the same name, as it does for vLLM. */
char *ckpt_find(const struct ckpt_source *source, const char *model, char **ret_root)
{
	auto_free char *path = pl_hub_expand(model, env_text, source->env);
	const char *revision = source->revision != NULL ? source->revision : "main";
	char *found = NULL;

	*ret_root = NULL;
	if (is_folder(path))
		return pl_take(path);
	if (!pl_hub_is_name(model) || !is_revision(revision))
		return NULL;
	auto_free char *cache = pl_hub_folder(env_text, source->env);
	found = find_snapshot(cache, model, revision, ret_root);
	if (found == NULL && source->download_dir != NULL)
		found = find_snapshot(source->download_dir, model, revision, ret_root);
	return found;
}

struct ckpt_source ckpt_source_of(const json_t *values, const json_t *env)
{
	const char *model = pl_json_get_text(values, "model");

	return (struct ckpt_source){
		.model = model != NULL ? model : pl_json_get_text(values, "model_tag"),
		.config_path = pl_json_get_text(values, "hf_config_path"),
		.revision = pl_json_get_text(values, "revision"),
		.download_dir = pl_json_get_text(values, "download_dir"),
		.load_format = pl_json_get_text(values, "load_format"),
		.overrides = json_object_get(values, "hf_overrides"),
		.env = env,
	};
}
