#include "nvml/world.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FILE_BYTES_MAX 65536

/* NVML is one a process, and so are its GPUs. */
static struct pretend_world the_world;
static pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
static struct stat the_file;

double pretend_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double pretend_energy_j(const struct pretend_state *state, double t_s)
{
	double energy = pretend_curve_energy_j(&state->power, t_s) + state->energy_offset_j;

	return state->energy_wrap_j > 0 ? fmod(energy, state->energy_wrap_j) : energy;
}

bool pretend_process_shown(const struct pretend_process *process)
{
	return !process->while_alive || kill((pid_t)process->pid, 0) == 0 || errno == EPERM;
}

static void complain(const char *where, const char *what)
{
	fprintf(stderr, "libnvml-pretend: %s: %s\n", where, what);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_dev == b->st_dev &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reports a fault in the file once, and keeps the settings before it. */
static void read_settings_file(struct pretend_world *world)
{
	static char text[FILE_BYTES_MAX];
	const char *path = getenv("PRETEND_FILE");
	struct stat now;
	char fault[128];

	if (path == NULL || stat(path, &now) < 0 || is_same_file(&now, &the_file))
		return;
	FILE *stream = fopen(path, "re");
	if (stream == NULL)
		return;
	size_t len = fread(text, 1, sizeof(text) - 1, stream);
	fclose(stream);
	text[len] = '\0';
	the_file = now;
	if (!pretend_world_set(world, text, fault, sizeof(fault)))
		complain(path, fault);
}

struct pretend_world *pretend_world_lock(void)
{
	pthread_mutex_lock(&the_lock);
	if (the_world.users > 0)
		read_settings_file(&the_world);
	return &the_world;
}

void pretend_world_unlock(void)
{
	pthread_mutex_unlock(&the_lock);
}

static bool set_from_environment(struct pretend_world *world)
{
	/* NULL: whole lines */
	static const struct {
		const char *variable;
		const char *key;
	} variables[] = {
		{ "PRETEND_POWER", "power" },
		{ "PRETEND_VANISH", "vanish" },
		{ "PRETEND_FAIL", "fail" },
		{ "PRETEND_SET", NULL },
	};
	char text[4096];
	char fault[128];

	for (size_t i = 0; i < PL_ARRAY_SIZE(variables); i++) {
		const char *value = getenv(variables[i].variable);
		const char *key = variables[i].key;
		if (value == NULL)
			continue;
		snprintf(text, sizeof(text), "%s%s%s", key != NULL ? key : "",
			 key != NULL ? "=" : "", value);
		if (!pretend_world_set(world, text, fault, sizeof(fault))) {
			complain(variables[i].variable, fault);
			return false;
		}
	}
	return true;
}

int pretend_world_init(struct pretend_world *world)
{
	const char *gpus = getenv("PRETEND_GPUS");
	const char *seed = getenv("PRETEND_SEED");

	if (world->users > 0) {
		world->users++;
		return NVML_SUCCESS;
	}
	pretend_world_done(world);
	if (seed != NULL)
		world->seed = (unsigned)strtoul(seed, NULL, 10);
	if (!pretend_world_add_gpus(world, gpus != NULL ? gpus : "1xH100")) {
		complain("PRETEND_GPUS", gpus);
		return NVML_ERROR_INVALID_ARGUMENT;
	}
	if (!set_from_environment(world))
		return NVML_ERROR_INVALID_ARGUMENT;
	memset(&the_file, 0, sizeof(the_file));
	read_settings_file(world);
	/* up to here the counter is the bare integral; later changes of the curve keep it steady */
	for (unsigned i = 0; i < world->count; i++)
		world->gpus[i].state.energy_offset_j = 0;
	world->users = 1;
	return NVML_SUCCESS;
}

void pretend_world_done(struct pretend_world *world)
{
	for (unsigned i = 0; i < world->count; i++)
		free(world->gpus[i].instances);
	memset(world, 0, sizeof(*world));
}
