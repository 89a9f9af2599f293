/*
 * All of a run: what each step was given by the ones before it, for run.c, which orders them, and for
 * the files that make a result of a finished, const one. Steps do not know it (run/context.h).
 */
#pragma once

#include "run/client/client.h"
#include "run/context.h"
#include "run/document/document.h"
#include "run/launch.h"
#include "run/paths.h"
#include "run/route.h"
#include "run/run.h"
#include "run/steps/identity.h"
#include "run/steps/plan.h"
#include "run/steps/server.h"
#include "run/target_release.h"
#include "run/telemetry.h"

struct run_state {
	struct run_context context; /* of `ending`, and what it borrows of the run's caller */
	struct run_ending ending;
	const struct run_settings *settings;
	struct run_shared_server *life; /* NULL: the server is this run's alone */
	struct run_paths paths;
	struct run_release release; /* of vLLM, that the configuration is for */
	struct run_launch *launch;
	struct run_route route;
	struct run_server server;
	struct run_identity identity;
	const struct run_client *client;
	struct run_measured measured;
	struct run_telemetry telemetry;
	struct run_fixed fixed;  /* of its document */
	char *flat_path;         /* vLLM's flat result; NULL: none */
	size_t differences_said; /* from the run that this one repeats */
};
