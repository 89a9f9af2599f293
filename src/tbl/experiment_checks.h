/*
 * The checks of an experiment that do not depend on the state of the host. `validate`, `run` and `bench serve` run
 * this list (experiment/check.h). Each row is a function exp_check_ID, and its id is the `reason` of its problems.
 *
 * CHECK(id, phase, force, where, text)
 *   phase   ALONE: reads the experiment only, directly after parsing; TARGET: also uses the release, the GPUs and
 *           the model
 *   force   FIRM: always applies; FORCE: `run --force` ignores it
 *   where   ALL; FLAGS: applies to the command line of `bench serve` only; LOAD: applies if load is sent to a server,
 *           not to benchmarks that run an engine themselves
 *   text    the condition that holds if the check finds nothing
 * CHECK is undefined at the end.
 */
CHECK(launch, ALONE, FIRM, ALL, "exactly one server is named, to start or already running, with a valid URL, environment and command")
CHECK(container, TARGET, FIRM, ALL, "the container of the server has a runtime, an image and no option that the run sets itself")
CHECK(hardware, ALONE, FIRM, ALL, "the GPUs of a running server have a known name, and those of this host are detected")
CHECK(launch_words, ALONE, FIRM, ALL, "arguments that are passed on unchecked contain no secret and no setting that the run must know")
CHECK(gpus, ALONE, FIRM, ALL, "only one setting selects the GPUs of the server")
CHECK(header, ALONE, FIRM, ALL, "headers are KEY=VALUE without line breaks")
CHECK(metadata, ALONE, FIRM, ALL, "metadata entries are KEY=VALUE")
CHECK(goodput, ALONE, FIRM, ALL, "limits are NAME:MILLISECONDS with ttft, tpot or e2el")
CHECK(percentiles, ALONE, FIRM, ALL, "percentiles are numbers from 0 to 100")
CHECK(percentile_metrics, ALONE, FIRM, ALL, "the metrics to show are known")
CHECK(thresholds, ALONE, FIRM, ALL, "the thresholds of the timeline are two numbers")
CHECK(range_ratio, ALONE, FIRM, ALL, "the range ratio is at least 0 and below 1")
CHECK(random_prompts, ALONE, FIRM, LOAD, "random prompts have at least one token")
CHECK(prefix_prompts, ALONE, FIRM, LOAD, "prompts with shared prefixes have at least one token, and each prefix has a prompt")
CHECK(output_length, ALONE, FIRM, LOAD, "responses have at least one token")
CHECK(token_ids, ALONE, FIRM, LOAD, "token ids are sent only to a backend that accepts them")
CHECK(prompts_per_request, ALONE, FIRM, LOAD, "several prompts are put into one request only for a backend that accepts lists")
CHECK(pairs, ALONE, FIRM, LOAD, "a backend for reranking gets queries with documents, and they go to a backend that accepts them")
CHECK(media, ALONE, FIRM, LOAD, "images, videos and audio go to a backend that sends them, and a backend for audio gets audio")
CHECK(random_media, ALONE, FIRM, LOAD, "the sizes, shares and limits of generated media are valid")
CHECK(ramp, ALONE, FIRM, ALL, "a ramp has two rates, the second at least the first, and no other rate is set")
CHECK(dataset_file, ALONE, FIRM, LOAD, "a dataset from a file has a path, and a generated one has none")
CHECK(dataset_tokenizer, ALONE, FIRM, LOAD, "the tokenizer is turned off only for a dataset that needs none")
CHECK(num_prompts, ALONE, FIRM, LOAD, "at least one request is sent")
CHECK(self_timed, ALONE, FIRM, ALL, "only a trace has its own send times")
CHECK(profile_window, ALONE, FIRM, ALL, "the server profiles the whole run or a part of it")
CHECK(warm_prompts, ALONE, FIRM, LOAD, "warm prompts share tokens, and are sent as token ids")
CHECK(multi_turn, ALONE, FIRM, LOAD, "conversations are chats, and come from a dataset with turns")
CHECK(cache_bust, ALONE, FIRM, ALL, "only a trace keeps its prompts out of the prefix cache")
CHECK(request_id_prefix, ALONE, FIRM, ALL, "request ids fit into a header")
CHECK(endpoint, ALONE, FIRM, LOAD, "the endpoint matches the backend")
CHECK(source_addresses, ALONE, FIRM, ALL, "source addresses are valid and distinct")
CHECK(pictures, ALONE, FIRM, FLAGS, "an image needs a result file, because it is written next to it")
CHECK(vllm_client, ALONE, FIRM, ALL, "vLLM's client supports the options, and its command line contains no secret")
CHECK(profiling, ALONE, FIRM, ALL, "the server can be profiled in the requested way")
CHECK(idle, ALONE, FIRM, LOAD, "an option that is set has an effect")
CHECK(kind_options, TARGET, FIRM, ALL, "the options apply to the kind of benchmark")
CHECK(kind_mode, TARGET, FIRM, ALL, "the mode supports the kind of benchmark")
CHECK(offline_latency, TARGET, FIRM, ALL, "a prompt and its response fit into the model length")
CHECK(offline_throughput, TARGET, FIRM, ALL, "the options of a throughput benchmark are compatible")
CHECK(offline_startup, ALONE, FIRM, ALL, "at least one start is measured")
CHECK(nothing_to_run, TARGET, FORCE, ALL, "the experiment has something to run")
CHECK(release, TARGET, FORCE, ALL, "the target release is valid")
CHECK(newer_release, TARGET, FORCE, ALL, "the target release is not newer than the reference release; otherwise a warning")
CHECK(not_in_release, TARGET, FORCE, ALL, "the target release has the arguments and choices, and the keys that they need are set")
CHECK(parser, TARGET, FORCE, LOAD, "the target release has the tool and reasoning parsers (tbl/parsers.h)")
CHECK(variable, TARGET, FORCE, ALL, "the target release has vLLM's environment variables (tbl/variables.h)")
CHECK(headless, TARGET, FIRM, ALL, "the server has an API")
CHECK(model_name, TARGET, FORCE, ALL, "the model has a name")
CHECK(placeholder, TARGET, FORCE, ALL, "every *** is replaced by its secret again")
CHECK(rule, TARGET, FORCE, ALL, "vLLM's rules between arguments hold (tbl/constraints.h)")
CHECK(model, TARGET, FORCE, ALL, "the arguments fit the model, and the model fits into the memory")
CHECK(not_in_this_version, TARGET, FIRM, ALL, "this version supports the setting; a warning if nothing runs")

#undef CHECK
