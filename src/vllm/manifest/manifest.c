#include "vllm/manifest/manifest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/manifest/manifest_priv.h"

enum { DOCUMENTS_MAX = 1000, BYTES_MAX = 8 << 20 };

/* Kinds of YAML files, by a key of their first level. */
static const struct kind {
	const char *key;
	const char *sibling; /* another key that must exist too; NULL: none */
	const char *name;
	void (*read)(struct manifest_reader *reader, const struct pl_yaml *root);
} kinds[] = {
	{ "services", NULL, "a compose file", vllm_manifest_read_compose },
	{ "servingEngineSpec", NULL, "values of the production-stack chart",
	  vllm_manifest_read_stack },
	{ "modelArtifacts", NULL, "values of the llm-d modelservice chart",
	  vllm_manifest_read_modelservice },
	{ "apiVersion", "kind", "a Kubernetes manifest", vllm_manifest_read_kubernetes },
	{ "containers", NULL, "a Kubernetes manifest", vllm_manifest_read_kubernetes },
	{ "decode", NULL, "values of the llm-d modelservice chart",
	  vllm_manifest_read_modelservice },
	{ "prefill", NULL, "values of the llm-d modelservice chart",
	  vllm_manifest_read_modelservice },
	{ "spec", NULL, "a Kubernetes manifest", vllm_manifest_read_kubernetes },
	{ "template", NULL, "a Kubernetes manifest", vllm_manifest_read_kubernetes },
	{ "image", NULL, "values of a Helm chart", vllm_manifest_read_kubernetes },
};

static const struct kind *kind_of(const struct pl_yaml *root)
{
	for (size_t i = 0; root->kind == PL_YAML_MAP && i < PL_ARRAY_SIZE(kinds); i++) {
		if (pl_yaml_get(root, kinds[i].key) != NULL &&
		    (kinds[i].sibling == NULL || pl_yaml_get(root, kinds[i].sibling) != NULL))
			return &kinds[i];
	}
	return NULL;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline != NULL ? newline : end;
}

/* Returns whether a line begins with the word and one of `after`. */
static bool begins(const char *at, const char *end, const char *word, const char *after)
{
	size_t len = strlen(word);

	return (size_t)(end - at) > len && strncmp(at, word, len) == 0 &&
	       strchr(after, at[len]) != NULL;
}

/* A key of the first level, in block style or in JSON. */
static bool has_key(const char *text, const char *end, const char *key)
{
	auto_free char *quoted = pl_asprintf("\"%s\"", key);
	const char *at = text;

	while (at < end && isspace((unsigned char)*at))
		at++;
	if (at < end && *at == '{')
		return memmem(text, (size_t)(end - text), quoted, strlen(quoted)) != NULL;
	for (at = text; at < end; at = line_end(at, end) + 1) {
		const char *stop = line_end(at, end);
		if (begins(at, stop, key, ":") || begins(at, stop, quoted, ":") ||
		    (begins(at, end, key, ":") && stop == at + strlen(key) + 1))
			return true;
	}
	return false;
}

static bool is_yaml(const char *text, size_t len)
{
	/* sections of an experiment */
	if (has_key(text, text + len, "server") || has_key(text, text + len, "benchmark") ||
	    has_key(text, text + len, "launch"))
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (has_key(text, text + len, kinds[i].key) &&
		    (kinds[i].sibling == NULL || has_key(text, text + len, kinds[i].sibling)))
			return true;
	}
	return false;
}

/* The first instruction of a Dockerfile. */
static bool is_dockerfile(const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *at = text; at < end; at = line_end(at, end) + 1) {
		const char *stop = line_end(at, end);
		while (at < stop && (*at == ' ' || *at == '\t' || *at == '\r'))
			at++;
		if (at == stop || *at == '#')
			continue;
		return begins(at, stop, "FROM", " \t") || begins(at, stop, "from", " \t") ||
		       begins(at, stop, "ARG", " \t");
	}
	return false;
}

static bool is_unit(const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *at = text; at < end; at = line_end(at, end) + 1) {
		if (begins(at, end, "[Service]", "\r\n"))
			return true;
	}
	return false;
}

bool vllm_manifest_is(const char *path, const char *text, size_t len)
{
	bool is_named = path != NULL && strstr(path, "Dockerfile") != NULL;

	return is_named || is_dockerfile(text, len) || is_unit(text, len) || is_yaml(text, len);
}

static int read_document(struct manifest_reader *reader, struct pl_err *err)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;

	if (pl_yaml_parse(reader->text, reader->len, reader->source, &doc, err) < 0) {
		bool is_template = memmem(reader->text, reader->len, "{{", 2) != NULL;
		err->line += err->line > 0 ? reader->line_offset : 0;
		if (is_template)
			return pl_err_invalid(err,
					      "'%s' is a template of a Helm chart; run 'helm "
					      "template' and use its output",
					      reader->source);
		return -1;
	}
	const struct pl_yaml *root = pl_yaml_root(doc);
	const struct kind *kind = kind_of(root);
	if (kind == NULL && root->kind != PL_YAML_LIST)
		return 0;
	if (reader->manifest->kind == NULL)
		reader->manifest->kind = kind != NULL ? kind->name : "a Kubernetes manifest";
	(kind != NULL ? kind->read : vllm_manifest_read_kubernetes)(reader, root);
	return 0;
}

/* Documents are separated by lines "---". */
static int read_documents(struct manifest_reader *reader, const char *text, size_t len,
			  struct pl_err *err)
{
	const char *end = text + len;
	const char *from = text;
	int line = 0, from_line = 0, documents = 0;

	/* the end of the text counts as a line */
	for (const char *at = text;; line++) {
		bool is_mark = end - at >= 3 && strncmp(at, "---", 3) == 0 &&
			       (end - at == 3 || strchr(" \t\r\n", at[3]) != NULL);
		if (at < end && (!is_mark || at == text)) {
			at = line_end(at, end);
			at += at < end;
			continue;
		}
		if (++documents > DOCUMENTS_MAX)
			return pl_err_invalid(err, "'%s' has more than %d documents",
					      reader->source, DOCUMENTS_MAX);
		reader->text = from;
		reader->len = (size_t)((at < end ? at : end) - from);
		reader->line_offset = from_line;
		if (read_document(reader, err) < 0)
			return -1;
		if (at == end)
			return 0;
		from = at;
		from_line = line;
		at = line_end(at, end);
		at += at < end;
	}
}

struct vllm_inside vllm_container_inside(const struct vllm_container *container)
{
	return (struct vllm_inside){ .image = container->image,
				     .runtime = container->runtime,
				     .env = container->env,
				     .starts_server = container->starts_server };
}

static bool runs_vllm(const struct vllm_container *container, const struct vllm_catalog *catalog,
		      const char *source)
{
	const struct vllm_command_options options = { .catalog = catalog, .source = source };
	const struct vllm_inside inside = vllm_container_inside(container);
	auto_command struct vllm_command *command = NULL;
	auto_problems ignored = { 0 };

	return vllm_command_from_words(&container->words, &inside, &options, &command, &ignored,
				       PL_ERR_IGNORED) == 0 &&
	       (command->form != VLLM_COMMAND_NONE || command->load != NULL);
}

int vllm_manifest_read(const char *text, size_t len, const char *source,
		       const struct vllm_catalog *catalog, struct vllm_manifest *ret,
		       struct option_problems *problems, struct pl_err *err)
{
	auto_manifest manifest = { 0 };
	struct manifest_reader reader = { .source = source,
					  .text = text,
					  .len = len,
					  .manifest = &manifest,
					  .problems = problems };

	if (len > BYTES_MAX || memchr(text, '\0', len) != NULL)
		return pl_err_invalid(err, "'%s' is larger than %d MiB, or not text", source,
				      BYTES_MAX >> 20);
	if (is_unit(text, len)) {
		manifest.kind = "a systemd unit";
		vllm_manifest_read_unit(&reader);
	} else if (is_yaml(text, len)) {
		if (read_documents(&reader, text, len, err) < 0)
			return -1;
	} else {
		manifest.kind = "a Dockerfile";
		vllm_manifest_read_dockerfile(&reader);
	}
	size_t retained = 0;
	for (size_t i = 0; i < manifest.count; i++) {
		if (runs_vllm(&manifest.items[i], catalog, source)) {
			manifest.items[retained++] = manifest.items[i];
			continue;
		}
		vllm_container_done(&manifest.items[i]);
		manifest.others++;
	}
	manifest.count = retained;
	/* Adds the owner to a name that several containers have. */
	auto_json json_t *counts = json_object();
	for (size_t i = 0; i < manifest.count; i++) {
		const char *name = manifest.items[i].name;
		json_int_t count = json_integer_value(json_object_get(counts, name));
		json_object_set_new(counts, name, json_integer(count + 1));
	}
	for (size_t i = 0; i < manifest.count; i++) {
		struct vllm_container *one = &manifest.items[i];
		if (json_integer_value(json_object_get(counts, one->name)) < 2 ||
		    one->owner == NULL)
			continue;
		char *qualified = pl_asprintf("%s/%s", one->owner, one->name);
		free(one->name);
		one->name = qualified;
	}
	*ret = manifest;
	manifest = (struct vllm_manifest){ 0 };
	return 0;
}

static int64_t size_of(const struct vllm_command *command, const char *name)
{
	json_int_t value = pl_json_get_i64(command->values, name);

	return value > 0 ? value : 1;
}

void vllm_container_check(const struct vllm_container *container,
			  const struct vllm_command *command, struct option_problems *problems)
{
	static const char *const sizes[] = { "tensor_parallel_size", "pipeline_parallel_size",
					     "data_parallel_size" };
	bool has_local = json_object_get(command->values, "data_parallel_size_local") != NULL;
	int64_t data = size_of(command, has_local ? "data_parallel_size_local" : sizes[2]);
	int64_t requested = size_of(command, sizes[0]) * size_of(command, sizes[1]) * data;
	int64_t given = container->gpus * (has_local ? 1 : container->nodes);
	json_int_t word = 0;

	if (container->gpus < 0 || requested <= given ||
	    pl_json_get_true(command->values, "headless"))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes) && word < 1; i++)
		word = pl_json_get_i64(command->locations, sizes[i]);
	if (word < 1 || (size_t)word > command->words.count)
		return;
	auto_free char *found = pl_asprintf("%lld GPUs of its parallel sizes",
					    (long long)requested);
	auto_free char *expected = pl_asprintf("at most %lld, the limit of container '%s'",
					       (long long)given, container->name);
	option_problem_report(problems, .severity = OPTION_WARNING, .source = command->source,
			      .line = (int)word, .column = command->words.items[word - 1].column,
			      .found = found, .expected = expected);
}
