/*
 * The GPUs of this host as rules and the memory estimate want to know them.
 */
#pragma once

#include "experiment/config.h"
#include "checkpoint/hardware.h"

#include <stdbool.h>

/*
 * GPUs that the experiment's server may get on this host: model and memory of the first, and how
 * many there are of that model. False where that says nothing of the server: it runs elsewhere, has
 * no GPUs, is a simulator, or none is found. Nothing is taken.
 */
bool run_host_hardware(const struct exp_config *experiment, struct ckpt_hardware *ret);
