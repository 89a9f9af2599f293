#include "host/gpu/nvidia_smi_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * XML as nvidia-smi writes it: elements, attributes, text, the five entities and character numbers,
 * comments, one declaration and one document type. Anything else is an error.
 */

#define ROOT           "nvidia_smi_log"
#define DEPTH_MAX      16
#define NAME_BYTES_MAX 128
#define TEXT_BYTES_MAX 4096
#define INSTANCES_MAX  32

struct process {
	double pid;
	bool compute;
	char *name;
	double bytes;
};

struct xml {
	const char *at;
	const char *end;
	const char *start;
	const char *source;
	struct pl_err *err;
	/* open elements, "nvidia_smi_log/gpu/pci", and where each one's name begins in it */
	struct pl_buf path;
	size_t starts[DEPTH_MAX];
	size_t depth;
	struct pl_buf text; /* of the innermost element */
	bool is_leaf;       /* no element within it yet */

	struct host_gpus *gpus;
	int gpu_count;            /* without instances */
	int attached;             /* GPUs of the host; -1: not told */
	struct host_gpu_look gpu; /* the one that is open */
	struct host_gpu_look instances[INSTANCES_MAX];
	size_t instance_count;
	struct host_smi_values values;
	struct host_smi_values instance_values;
	struct process process;
};

static int fault(struct xml *xml, const char *what)
{
	size_t line = 1;

	for (const char *at = xml->start; at < xml->at && at < xml->end; at++)
		line += *at == '\n';
	return pl_err_set(xml->err, PL_ERR_INVALID, "'%s': line %zu: %s", xml->source, line, what);
}

/* ---- what the elements mean ---------------------------------------------- */

static void look_reset(struct host_gpu_look *look)
{
	*look = (struct host_gpu_look){ 0 };
	host_gpu_facts_init(&look->facts);
	host_gpu_state_init(&look->state);
}

/* The path below <gpu>, or NULL. */
static const char *below_gpu(const struct xml *xml)
{
	const char *path = pl_buf_text(&xml->path);

	return pl_text_starts(path, ROOT "/gpu/") ? path + strlen(ROOT "/gpu/") : NULL;
}

static int opened(struct xml *xml)
{
	const char *path = pl_buf_text(&xml->path);

	if (strcmp(path, ROOT "/gpu") == 0) {
		look_reset(&xml->gpu);
		xml->instance_count = 0;
		xml->values = (struct host_smi_values){ .look = &xml->gpu };
		xml->gpu.facts.index = xml->gpu_count++;
	} else if (strcmp(path, ROOT "/gpu/processes") == 0) {
		xml->gpu.processes_told = true;
	} else if (strcmp(path, ROOT "/gpu/mig_devices/mig_device") == 0) {
		if (xml->instance_count == INSTANCES_MAX)
			return fault(xml, "too many MIG devices");
		struct host_gpu_look *instance = &xml->instances[xml->instance_count++];
		look_reset(instance);
		xml->instance_values = (struct host_smi_values){ .look = instance };
	} else if (strcmp(path, ROOT "/gpu/processes/process_info") == 0) {
		free(xml->process.name);
		xml->process = (struct process){ .pid = NAN, .bytes = NAN };
	}
	return 0;
}

static void process_leaf(struct process *process, const char *name, const char *text)
{
	if (strcmp(name, "pid") == 0)
		process->pid = host_smi_number(text);
	else if (strcmp(name, "type") == 0)
		process->compute = host_smi_is_compute(text);
	else if (strcmp(name, "process_name") == 0)
		host_smi_set_text(&process->name, text);
	else if (strcmp(name, "used_memory") == 0)
		process->bytes = host_smi_bytes(text);
}

static void leaf(struct xml *xml, const char *text)
{
	static const char process[] = "processes/process_info/";
	static const char instance[] = "mig_devices/mig_device/";
	const char *path = below_gpu(xml);
	const char *whole = pl_buf_text(&xml->path);

	if (path == NULL && strcmp(whole, ROOT "/driver_version") == 0)
		host_smi_set_text(&xml->gpus->driver, text);
	else if (path == NULL && strcmp(whole, ROOT "/cuda_version") == 0)
		host_smi_set_text(&xml->gpus->cuda, text);
	else if (path == NULL && strcmp(whole, ROOT "/attached_gpus") == 0)
		host_smi_set_int(&xml->attached, text);
	else if (path == NULL)
		return;
	else if (pl_text_starts(path, process))
		process_leaf(&xml->process, path + strlen(process), text);
	else if (strcmp(path, "mig_devices/mig_device/index") == 0)
		host_smi_set_int(&xml->instance_values.look->facts.mig_index, text);
	else if (pl_text_starts(path, instance))
		host_smi_set_xml(&xml->instance_values, path + strlen(instance), text);
	else
		host_smi_set_xml(&xml->values, path, text);
}

static void add_gpu(struct xml *xml)
{
	struct host_gpus *gpus = xml->gpus;
	size_t parent = gpus->count;

	host_smi_end_values(&xml->values);
	*host_gpus_add(gpus) = xml->gpu;
	look_reset(&xml->gpu);
	for (size_t i = 0; i < xml->instance_count; i++) {
		struct host_gpu_look *look = host_gpus_add(gpus);
		const struct host_gpu_facts *whole = &gpus->looks[parent].facts;
		*look = xml->instances[i];
		look_reset(&xml->instances[i]);
		look->facts.index = whole->index;
		if (look->facts.mig_index < 0)
			look->facts.mig_index = (int)i;
		look->facts.mig_told = true;
		look->facts.name = pl_strdup(whole->name);
		look->facts.pci_bus_id = pl_strdup(whole->pci_bus_id);
		look->facts.mig_parent = pl_strdup(whole->uuid);
	}
	xml->instance_count = 0;
}

static void closed(struct xml *xml)
{
	const char *path = pl_buf_text(&xml->path);
	struct process *process = &xml->process;

	if (xml->is_leaf)
		leaf(xml, pl_text_trim(xml->text.len > 0 ? xml->text.data : (char[]){ "" }));
	if (strcmp(path, ROOT "/gpu") == 0)
		add_gpu(xml);
	else if (strcmp(path, ROOT "/gpu/processes/process_info") == 0 && process->pid >= 0 &&
		 process->pid < 1e15)
		host_gpu_add_process(&xml->gpu, (int64_t)process->pid, process->bytes,
				     pl_take(process->name), process->compute);
}

/* ---- the form ------------------------------------------------------------ */

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == ':';
}

static bool at_text(const struct xml *xml, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(xml->end - xml->at) >= len && memcmp(xml->at, text, len) == 0;
}

static int skip_past(struct xml *xml, const char *text)
{
	const char *found = memmem(xml->at, (size_t)(xml->end - xml->at), text, strlen(text));

	if (found == NULL)
		return fault(xml, "the text ends within markup");
	xml->at = found + strlen(text);
	return 0;
}

static void skip_blanks(struct xml *xml)
{
	while (xml->at < xml->end && isspace((unsigned char)*xml->at))
		xml->at++;
}

static int read_name(struct xml *xml, const char **ret, size_t *ret_len)
{
	*ret = xml->at;
	while (xml->at < xml->end && is_name_byte(*xml->at))
		xml->at++;
	*ret_len = (size_t)(xml->at - *ret);
	if (*ret_len == 0 || *ret_len > NAME_BYTES_MAX)
		return fault(xml, "expected a name");
	return 0;
}

static int skip_attributes(struct xml *xml)
{
	const char *name;
	size_t len;

	for (skip_blanks(xml); xml->at < xml->end && is_name_byte(*xml->at); skip_blanks(xml)) {
		if (read_name(xml, &name, &len) < 0)
			return -1;
		skip_blanks(xml);
		if (!at_text(xml, "="))
			return fault(xml, "expected '=' behind an attribute");
		xml->at++;
		skip_blanks(xml);
		if (!at_text(xml, "\"") && !at_text(xml, "'"))
			return fault(xml, "expected a quoted attribute");
		const char quote[2] = { *xml->at++, '\0' };
		if (skip_past(xml, quote) < 0)
			return -1;
	}
	return 0;
}

static void leave(struct xml *xml)
{
	closed(xml);
	size_t start = xml->starts[--xml->depth];
	xml->path.len = start > 0 ? start - 1 : 0;
	xml->path.data[xml->path.len] = '\0';
	xml->is_leaf = false;
	pl_buf_clear(&xml->text);
}

/* Behind '<'. */
static int open_element(struct xml *xml)
{
	const char *name;
	size_t len;

	if (read_name(xml, &name, &len) < 0)
		return -1;
	if (xml->depth == DEPTH_MAX)
		return fault(xml, "elements are too deep");
	if (xml->depth == 0 && (len != strlen(ROOT) || memcmp(name, ROOT, len) != 0))
		return fault(xml, "expected <" ROOT ">");
	if (xml->depth > 0)
		pl_buf_add_char(&xml->path, '/');
	xml->starts[xml->depth++] = xml->path.len;
	pl_buf_add(&xml->path, name, len);
	pl_buf_clear(&xml->text);
	xml->is_leaf = true;
	if (opened(xml) < 0 || skip_attributes(xml) < 0)
		return -1;
	bool empty = at_text(xml, "/");
	xml->at += empty;
	if (!at_text(xml, ">"))
		return fault(xml, "expected '>'");
	xml->at++;
	if (empty)
		leave(xml);
	return 0;
}

/* Behind "</". */
static int close_element(struct xml *xml)
{
	const char *name;
	size_t len;

	if (read_name(xml, &name, &len) < 0)
		return -1;
	const char *open = xml->depth > 0 ? xml->path.data + xml->starts[xml->depth - 1] : "";
	if (strlen(open) != len || memcmp(open, name, len) != 0)
		return fault(xml, "an element is closed that is not open");
	skip_blanks(xml);
	if (!at_text(xml, ">"))
		return fault(xml, "expected '>'");
	xml->at++;
	leave(xml);
	return 0;
}

/* Behind '&'. */
static int add_entity(struct xml *xml)
{
	static const struct {
		const char *name;
		char c;
	} entities[] = {
		{ "amp;", '&' },  { "lt;", '<' },    { "gt;", '>' },
		{ "quot;", '"' }, { "apos;", '\'' },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(entities); i++) {
		if (!at_text(xml, entities[i].name))
			continue;
		xml->at += strlen(entities[i].name);
		pl_buf_add_char(&xml->text, entities[i].c);
		return 0;
	}
	if (!at_text(xml, "#"))
		return fault(xml, "unknown entity");
	const char *number = xml->at + 1;
	if (skip_past(xml, ";") < 0)
		return -1;
	/* the text ends with ';' or before: no digits are read behind it */
	double code = host_smi_number(number);
	pl_buf_add_char(&xml->text, code >= ' ' && code < 127 ? (char)code : '?');
	return 0;
}

static int read_text(struct xml *xml)
{
	const char *from = xml->at;
	bool blank = true;

	while (xml->at < xml->end && *xml->at != '<' && *xml->at != '&' && *xml->at != '\0')
		blank = isspace((unsigned char)*xml->at++) && blank;
	if (xml->at < xml->end && *xml->at == '\0')
		return fault(xml, "found a NUL byte");
	if (xml->depth > 0)
		pl_buf_add(&xml->text, from, (size_t)(xml->at - from));
	else if (!blank)
		return fault(xml, "text outside of the document");
	if (xml->at < xml->end && *xml->at == '&') {
		xml->at++;
		if (add_entity(xml) < 0)
			return -1;
	}
	return xml->text.full ? fault(xml, "a text is too long") : 0;
}

static int read_markup(struct xml *xml, bool *done)
{
	if (at_text(xml, "<!--"))
		return skip_past(xml, "-->");
	if (xml->depth == 0 && (at_text(xml, "<?") || at_text(xml, "<!DOCTYPE")))
		return skip_past(xml, ">");
	if (at_text(xml, "</")) {
		xml->at += 2;
		int result = close_element(xml);
		*done = result == 0 && xml->depth == 0;
		return result;
	}
	xml->at++;
	int result = open_element(xml);
	*done = result == 0 && xml->depth == 0;
	return result;
}

static int read_document(struct xml *xml)
{
	bool done = false;

	while (xml->at < xml->end && !done) {
		if ((*xml->at == '<' ? read_markup(xml, &done) : read_text(xml)) < 0)
			return -1;
	}
	if (!done)
		return fault(xml, "the text ends within the document");
	skip_blanks(xml);
	return xml->at == xml->end ? 0 : fault(xml, "text behind the document");
}

int host_smi_parse_xml(const char *text, size_t len, const char *source, struct host_gpus *gpus,
		       struct pl_err *err)
{
	struct xml *xml = pl_alloc(sizeof(*xml));

	*xml = (struct xml){
		.at = text,
		.start = text,
		.end = text + len,
		.source = source,
		.err = err,
		.gpus = gpus,
		.attached = -1,
	};
	pl_buf_init(&xml->path, DEPTH_MAX * (NAME_BYTES_MAX + 1) + 1);
	pl_buf_init(&xml->text, TEXT_BYTES_MAX);
	look_reset(&xml->gpu);
	int result = read_document(xml);
	/* asked for some GPUs only (-i): their places are not their numbers */
	for (size_t i = 0; xml->attached >= 0 && xml->attached != xml->gpu_count && i < gpus->count;
	     i++)
		gpus->looks[i].facts.index = -1;
	host_gpu_look_done(&xml->gpu);
	for (size_t i = 0; i < xml->instance_count; i++)
		host_gpu_look_done(&xml->instances[i]);
	free(xml->process.name);
	pl_buf_done(&xml->path);
	pl_buf_done(&xml->text);
	free(xml);
	return result;
}
