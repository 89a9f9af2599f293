/*
 * GPUs as NVML tells of them. `nvml` is borrowed by each call; one thread at a time.
 */
#pragma once

#include "host/gpu/look.h"
#include "host/gpu/nvml.h"

/* Adds what is there to `list`; none on a host without GPUs. */
void host_gpu_nvml_find(const struct host_nvml *nvml, struct host_gpu_list *list);
/* What is told of the GPU now; the rest of *ret stays. */
void host_gpu_nvml_read(const struct host_nvml *nvml, struct host_gpu_look *look,
			struct host_gpu_state *ret);
/* Takes some 40 ms; sets only what is not told in `state`. */
void host_gpu_nvml_read_pcie(const struct host_nvml *nvml, const struct host_gpu_look *look,
			     struct host_gpu_state *state);
/* Adds to `list` and sets its `told`. */
void host_gpu_nvml_processes(const struct host_nvml *nvml, const struct host_gpu_look *look,
			     struct host_gpu_process_list *list);
