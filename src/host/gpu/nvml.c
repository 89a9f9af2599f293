#include "host/gpu/nvml.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 128

/* The library writes into these structs: a different layout would overwrite other memory. */
_Static_assert(sizeof(struct nvml_memory) == 24, "nvmlMemory_t");
_Static_assert(sizeof(struct nvml_memory_v2) == 40, "nvmlMemory_v2_t");
_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_t");
_Static_assert(sizeof(struct nvml_process) == 24, "nvmlProcessInfo_v2_t");
_Static_assert(sizeof(struct nvml_process_v1) == 16, "nvmlProcessInfo_v1_t");
_Static_assert(sizeof(struct nvml_field) == 40, "nvmlFieldValue_t");

static const struct {
	size_t offset;
	const char *names;
} functions[] = {
#define NVML_ROW(member, arguments, names) { offsetof(struct host_nvml, member), names },
	NVML_FUNCTIONS(NVML_ROW)
#undef NVML_ROW
};

/* The first of the names that the library has. */
static void *find_symbol(void *library, const char *names)
{
	char name[NAME_BYTES];

	while (*names != '\0') {
		size_t len = strcspn(names, ",");
		if (len < sizeof(name)) {
			memcpy(name, names, len);
			name[len] = '\0';
			void *symbol = dlsym(library, name);
			if (symbol != NULL)
				return symbol;
		}
		names += len + (names[len] == ',');
	}
	return NULL;
}

static const char *meaning(int code)
{
	static const struct {
		int code;
		const char *text;
	} meanings[] = {
		{ NVML_SUCCESS, "no error" },
		{ NVML_ERROR_UNINITIALIZED, "the library is not initialized" },
		{ NVML_ERROR_NOT_SUPPORTED, "not supported" },
		{ NVML_ERROR_NO_PERMISSION, "no permission" },
		{ NVML_ERROR_DRIVER_NOT_LOADED, "the driver is not loaded" },
		{ NVML_ERROR_FUNCTION_NOT_FOUND, "the library lacks the function" },
		{ NVML_ERROR_GPU_IS_LOST, "the GPU is lost" },
		{ NVML_ERROR_LIB_RM_VERSION, "the library and the driver have different versions" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(meanings); i++) {
		if (meanings[i].code == code)
			return meanings[i].text;
	}
	return "unknown error";
}

static int start(struct host_nvml *nvml, const char *library, struct pl_err *err)
{
	if (nvml->init == NULL || nvml->shutdown == NULL || nvml->count == NULL ||
	    nvml->handle == NULL) {
		nvml->shutdown = NULL;
		return pl_err_set(err, PL_ERR_FAILED, "'%s' is not NVML", library);
	}
	int code = nvml->init();
	if (code == NVML_SUCCESS)
		return 0;
	nvml->shutdown = NULL;
	return pl_err_set(err, PL_ERR_FAILED, "'%s': %s (code %d)", library, meaning(code), code);
}

int host_nvml_open(const char *library, struct host_nvml **ret, struct pl_err *err)
{
	auto_nvml struct host_nvml *nvml = pl_alloc(sizeof(*nvml));

	/* RTLD_LOCAL: its symbols must not stand in for those of a library that is loaded later. */
	nvml->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (nvml->library == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "could not load the NVIDIA driver library '%s'", library);
	for (size_t i = 0; i < PL_ARRAY_SIZE(functions); i++) {
		void *symbol = find_symbol(nvml->library, functions[i].names);
		/*
		 * ISO C has no cast from void * to a function; POSIX promises that the bits are the
		 * same.
		 */
		memcpy((char *)nvml + functions[i].offset, &symbol, sizeof(symbol));
	}
	if (start(nvml, library, err) < 0)
		return -1;
	*ret = pl_take(nvml);
	return 0;
}

void host_nvml_free(struct host_nvml *nvml)
{
	if (nvml == NULL)
		return;
	if (nvml->shutdown != NULL)
		nvml->shutdown();
	if (nvml->library != NULL)
		dlclose(nvml->library);
	free(nvml);
}
