/* Artifacts of the result of a request, for handlers that read them. */
#pragma once

#include "dash/request.h"
#include "store/artifacts/artifact.h"

/* Overwrites *ret (store_artifacts_done()). Returns false if there is no such result; the response is set then. */
bool dash_find_artifacts(const struct dash_request *request, struct store_artifacts *ret,
			 struct dash_answer *answer);
/* Returns the stored artifact of this kind, or else one whose file was lost, or else NULL. */
const struct store_artifact *dash_artifact_of_kind(const struct store_artifacts *artifacts,
						   const char *kind);
/* Returns false if the file is missing on the server; the response names it then. */
bool dash_artifact_exists(const struct dash_request *request, const struct store_artifact *artifact,
			  struct dash_answer *answer);
/* 422 for an unusable file; all other errors concern the disk or the database, and only the log shows paths. */
void dash_refuse_artifact(struct dash_answer *answer, const struct pl_err *err);
