/*
 * One reader a form, and what they share: the table of values by their names in CSV and XML.
 */
#ifndef HOST_GPU_NVIDIA_SMI_PRIV_H
#define HOST_GPU_NVIDIA_SMI_PRIV_H

#include "host/gpu/gpu_priv.h"
#include "host/gpu/nvidia_smi.h"

/* Lines one by one, numbered from 1. */
struct host_smi_lines {
	const char *source;
	const char *at;
	const char *end;
	size_t number;
};
/* The next line as a copy (free()), trimmed at its right end; NULL: no more. */
char *host_smi_next_line(struct host_smi_lines *lines);

/* Where a GPU's values go while it is read. */
struct host_smi_values {
	struct host_gpu_look *look;
	uint64_t reasons; /* NVML's bits */
	bool reasons_told;
};
/* By the name of a column ("memory.used") or the path below <gpu> ("fb_memory_usage/used"); a name
 * that is not ours is no matter. */
void host_smi_set_csv(struct host_smi_values *values, const char *column, const char *text);
void host_smi_set_xml(struct host_smi_values *values, const char *path, const char *text);
bool host_smi_is_column(const char *column);
/* The reasons as the look's throttle bits, once all are in. */
void host_smi_end_values(struct host_smi_values *values);

/* NaN for what is no number. */
double host_smi_number(const char *text);
/* "81559 MiB", "1 GiB"; MiB without a unit; NaN. */
double host_smi_bytes(const char *text);
/* NULL for "N/A" and its likes; else a copy. */
char *host_smi_text(const char *text);
/* C, C+G, M+C compute; G draws. */
bool host_smi_is_compute(const char *type);

/* Replaces *owner unless `text` says nothing. */
void host_smi_set_text(char **owner, const char *text);
/* Leaves it as it is unless `text` starts with a small number. */
void host_smi_set_int(int *field, const char *text);
/* What `from` tells counts, the rest stays. Takes what it needs out of `from`. */
void host_smi_merge(struct host_gpus *into, struct host_gpus *from);
/* Takes GPUs out of `now` that `known` does not have: places given to callers stay what they
 * are. */
void host_smi_drop_unknown(const struct host_gpus *known, struct host_gpus *now);

int host_smi_parse_xml(const char *text, size_t len, const char *source, struct host_gpus *gpus,
		       struct pl_err *err) PL_MUST_CHECK;
/* Is this the first line of a table? */
bool host_smi_is_table(const char *line);
/* From the line behind `first` to the table's end; takes lines off `lines`. */
int host_smi_parse_table(const char *first, struct host_smi_lines *lines, struct host_gpus *gpus,
			 struct pl_err *err) PL_MUST_CHECK;
/* Is this a header, of GPUs or of processes? A single column only where nothing stands before
 * it. */
bool host_smi_is_csv(const char *line, bool is_first);
/* Of such a header: is it one of processes? */
bool host_smi_is_process_csv(const char *header);
/* The rows behind the header, up to an empty line or one that starts with '#'. */
int host_smi_parse_csv(const char *header, struct host_smi_lines *lines, struct host_gpus *gpus,
		       struct pl_err *err) PL_MUST_CHECK;

#endif
