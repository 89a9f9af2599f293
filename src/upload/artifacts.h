/*
 * The artifacts of results that a dashboard has by now: those that it lacks are sent, each as it lies on the disk
 * (PUT /api/upload/artifact, api/openapi.yaml).
 */
#pragma once

#include "upload/upload.h"

/*
 * Of all results of an upload that is over; fills their `artifacts`. What cannot be sent is told there, file by
 * file.
 */
void upload_artifacts(struct upload *upload);
