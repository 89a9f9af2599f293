/*
 * Every argument of vLLM's server, by group. Each row defines an argument: the YAML reader, the checks,
 * the server's command line, the result's config.server and the reference page are made from it.
 *
 * ARG(type, style, release, name, flag, default, min, max, help, …)
 *   type     BOOL INT FLOAT STRING ENUM JSON (an object) HUMAN_INT (32k, 1.5m, 4K) LIST_INT LIST_FLOAT LIST_STRING LIST_ENUM
 *   style    how it is written: VALUE (--x v), TOGGLE (--x, --no-x), FLAG (--x only), LIST (--x a b),
 *            OPTIONAL_VALUE (--x [v]), REPEAT (--x a --x b)
 *   release  CURRENT: the reference release has it; GONE: only older releases
 *   default  the reference release's as JSON (GONE: the last one known); null: unset
 *   min max  inclusive unless .exclusive says otherwise; -INF, INF: none
 *   …        further members of struct option_row, by name
 *
 * ARG_GROUP is the group's name while its rows are read. ARG_JSON(…) is the text of JSON .
 * The keys inside the JSON objects are rows of tbl/engine_fields.h. The releases of each argument,
 * and its differences in older releases, are in tbl/engine_args_history.h.
 */
#define ARG_GROUP "ModelConfig"
#include "tbl/engine_args/model.h"
#undef ARG_GROUP
#define ARG_GROUP "LoadConfig"
#include "tbl/engine_args/load.h"
#undef ARG_GROUP
#define ARG_GROUP "StructuredOutputsConfig"
#include "tbl/engine_args/structured_outputs.h"
#undef ARG_GROUP
#define ARG_GROUP "ParallelConfig"
#include "tbl/engine_args/parallel.h"
#undef ARG_GROUP
#define ARG_GROUP "CacheConfig"
#include "tbl/engine_args/cache.h"
#undef ARG_GROUP
#define ARG_GROUP "MultiModalConfig"
#include "tbl/engine_args/multi_modal.h"
#undef ARG_GROUP
#define ARG_GROUP "LoRAConfig"
#include "tbl/engine_args/lora.h"
#undef ARG_GROUP
#define ARG_GROUP "ObservabilityConfig"
#include "tbl/engine_args/observability.h"
#undef ARG_GROUP
#define ARG_GROUP "SchedulerConfig"
#include "tbl/engine_args/scheduler.h"
#undef ARG_GROUP
#define ARG_GROUP "VllmConfig"
#include "tbl/engine_args/vllm.h"
#undef ARG_GROUP
#define ARG_GROUP "EngineArgs"
#include "tbl/engine_args/engine.h"
#undef ARG_GROUP
#define ARG_GROUP "AsyncEngineArgs"
#include "tbl/engine_args/async_engine.h"
#undef ARG_GROUP
#define ARG_GROUP "Serve"
#include "tbl/engine_args/serve.h"
#undef ARG_GROUP
#define ARG_GROUP "Frontend"
#include "tbl/engine_args/frontend.h"
#undef ARG_GROUP
#define ARG_GROUP "AttentionConfig"
#include "tbl/engine_args/attention.h"
#undef ARG_GROUP
#define ARG_GROUP "MambaConfig"
#include "tbl/engine_args/mamba.h"
#undef ARG_GROUP
#define ARG_GROUP "OffloadConfig"
#include "tbl/engine_args/offload.h"
#undef ARG_GROUP
#define ARG_GROUP "CompilationConfig"
#include "tbl/engine_args/compilation.h"
#undef ARG_GROUP
#define ARG_GROUP "KernelConfig"
#include "tbl/engine_args/kernel.h"
#undef ARG_GROUP
#define ARG_GROUP "LoggingConfig"
#include "tbl/engine_args/logging.h"
#undef ARG_GROUP
#define ARG_GROUP "Older releases"
#include "tbl/engine_args/older.h"
#undef ARG_GROUP
