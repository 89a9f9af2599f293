/*
 * The sizes over which configurations scale (query/configurations/scaling.h).
 *
 * AXIS(id, multiplies)    multiplies: with the other sizes equal, GPUs grow by the same factor
 * APART(axis, argument)   an argument that may differ within a line of that axis
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef AXIS
#define AXIS(id, multiplies)
#endif
#ifndef APART
#define APART(axis, argument)
#endif

AXIS(gpus, true)
AXIS(tensor, true)
AXIS(pipeline, true)
AXIS(data, true)
AXIS(expert, false)
AXIS(nodes, false)

APART(gpus, "server.tensor_parallel_size")
APART(gpus, "server.pipeline_parallel_size")
APART(gpus, "server.data_parallel_size")
APART(gpus, "server.data_parallel_size_local")
APART(gpus, "server.prefill_context_parallel_size")
APART(gpus, "server.nnodes")
APART(tensor, "server.tensor_parallel_size")
APART(pipeline, "server.pipeline_parallel_size")
APART(data, "server.data_parallel_size")
APART(data, "server.data_parallel_size_local")
APART(expert, "server.enable_expert_parallel")
APART(expert, "server.tensor_parallel_size")
APART(expert, "server.data_parallel_size")
APART(expert, "server.data_parallel_size_local")
APART(nodes, "server.nnodes")
APART(nodes, "server.tensor_parallel_size")
APART(nodes, "server.pipeline_parallel_size")
APART(nodes, "server.data_parallel_size")
APART(nodes, "server.data_parallel_size_local")

#undef AXIS
#undef APART
