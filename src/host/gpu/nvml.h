/*
 * The part of NVIDIA's management library (NVML) used here, loaded at run time.
 *
 * - The numbers and layouts are NVML's binary interface, declared here: the build needs no header
 *   from NVIDIA, and any driver version works. A function that the library lacks is NULL.
 * - Every function returns NVML_SUCCESS or another NVML code and is thread-safe.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

#define NVML_SUCCESS                  0
#define NVML_ERROR_UNINITIALIZED      1
#define NVML_ERROR_INVALID_ARGUMENT   2
#define NVML_ERROR_NOT_SUPPORTED      3
#define NVML_ERROR_NO_PERMISSION      4
#define NVML_ERROR_NOT_FOUND          6
#define NVML_ERROR_INSUFFICIENT_SIZE  7
#define NVML_ERROR_DRIVER_NOT_LOADED  9
#define NVML_ERROR_FUNCTION_NOT_FOUND 13
#define NVML_ERROR_GPU_IS_LOST        15
#define NVML_ERROR_LIB_RM_VERSION     18
#define NVML_ERROR_UNKNOWN            999

#define NVML_UUID_BYTES         96
#define NVML_NAME_BYTES         96
#define NVML_VERSION_BYTES      80
#define NVML_PROCESS_NAME_BYTES 1024
#define NVML_NVLINKS_MAX        18
#define NVML_NUMA_WORDS         16
/* marks an unknown value in a counter */
#define NVML_VALUE_NOT_AVAILABLE UINT64_MAX

#define NVML_TEMPERATURE_GPU 0
#define NVML_CLOCK_SM        1
#define NVML_CLOCK_MEM       2
#define NVML_ECC_UNCORRECTED 1
#define NVML_ECC_VOLATILE    0
#define NVML_PCIE_TX         0
#define NVML_PCIE_RX         1
#define NVML_AFFINITY_NODE   0

#define NVML_REASON_GPU_IDLE           0x001
#define NVML_REASON_APPLICATION_CLOCKS 0x002
#define NVML_REASON_SW_POWER_CAP       0x004
#define NVML_REASON_HW_SLOWDOWN        0x008
#define NVML_REASON_SYNC_BOOST         0x010
#define NVML_REASON_SW_THERMAL         0x020
#define NVML_REASON_HW_THERMAL         0x040
#define NVML_REASON_HW_POWER_BRAKE     0x080
#define NVML_REASON_DISPLAY_CLOCK      0x100

#define NVML_FIELD_NVLINK_TX_KIB 138
#define NVML_FIELD_NVLINK_RX_KIB 139
#define NVML_FIELD_PCIE_TX_BYTES 197
#define NVML_FIELD_PCIE_RX_BYTES 198
#define NVML_FIELD_ALL_LINKS     UINT32_MAX

enum nvml_value_type {
	NVML_VALUE_DOUBLE,
	NVML_VALUE_UINT,
	NVML_VALUE_ULONG,
	NVML_VALUE_ULONGLONG,
	NVML_VALUE_LONGLONG,
};

struct nvml_device;

struct nvml_memory {
	unsigned long long total;
	unsigned long long free;
	unsigned long long used; /* includes memory reserved by the driver */
};

struct nvml_memory_v2 {
	unsigned version; /* NVML_MEMORY_V2 */
	unsigned long long total;
	unsigned long long reserved;
	unsigned long long free;
	unsigned long long used;
};
#define NVML_MEMORY_V2 ((unsigned)(sizeof(struct nvml_memory_v2) | (2u << 24)))

struct nvml_utilization {
	unsigned gpu; /* percent */
	unsigned memory;
};

struct nvml_pci {
	char bus_id_legacy[16];
	unsigned domain;
	unsigned bus;
	unsigned device;
	unsigned device_id;
	unsigned subsystem_id;
	char bus_id[32];
};

struct nvml_process_v1 {
	unsigned pid;
	unsigned long long used;
};

struct nvml_process {
	unsigned pid;
	unsigned long long used; /* bytes, or NVML_VALUE_NOT_AVAILABLE */
	unsigned gpu_instance;
	unsigned compute_instance;
};

struct nvml_field {
	unsigned field;
	unsigned scope;
	long long timestamp;
	long long latency_us;
	unsigned type; /* enum nvml_value_type */
	int result;
	union {
		double real;
		unsigned uint;
		unsigned long ulong;
		unsigned long long ulonglong;
		long long longlong;
	} value;
};

#define NVML_DEVICE struct nvml_device *device

/* F(member, arguments, names in order of preference, "a,b") */
#define NVML_FUNCTIONS(F)                                                                          \
	F(init, (void), "nvmlInit_v2,nvmlInit")                                                    \
	F(shutdown, (void), "nvmlShutdown")                                                        \
	F(driver_version, (char *text, unsigned room), "nvmlSystemGetDriverVersion")               \
	F(cuda_version, (int *version),                                                            \
	  "nvmlSystemGetCudaDriverVersion_v2,"                                                     \
	  "nvmlSystemGetCudaDriverVersion")                                                        \
	F(process_name, (unsigned pid, char *text, unsigned room), "nvmlSystemGetProcessName")     \
	F(count, (unsigned *count), "nvmlDeviceGetCount_v2,nvmlDeviceGetCount")                    \
	F(handle, (unsigned index, struct nvml_device **device),                                   \
	  "nvmlDeviceGetHandleByIndex_v2,nvmlDeviceGetHandleByIndex")                              \
	F(name, (NVML_DEVICE, char *text, unsigned room), "nvmlDeviceGetName")                     \
	F(uuid, (NVML_DEVICE, char *text, unsigned room), "nvmlDeviceGetUUID")                     \
	F(pci, (NVML_DEVICE, struct nvml_pci * pci), "nvmlDeviceGetPciInfo_v3")                    \
	F(memory_v2, (NVML_DEVICE, struct nvml_memory_v2 * memory), "nvmlDeviceGetMemoryInfo_v2")  \
	F(memory, (NVML_DEVICE, struct nvml_memory * memory), "nvmlDeviceGetMemoryInfo")           \
	F(capability, (NVML_DEVICE, int *major, int *minor), "nvmlDeviceGetCudaComputeCapability") \
	F(power_limit, (NVML_DEVICE, unsigned *mw),                                                \
	  "nvmlDeviceGetEnforcedPowerLimit,nvmlDeviceGetPowerManagementLimit")                     \
	F(pcie_generation, (NVML_DEVICE, unsigned *generation),                                    \
	  "nvmlDeviceGetMaxPcieLinkGeneration")                                                    \
	F(pcie_lanes, (NVML_DEVICE, unsigned *lanes), "nvmlDeviceGetMaxPcieLinkWidth")             \
	F(nvlink_state, (NVML_DEVICE, unsigned link, unsigned *active),                            \
	  "nvmlDeviceGetNvLinkState")                                                              \
	F(ecc_mode, (NVML_DEVICE, unsigned *current, unsigned *pending), "nvmlDeviceGetEccMode")   \
	F(mig_mode, (NVML_DEVICE, unsigned *current, unsigned *pending), "nvmlDeviceGetMigMode")   \
	F(mig_count, (NVML_DEVICE, unsigned *count), "nvmlDeviceGetMaxMigDeviceCount")             \
	F(mig_handle, (NVML_DEVICE, unsigned index, struct nvml_device **instance),                \
	  "nvmlDeviceGetMigDeviceHandleByIndex")                                                   \
	F(memory_affinity, (NVML_DEVICE, unsigned words, unsigned long *nodes, unsigned scope),    \
	  "nvmlDeviceGetMemoryAffinity")                                                           \
	F(utilization, (NVML_DEVICE, struct nvml_utilization * utilization),                       \
	  "nvmlDeviceGetUtilizationRates")                                                         \
	F(power, (NVML_DEVICE, unsigned *mw), "nvmlDeviceGetPowerUsage")                           \
	F(energy, (NVML_DEVICE, unsigned long long *mj), "nvmlDeviceGetTotalEnergyConsumption")    \
	F(temperature, (NVML_DEVICE, unsigned sensor, unsigned *celsius),                          \
	  "nvmlDeviceGetTemperature")                                                              \
	F(clock, (NVML_DEVICE, unsigned type, unsigned *mhz), "nvmlDeviceGetClockInfo")            \
	F(reasons, (NVML_DEVICE, unsigned long long *bits),                                        \
	  "nvmlDeviceGetCurrentClocksEventReasons,nvmlDeviceGetCurrentClocksThrottleReasons")      \
	F(ecc_errors, (NVML_DEVICE, unsigned type, unsigned counter, unsigned long long *count),   \
	  "nvmlDeviceGetTotalEccErrors")                                                           \
	F(fields, (NVML_DEVICE, int count, struct nvml_field *fields), "nvmlDeviceGetFieldValues") \
	F(pcie_rate, (NVML_DEVICE, unsigned counter, unsigned *kb_per_s),                          \
	  "nvmlDeviceGetPcieThroughput")                                                           \
	F(compute_processes, (NVML_DEVICE, unsigned *count, struct nvml_process *list),            \
	  "nvmlDeviceGetComputeRunningProcesses_v3,nvmlDeviceGetComputeRunningProcesses_v2")       \
	F(graphics_processes, (NVML_DEVICE, unsigned *count, struct nvml_process *list),           \
	  "nvmlDeviceGetGraphicsRunningProcesses_v3,nvmlDeviceGetGraphicsRunningProcesses_v2")     \
	F(compute_processes_v1, (NVML_DEVICE, unsigned *count, struct nvml_process_v1 *list),      \
	  "nvmlDeviceGetComputeRunningProcesses")                                                  \
	F(graphics_processes_v1, (NVML_DEVICE, unsigned *count, struct nvml_process_v1 *list),     \
	  "nvmlDeviceGetGraphicsRunningProcesses")                                                 \
	/* only our pretend library (tests/doubles) has it */                                      \
	F(pretend_version, (void), "nvmlPretendVersion")

struct host_nvml {
	void *library;
#define NVML_MEMBER(member, arguments, names) int(*member) arguments;
	NVML_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

#define NVML_LIBRARY "libnvidia-ml.so.1"

/*
 * Opens and initializes the library. NOT_FOUND: the library does not exist; FAILED: it cannot be
 * initialized (no driver, no GPU, …).
 */
int host_nvml_open(const char *library, struct host_nvml **ret, struct pl_err *err) PL_MUST_CHECK;
void host_nvml_free(struct host_nvml *nvml);
PL_AUTO_DEFINE(struct host_nvml, host_nvml_free);
#define auto_nvml PL_AUTO(host_nvml_free)
