/*
 * Reads the GPUs once, as JSON, from which the table is made, too. Data of another user's processes, or of another
 * namespace, is null and not an error. Command lines are shown without secrets.
 */
#include "cli/cmd_gpus_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "host/lock/lock.h"
#include "host/user.h"
#include "vllm/secret.h"

#define COMMAND_BYTES_MAX 65536

static json_t *user_of(int64_t pid)
{
	auto_free char *path = pl_asprintf("/proc/%lld", (long long)pid);
	struct stat st;

	if (stat(path, &st) < 0)
		return json_null();
	auto_free char *user = host_user_name(st.st_uid);
	return pl_json_text(user);
}

/* Returns the arguments separated by blanks; null for another user's process if /proc is restricted. */
static json_t *command_of(int64_t pid)
{
	auto_free char *path = pl_asprintf("/proc/%lld/cmdline", (long long)pid);
	auto_free char *text = NULL;
	size_t len;

	if (pl_file_read(path, COMMAND_BYTES_MAX, &text, &len, PL_ERR_IGNORED) < 0 || len == 0)
		return json_null();
	/* a shell's script, or a title set by the process, is one argument with blanks */
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] <= ' ' || text[i] == 127)
			text[i] = ' ';
	}
	/* With "***" for the secrets among the words. */
	auto_json json_t *words = json_array();
	auto_buf line = PL_BUF(2 * COMMAND_BYTES_MAX);
	char *rest = NULL;
	for (char *word = strtok_r(text, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		json_t *item = json_string(word);
		json_array_append_new(words, item != NULL ? item : json_string("?"));
	}
	auto_json json_t *shown = vllm_secret_words_shown(words);
	for (size_t i = 0; i < json_array_size(shown); i++)
		pl_buf_addf(&line, "%s%s", i > 0 ? " " : "",
			    json_string_value(json_array_get(shown, i)));
	return line.len > 0 ? json_string(pl_buf_text(&line)) : json_null();
}

static json_t *process_to_json(const struct host_gpu_process *process, bool is_ours)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:s}", "pid", (json_int_t)process->pid, "user",
			 is_ours ? user_of(process->pid) : json_null(), "name",
			 pl_json_text(process->name), "command",
			 is_ours ? command_of(process->pid) : json_null(), "memory_bytes",
			 pl_json_count(process->memory_bytes), "type",
			 process->compute ? "compute" : "graphics");
}

static json_t *processes_to_json(struct host_gpus *gpus, size_t i, bool live)
{
	/* process ids of another namespace would be those of other processes here */
	bool are_ours = live && host_gpu_pids_are_ours(host_gpus_facts(gpus, i));
	struct host_gpu_process *processes;
	size_t count;

	if (host_gpus_processes(gpus, i, &processes, &count) < 0)
		return json_null();
	json_t *list = json_array();
	for (size_t j = 0; j < count; j++)
		json_array_append_new(list, process_to_json(&processes[j], are_ours));
	host_gpu_processes_free(processes, count);
	return list;
}

/* Returns the run that uses it; null: none, or unknown. */
static json_t *holder_of(struct host_locks *locks, const char *uuid)
{
	auto_free char *name = pl_asprintf("gpu-%s", uuid != NULL ? uuid : "");
	auto_json json_t *printed = NULL;
	int fd = -1;

	if (locks == NULL || uuid == NULL)
		return json_null();
	printed = host_lock_holder(locks, name);
	/* the text of a killed run remains; inside, so that our short check is never in another run's way */
	if (printed == NULL || host_locks_enter(locks, PL_ERR_IGNORED) < 0)
		return json_null();
	int is_free = host_lock_try(locks, name, HOST_LOCK_SHARED, &fd, PL_ERR_IGNORED);
	if (fd >= 0)
		close(fd);
	host_locks_leave(locks);
	return is_free == 0 ? pl_take(printed) : json_null();
}

json_t *cli_gpus_look(struct host_gpus *gpus, bool live)
{
	auto_locks struct host_locks *locks = NULL;
	json_t *list = json_array();

	/* without locks, the other data is still useful */
	if (live && host_gpus_count(gpus) > 0 && host_locks_open(&locks, PL_ERR_IGNORED) < 0)
		locks = NULL;
	for (size_t i = 0; i < host_gpus_count(gpus); i++) {
		const struct host_gpu_facts *facts = host_gpus_facts(gpus, i);
		struct host_gpu_state state;
		host_gpus_read(gpus, i, &state);
		if (live)
			host_gpus_read_pcie(gpus, i, &state);
		json_t *json = host_gpu_to_json(facts, &state);
		json_object_set_new(json, "driver", pl_json_text(host_gpus_driver(gpus)));
		json_object_set_new(json, "cuda", pl_json_text(host_gpus_cuda(gpus)));
		json_object_set_new(json, "source",
				    json_string(host_gpus_source(gpus) == HOST_GPU_NVML
							? "nvml"
							: "nvidia-smi"));
		json_object_set_new(json, "processes", processes_to_json(gpus, i, live));
		json_object_set_new(json, "held_by", holder_of(locks, facts->uuid));
		json_array_append_new(list, json);
	}
	return list;
}
