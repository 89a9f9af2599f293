/*
 * Sends the artifacts of results on a dashboard that it lacks, each as it is on disk (PUT /api/upload/artifact,
 * api/openapi.yaml).
 */
#pragma once

#include "upload/upload.h"

/* For all results of a finished upload; fills their `artifacts`. Failures are recorded there, per file. */
void upload_artifacts(struct upload *upload);
