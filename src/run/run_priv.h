/*
 * The state of a run: the output of each step, for run.c, which orders the steps, and for the files that make the
 * result of a finished, const run. Steps do not use it (run/context.h).
 */
#pragma once

#include "run/client/client.h"
#include "run/context.h"
#include "run/document/document.h"
#include "run/launch.h"
#include "run/paths.h"
#include "run/profile/profile.h"
#include "run/route.h"
#include "run/run.h"
#include "run/steps/identity.h"
#include "run/steps/plan.h"
#include "run/steps/server.h"
#include "run/target_release.h"
#include "run/telemetry.h"

struct run_state {
	struct run_context context; /* of `ending`, and borrowed from the caller */
	struct run_ending ending;
	const struct run_settings *settings;
	struct run_shared_server *shared_server; /* NULL: only this run uses the server */
	struct run_paths paths;
	struct run_release release; /* the vLLM release that the configuration is for */
	struct run_launch *launch;
	struct run_route route;
	struct run_server server;
	struct run_identity identity;
	const struct run_client *client;
	struct run_measured measured;
	struct run_profile profile;
	struct run_telemetry telemetry;
	struct run_fixed fixed;      /* unchanging parts of its document */
	char *flat_path;             /* vLLM's flat result; NULL: none */
	size_t differences_reported; /* reported differences from the run that this one repeats */
};
