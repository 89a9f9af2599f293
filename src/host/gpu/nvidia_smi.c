#include "host/gpu/nvidia_smi.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <expat.h>

#include "base/clock.h"
#include "base/text.h"
#include "host/gpu/nvml.h"

#define LIMIT_NS         (5 * PL_NS_PER_S)
#define OUTPUT_BYTES_MAX (16u << 20)
#define READ_BYTES       16384
#define MESSAGE_BYTES    200
#define ROOT             "nvidia_smi_log"
#define REASON           "_reason_"
#define DEPTH_MAX        16
#define PATH_BYTES       1024
#define TEXT_BYTES_MAX   4096
#define LOOKS_MAX        1024
#define NUMBER_BYTES     32

extern char **environ;

/* ---- the program --------------------------------------------------------- */

/*
 * Output into the pipe, nothing to read, errors nowhere; our signal settings are not inherited.
 * posix_spawn() and not fork(): telemetry's threads run by then, and a copy of a large process
 * costs time.
 */
static int spawn(const char *program, int output, pid_t *ret)
{
	char *argv[] = { (char *)program, (char *)"-q", (char *)"-x", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	sigset_t all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	/*
	 * A separate process group: it can be killed with its children, and ^C reaches only this
	 * process.
	 */
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETPGROUP);
	int code = posix_spawn(ret, program, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static int wait_readable(const char *program, int fd, int64_t deadline_ns, struct pl_err *err)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int ready;

	do {
		int64_t left_ns = deadline_ns - pl_clock_now_ns();
		ready = left_ns <= 0 ? 0 : poll(&poll_fd, 1, (int)(left_ns / PL_NS_PER_MS) + 1);
	} while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return pl_err_set(err, PL_ERR_TIMEOUT, "'%s' did not finish within %lld s", program,
				  LIMIT_NS / PL_NS_PER_S);
	return 0;
}

/*
 * Reads to the end of the output; -1: too late, or larger than the buffer. All waits share one
 * deadline, because a driver that hangs blocks the program.
 */
static int read_all(const char *program, int input, int64_t deadline_ns, struct pl_buf *output,
		    struct pl_err *err)
{
	char chunk[READ_BYTES];

	for (;;) {
		if (wait_readable(program, input, deadline_ns, err) < 0)
			return -1;
		ssize_t len = read(input, chunk, sizeof(chunk));
		if (len == 0)
			return 0;
		if (len < 0 && errno != EINTR && errno != EAGAIN)
			return pl_err_errno(err, "could not read from '%s'", program);
		if (len > 0 && !pl_buf_add(output, chunk, (size_t)len))
			return pl_err_set(err, PL_ERR_FAILED, "'%s' prints more than %zu bytes",
					  program, output->max);
	}
}

static int run(const char *program, struct pl_buf *output, struct pl_err *err)
{
	int ends[2];
	int64_t deadline_ns = pl_clock_now_ns() + LIMIT_NS;
	pid_t child;
	int status = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pl_err_errno(err, "could not create a pipe");
	int auto_fd input = ends[0];
	/* posix_spawn() returns its error and leaves errno alone. */
	errno = spawn(program, ends[1], &child);
	int spawn_errno = errno;
	/* Ours too must be closed, or the end of the output would never come. */
	close(ends[1]);
	errno = spawn_errno;
	if (spawn_errno != 0)
		return pl_err_errno(err, "could not run '%s'", program);
	int auto_fd pid_fd = (int)syscall(SYS_pidfd_open, child, 0);
	int result = read_all(program, input, deadline_ns, output, err);
	/* one that closes its output and stays is late too */
	if (result == 0 && pid_fd >= 0)
		result = wait_readable(program, pid_fd, deadline_ns, err);
	/* the group: a wrapper's own child must not outlive it */
	if (result < 0)
		kill(-child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (result < 0)
		return -1;
	const char *printed = pl_buf_text(output);
	int len = (int)strcspn(printed, "\r\n");
	if (WIFSIGNALED(status))
		return pl_err_set(err, PL_ERR_FAILED, "'%s' ended by signal %d", program,
				  WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return pl_err_set(err, PL_ERR_FAILED, "'%s' ended with exit status %d: %.*s",
				  program, WEXITSTATUS(status),
				  len < MESSAGE_BYTES ? len : MESSAGE_BYTES, printed);
	return 0;
}

/* ---- values -------------------------------------------------------------- */

enum kind {
	KIND_TEXT,     /* char * */
	KIND_NUMBER,   /* double, times the row's scale */
	KIND_FALLBACK, /* likewise, if no better value was found before */
	KIND_ADD,      /* the same, parts of a sum */
	KIND_INT,      /* int */
	KIND_ECC,
	KIND_MIG,
};

/*
 * Paths below <gpu> or <mig_device>. An element that newer drivers renamed has two rows.
 * KIND_FALLBACK follows the row of the better value of the same field.
 */
static const struct row {
	const char *path;
	enum kind kind;
	size_t offset;
	double scale;
} rows[] = {
#define FACT(field)  offsetof(struct host_gpu_look, facts.field)
#define STATE(field) offsetof(struct host_gpu_look, state.field)
	{ "product_name", KIND_TEXT, FACT(name), 0 },
	{ "uuid", KIND_TEXT, FACT(uuid), 0 },
	{ "pci/pci_bus_id", KIND_TEXT, FACT(pci_bus_id), 0 },
	{ "fb_memory_usage/total", KIND_NUMBER, FACT(memory_bytes), 1 },
	{ "fb_memory_usage/used", KIND_NUMBER, STATE(memory_used_bytes), 1 },
	{ "power_readings/enforced_power_limit", KIND_NUMBER, FACT(power_limit_w), 1 },
	{ "gpu_power_readings/current_power_limit", KIND_NUMBER, FACT(power_limit_w), 1 },
	{ "power_readings/power_limit", KIND_FALLBACK, FACT(power_limit_w), 1 },
	{ "power_readings/power_draw", KIND_NUMBER, STATE(power_w), 1 },
	{ "gpu_power_readings/power_draw", KIND_NUMBER, STATE(power_w), 1 },
	{ "gpu_power_readings/average_power_draw", KIND_FALLBACK, STATE(power_w), 1 },
	{ "gpu_power_readings/instant_power_draw", KIND_FALLBACK, STATE(power_w), 1 },
	{ "pci/pci_gpu_link_info/pcie_gen/max_link_gen", KIND_INT, FACT(pcie_generation), 0 },
	{ "pci/pci_gpu_link_info/link_widths/max_link_width", KIND_INT, FACT(pcie_lanes), 0 },
	{ "ecc_mode/current_ecc", KIND_ECC, 0, 0 },
	{ "mig_mode/current_mig", KIND_MIG, 0, 0 },
	{ "utilization/gpu_util", KIND_NUMBER, STATE(utilization), 0.01 },
	{ "utilization/memory_util", KIND_NUMBER, STATE(memory_utilization), 0.01 },
	{ "temperature/gpu_temp", KIND_NUMBER, STATE(temperature_c), 1 },
	{ "clocks/sm_clock", KIND_NUMBER, STATE(sm_clock_mhz), 1 },
	{ "clocks/mem_clock", KIND_NUMBER, STATE(memory_clock_mhz), 1 },
	{ "pci/rx_util", KIND_NUMBER, STATE(pcie_rx_bytes_per_s), 1000 },
	{ "pci/tx_util", KIND_NUMBER, STATE(pcie_tx_bytes_per_s), 1000 },
	{ "ecc_errors/volatile/double_bit/total", KIND_NUMBER, STATE(ecc_uncorrected), 1 },
	{ "ecc_errors/volatile/sram_uncorrectable", KIND_ADD, STATE(ecc_uncorrected), 1 },
	{ "ecc_errors/volatile/sram_uncorrectable_parity", KIND_ADD, STATE(ecc_uncorrected), 1 },
	{ "ecc_errors/volatile/sram_uncorrectable_secded", KIND_ADD, STATE(ecc_uncorrected), 1 },
	{ "ecc_errors/volatile/dram_uncorrectable", KIND_ADD, STATE(ecc_uncorrected), 1 },
#undef FACT
#undef STATE
};

static const struct {
	const char *name;
	uint64_t bit;
} reasons[] = {
	{ "gpu_idle", NVML_REASON_GPU_IDLE },
	{ "applications_clocks_setting", NVML_REASON_APPLICATION_CLOCKS },
	{ "sw_power_cap", NVML_REASON_SW_POWER_CAP },
	{ "hw_slowdown", NVML_REASON_HW_SLOWDOWN },
	{ "hw_thermal_slowdown", NVML_REASON_HW_THERMAL },
	{ "hw_power_brake_slowdown", NVML_REASON_HW_POWER_BRAKE },
	{ "sync_boost", NVML_REASON_SYNC_BOOST },
	{ "sw_thermal_slowdown", NVML_REASON_SW_THERMAL },
	{ "display_clocks_setting", NVML_REASON_DISPLAY_CLOCK },
};

/* Returns memory sizes in bytes, other values in their unit. */
static double read_number(const char *text)
{
	static const char *const units[] = { " KiB", " MiB", " GiB" };
	char number[NUMBER_BYTES];
	/*
	 * The unit decides, not the element: drivers have changed from one to another, and "N/A"
	 * has no digits at all.
	 */
	size_t len = strspn(text, "+-.0123456789");
	double value, scale = 1, unit_bytes = 1;

	for (size_t i = 0; i < PL_ARRAY_SIZE(units); i++) {
		unit_bytes *= 1024;
		if (strcmp(text + len, units[i]) == 0)
			scale = unit_bytes;
	}
	if (len == 0 || len >= sizeof(number))
		return NAN;
	memcpy(number, text, len);
	number[len] = '\0';
	return pl_text_to_f64(number, &value) ? value * scale : NAN;
}

static void set_int(int *field, const char *text)
{
	double number = read_number(text);

	if (number >= 0 && number < 1e6)
		*field = (int)number;
}

static void set_text(char **owner, const char *text)
{
	/* the bracket: "[Not Found]", "[Insufficient Permissions]" */
	static const char *const nothing[] = {
		"N/A",           "[",
		"Not Supported", "Not Available",
		"Unknown Error", "Requested functionality",
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(nothing); i++) {
		if (pl_text_starts(text, nothing[i]))
			return;
	}
	if (text[0] == '\0')
		return;
	free(*owner);
	*owner = host_gpu_clean_text(text);
}

static void set_number(const struct row *row, double *field, const char *text)
{
	double value = read_number(text) * row->scale;

	if (isnan(value) || (row->kind == KIND_FALLBACK && !isnan(*field)))
		return;
	*field = row->kind == KIND_ADD && !isnan(*field) ? *field + value : value;
}

static void set_switch(bool *on, bool *reported, const char *text)
{
	/* Any other text means unknown, which is not "off". */
	bool enabled = strcmp(text, "Enabled") == 0;

	if (!enabled && strcmp(text, "Disabled") != 0)
		return;
	*on = enabled;
	*reported = true;
}

static void set_row(const struct row *row, struct host_gpu_look *look, const char *text)
{
	void *field = (char *)look + row->offset;

	switch (row->kind) {
	case KIND_TEXT:
		set_text(field, text);
		break;
	case KIND_NUMBER:
	case KIND_FALLBACK:
	case KIND_ADD:
		set_number(row, field, text);
		break;
	case KIND_INT:
		set_int(field, text);
		break;
	case KIND_ECC:
		set_switch(&look->facts.ecc, &look->facts.ecc_reported, text);
		break;
	case KIND_MIG:
		set_switch(&look->facts.mig, &look->facts.mig_reported, text);
		break;
	}
}

/* ---- elements ------------------------------------------------------------ */

struct reader {
	XML_Parser parser;
	const char *source;
	size_t lines_before; /* the document */
	struct pl_err *err;
	bool failed; /* handlers are called a last time after XML_StopParser() */

	/* open elements below the root, "gpu/pci", and how long that was before each one */
	char path[PATH_BYTES];
	size_t path_len;
	size_t starts[DEPTH_MAX];
	size_t depth;
	struct pl_buf text; /* of the innermost element */
	bool is_leaf;       /* no element within it yet */

	struct host_gpu_list *list;
	int gpu_count; /* without instances */
	int attached;  /* GPUs of the host; -1: unknown */
	size_t gpu;    /* index of the open <gpu> */
	size_t look;   /* of the open <mig_device>, otherwise as above */
	uint64_t reasons;
	bool reasons_reported;
	struct host_gpu_process process;
};

static void fault(struct reader *reader, const char *what)
{
	if (reader->failed)
		return;
	reader->failed = true;
	pl_err_invalid(reader->err, "'%s': line %zu: %s", reader->source,
		       reader->lines_before + (size_t)XML_GetCurrentLineNumber(reader->parser),
		       what);
	XML_StopParser(reader->parser, XML_FALSE);
}

static void open_gpu(struct reader *reader, bool is_instance)
{
	if (reader->list->count == LOOKS_MAX) {
		fault(reader, "too many GPUs");
		return;
	}
	struct host_gpu_facts *facts = &host_gpu_list_add(reader->list)->facts;
	reader->look = reader->list->count - 1;
	if (is_instance) {
		facts->mig_index = (int)(reader->look - reader->gpu - 1);
	} else {
		reader->gpu = reader->look;
		facts->index = reader->gpu_count++;
	}
}

static void process_leaf(struct host_gpu_process *process, const char *name, const char *text)
{
	double number = read_number(text);

	if (strcmp(name, "pid") == 0)
		process->pid = number >= 0 && number < 1e15 ? (int64_t)number : -1;
	else if (strcmp(name, "type") == 0)
		process->compute = strchr(text, 'C') != NULL; /* C, C+G, M+C; G draws */
	else if (strcmp(name, "process_name") == 0)
		set_text(&process->name, text);
	else if (strcmp(name, "used_memory") == 0)
		process->memory_bytes = number;
}

static void reason_leaf(struct reader *reader, const char *name, const char *text)
{
	bool active = strcmp(text, "Active") == 0;

	if (!active && strcmp(text, "Not Active") != 0)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(reasons); i++) {
		if (strcmp(reasons[i].name, name) != 0)
			continue;
		reader->reasons |= active ? reasons[i].bit : 0;
		reader->reasons_reported = true;
	}
}

/* `path`: below <gpu> or <mig_device> */
static void value_leaf(struct reader *reader, const char *path, const char *text)
{
	/* clocks_event_reason_…; of drivers up to 530 clocks_throttle_reason_… */
	const char *reason = strstr(path, REASON);

	if (reason != NULL)
		reason_leaf(reader, reason + strlen(REASON), text);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (strcmp(path, rows[i].path) == 0)
			set_row(&rows[i], &reader->list->looks[reader->look], text);
	}
}

static void leaf(struct reader *reader, const char *text)
{
	static const char gpu[] = "gpu/";
	static const char process[] = "gpu/processes/process_info/";
	static const char instance[] = "gpu/mig_devices/mig_device/";
	const char *path = reader->path;

	/* the newer names of both are of driver 610 */
	if (strcmp(path, "driver_version") == 0 || strcmp(path, "kmd_version") == 0)
		set_text(&reader->list->driver, text);
	else if (strcmp(path, "cuda_version") == 0 || strcmp(path, "cuda_umd_version") == 0)
		set_text(&reader->list->cuda, text);
	else if (strcmp(path, "attached_gpus") == 0)
		set_int(&reader->attached, text);
	else if (pl_text_starts(path, process))
		process_leaf(&reader->process, path + strlen(process), text);
	else if (strcmp(path, "gpu/mig_devices/mig_device/index") == 0)
		set_int(&reader->list->looks[reader->look].facts.mig_index, text);
	else if (pl_text_starts(path, instance))
		value_leaf(reader, path + strlen(instance), text);
	else if (pl_text_starts(path, gpu))
		value_leaf(reader, path + strlen(gpu), text);
}

/* Copies values to the instances, which precede these elements in the document. */
static void end_gpu(struct reader *reader)
{
	struct host_gpu_look *looks = reader->list->looks;
	struct host_gpu_facts *whole = &looks[reader->gpu].facts;

	if (reader->reasons_reported)
		looks[reader->gpu].state.throttle = host_gpu_throttle_bits(reader->reasons);
	reader->reasons = 0;
	reader->reasons_reported = false;
	whole->compute_capability = host_gpu_capability(whole->name);
	for (size_t i = reader->gpu + 1; i < reader->list->count; i++) {
		struct host_gpu_facts *facts = &looks[i].facts;
		facts->index = whole->index;
		facts->compute_capability = whole->compute_capability;
		facts->mig_reported = true;
		free(facts->name);
		free(facts->pci_bus_id);
		facts->name = pl_strdup(whole->name);
		facts->pci_bus_id = pl_strdup(whole->pci_bus_id);
		facts->mig_parent = pl_strdup(whole->uuid);
	}
}

/* ---- XML ----------------------------------------------------------------- */

static void XMLCALL on_start(void *data, const XML_Char *name, const XML_Char **attributes)
{
	struct reader *reader = data;
	size_t len = strlen(name);

	(void)attributes;
	if (reader->failed)
		return;
	if (reader->depth == 0 && strcmp(name, ROOT) != 0) {
		fault(reader, "expected <" ROOT ">");
		return;
	}
	if (reader->depth == DEPTH_MAX || reader->path_len + len + 2 > PATH_BYTES) {
		fault(reader, "elements are too deep");
		return;
	}
	/*
	 * The path is one text with the start of each element: a row is found with one comparison.
	 */
	reader->starts[reader->depth++] = reader->path_len;
	if (reader->depth > 2)
		reader->path[reader->path_len++] = '/';
	if (reader->depth > 1) {
		memcpy(reader->path + reader->path_len, name, len + 1);
		reader->path_len += len;
	}
	pl_buf_clear(&reader->text);
	reader->is_leaf = true;
	if (strcmp(reader->path, "gpu") == 0) {
		open_gpu(reader, false);
	} else if (strcmp(reader->path, "gpu/mig_devices/mig_device") == 0) {
		open_gpu(reader, true);
	} else if (strcmp(reader->path, "gpu/processes") == 0) {
		reader->list->looks[reader->gpu].processes.reported = true;
	} else if (strcmp(reader->path, "gpu/processes/process_info") == 0) {
		free(reader->process.name);
		reader->process = (struct host_gpu_process){ .pid = -1, .memory_bytes = NAN };
	}
}

static void XMLCALL on_text(void *data, const XML_Char *text, int len)
{
	struct reader *reader = data;

	/* expat gives a text in pieces, cut at line ends and entities. */
	if (!reader->failed && !pl_buf_add(&reader->text, text, (size_t)len))
		fault(reader, "a text is too long");
}

static void XMLCALL on_end(void *data, const XML_Char *name)
{
	struct reader *reader = data;

	(void)name;
	if (reader->failed)
		return;
	if (reader->is_leaf && reader->text.len > 0)
		leaf(reader, pl_text_trim(reader->text.data));
	struct host_gpu_process *process = &reader->process;
	if (strcmp(reader->path, "gpu") == 0)
		end_gpu(reader);
	else if (strcmp(reader->path, "gpu/mig_devices/mig_device") == 0)
		reader->look = reader->gpu;
	else if (strcmp(reader->path, "gpu/processes/process_info") == 0 && process->pid >= 0)
		host_gpu_process_add(&reader->list->looks[reader->gpu].processes, process->pid,
				     process->memory_bytes, pl_take(process->name),
				     process->compute);
	reader->path_len = reader->starts[--reader->depth];
	reader->path[reader->path_len] = '\0';
	reader->is_leaf = false;
	pl_buf_clear(&reader->text);
}

/* nvidia-smi declares no entities; undeclared ones cannot be expanded. */
static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter,
			      const XML_Char *value, int value_len, const XML_Char *base,
			      const XML_Char *system_id, const XML_Char *public_id,
			      const XML_Char *notation)
{
	(void)name, (void)is_parameter, (void)value, (void)value_len, (void)base;
	(void)system_id, (void)public_id, (void)notation;
	fault(data, "found an entity, expected none to be declared");
}

/* nvidia-smi writes names of processes as they are, and they are anybody's choice. */
static void hide_bytes(char *text)
{
	bool is_utf8 = pl_text_is_utf8(text);

	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || (c > 127 && !is_utf8))
			*text = '?';
	}
}

/* Names the format of a saved nvidia-smi output that cannot be parsed; `text` is not XML. */
static const char *form_of(const char *text)
{
	if (text[0] == '\0')
		return "nothing";
	if (text[0] == '{' || text[0] == '[')
		return "JSON";
	if (strstr(text, "| NVIDIA-SMI ") != NULL)
		return "its table";
	if (memchr(text, ',', strcspn(text, "\n")) != NULL)
		return "CSV";
	return "other text";
}

static int read_document(struct reader *reader, const char *text, size_t len)
{
	reader->parser = XML_ParserCreate(NULL);
	if (reader->parser == NULL)
		return pl_err_set(reader->err, PL_ERR_FAILED, "out of memory");
	pl_buf_init(&reader->text, TEXT_BYTES_MAX);
	XML_SetUserData(reader->parser, reader);
	XML_SetElementHandler(reader->parser, on_start, on_end);
	XML_SetCharacterDataHandler(reader->parser, on_text);
	/*
	 * Entities of entities ("billion laughs"), and ones that name files: neither is ever
	 * expanded.
	 */
	XML_SetEntityDeclHandler(reader->parser, on_entity);
	/* Checked above: the length fits an int. */
	if (XML_Parse(reader->parser, text, (int)len, XML_TRUE) != XML_STATUS_OK)
		fault(reader, XML_ErrorString(XML_GetErrorCode(reader->parser)));
	XML_ParserFree(reader->parser);
	pl_buf_done(&reader->text);
	free(reader->process.name);
	return reader->failed ? -1 : 0;
}

int host_nvidia_smi_parse(const char *text, size_t len, const char *source,
			  struct host_gpu_list *list, struct pl_err *err)
{
	struct reader reader = { .source = source, .err = err, .list = list, .attached = -1 };

	if (len > HOST_GPU_TEXT_BYTES_MAX)
		return pl_err_invalid(err, "'%s': has more than %u bytes", source,
				      HOST_GPU_TEXT_BYTES_MAX);
	if (memchr(text, '\0', len) != NULL)
		return pl_err_invalid(err, "'%s': found a NUL byte", source);
	auto_free char *copy = pl_strndup(text, len);
	char *at = copy;
	for (; isspace((unsigned char)*at); at++)
		reader.lines_before += *at == '\n';
	if (pl_text_starts(at, "No devices were found"))
		return 0;
	if (*at != '<')
		return pl_err_invalid(err, "'%s': found %s, expected the XML of 'nvidia-smi -q -x'",
				      source, form_of(at));
	hide_bytes(at);
	int result = read_document(&reader, at, strlen(at));
	/* with -i, nvidia-smi reports only some GPUs: their positions are not their numbers */
	for (size_t i = 0;
	     reader.attached >= 0 && reader.attached != reader.gpu_count && i < list->count; i++)
		list->looks[i].facts.index = -1;
	if (result < 0)
		host_gpu_list_done(list);
	return result;
}

int host_nvidia_smi_read(const char *program, struct host_gpu_list *list, struct pl_err *err)
{
	auto_buf output = PL_BUF(OUTPUT_BYTES_MAX);

	if (run(program, &output, err) < 0)
		return -1;
	return host_nvidia_smi_parse(pl_buf_text(&output), output.len, program, list, err);
}
