/*
 * The tools of `profllm mcp`. Each is a command of `profllm`: its input schema is made from the options of that command
 * (the rows of its --help), its output schema from tbl/answers.h.
 *
 * TOOL(name, title, words, fixed, access, operand, options, answer, text)
 *   words    the command
 *   fixed    options that are always given
 *   access   READ: files below the root; RUN: starts a server or load, --allow-run; ASK: asks the dashboard of --dashboard
 *   operand  "" none; "file" one path; "files" one or more paths; "sides" two or more paths of 'profllm compare'
 *   options  the options that the tool accepts, separated by blanks; "name!": required
 *   answer   an ANSWER of tbl/answers.h
 * It is undefined at the end.
 */
TOOL(validate, "Validate experiments", "validate", "--json", READ, "files",
     "hardware vllm-version upgrade-to set strict allow-removed", validation,
     "Report every problem of experiment files, scripts, compose files or Kubernetes manifests that start vLLM. Starts "
     "nothing. Call it before run and sweep.")
TOOL(forecast_memory, "Forecast GPU memory", "validate", "--json --explain", READ, "files",
     "hardware vllm-version set available-memory", validation,
     "Forecast how vLLM will use the memory of a GPU with the settings of experiment files: weights, activations, KV cache "
     "and how many requests fit. Starts nothing. 'hardware' names the GPUs, such as h100x8.")
TOOL(plan_sweep, "Plan a sweep", "sweep run", "--dry-run --json", READ, "file", "hardware only", sweep_plan,
     "List the combinations that a sweep would run, those that break a rule, and the server starts. Starts nothing.")
TOOL(run, "Run one experiment", "run", "--brief", RUN, "", "config! output! set sim wait overwrite allow-removed", run_brief,
     "Start a server, send load to it, stop it and write the result. One run shows no variation between runs: repeat it, and "
     "use compare before you call a configuration better.")
TOOL(sweep, "Run a sweep", "sweep run", "--brief", RUN, "file", "output-dir! repeats resume order seed only sim wait", sweep_brief,
     "Run every combination of the section 'sweep' of an experiment file, each 'repeats' times. With 'resume' and more "
     "'repeats', only new runs are made. The combinations are not ranked: compare their 'side'.")
TOOL(compare, "Compare results", "compare", "--brief", READ, "sides", "metrics min-effect error", compare_brief,
     "Compare groups of runs with the first side. Each metric is proven better, worse or equal, or not proven, with the "
     "number of further runs that are expected to prove it. Only 'proven' findings may be reported as differences. The "
     "comparison may be repeated after every run. Give each of several comparisons a share of 5 % as 'error', such as 1% for "
     "five.")
TOOL(query_experiments, "Query results", "query experiments", "--json", ASK, "", "filter columns sort limit", experiments,
     "List results of the dashboard that match a filter, with the requested fields. Each is one run.")
TOOL(query_fields, "Find fields", "query fields", "--json", ASK, "", "search limit", fields,
     "Find the fields that filters, columns and metrics accept.")
TOOL(query_missing, "Find missing runs", "query missing", "--json", ASK, "", "filter axes limit simulated", missing,
     "Find what to run next: combinations without a result, and the repeats that decide most, with experiment files for sweep.")

#undef TOOL
