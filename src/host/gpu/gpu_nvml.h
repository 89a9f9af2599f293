/* GPU data from NVML. Each call borrows `nvml`; one thread at a time. */
#pragma once

#include "host/gpu/look.h"
#include "host/gpu/nvml.h"

/* Adds the host's GPUs to `list`, none on a host without GPUs. */
void host_gpu_nvml_find(const struct host_nvml *nvml, struct host_gpu_list *list);
/* Reads the current values; values that NVML does not report remain unchanged in *ret. */
void host_gpu_nvml_read(const struct host_nvml *nvml, struct host_gpu_look *look,
			struct host_gpu_state *ret);
/* Takes about 40 ms; sets only the values that are unknown in `state`. */
void host_gpu_nvml_read_pcie(const struct host_nvml *nvml, const struct host_gpu_look *look,
			     struct host_gpu_state *state);
/* Adds the processes to `list` and sets its `told`. */
void host_gpu_nvml_processes(const struct host_nvml *nvml, const struct host_gpu_look *look,
			     struct host_gpu_process_list *list);
