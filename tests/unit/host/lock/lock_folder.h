/* A lock folder of the test's own, and the locks in it. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/lock/lock.h"

#include "base/scratch.h"

static char folder[SCRATCH_PATH];

static int make_folder(void **state)
{
	(void)state;
	scratch_folder(folder);
	setenv("PROFLLM_LOCK_DIR", folder, 1);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unsetenv("PROFLLM_LOCK_DIR");
	return 0;
}

static struct host_locks *open_locks(void)
{
	struct host_locks *locks = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(host_locks_open(&locks, &err), 0);
	return locks;
}
