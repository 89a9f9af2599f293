/*
 * Every check of an experiment that needs no look at the host, once. `validate`, `run` and `bench serve` go through
 * this list (experiment/check.h); each row is a function exp_check_ID, and its id is the `reason` of what it finds.
 *
 * CHECK(id, phase, force, where, text)
 *   phase   ALONE: asks the experiment alone, as soon as it is read; TARGET: asks what is known of the release, the
 *           GPUs and the model too
 *   force   FIRM: nothing passes over it; FORCE: `run --force` does
 *   where   ALL; FLAGS: holds for the command line of `bench serve` only; LOAD: where a load is sent to a server,
 *           not for benchmarks that run an engine of their own
 * Undefined again at the end.
 */
CHECK(launch, ALONE, FIRM, ALL, "a server is started or runs already; its URL, environment and command can be")
CHECK(launch_words, ALONE, FIRM, ALL, "words that are passed on unchecked hold no secret and nothing that the run itself must know")
CHECK(gpus, ALONE, FIRM, ALL, "one place says which GPUs the server has")
CHECK(header, ALONE, FIRM, ALL, "headers are KEY=VALUE in one line")
CHECK(metadata, ALONE, FIRM, ALL, "metadata are KEY=VALUE")
CHECK(goodput, ALONE, FIRM, ALL, "limits are NAME:MILLISECONDS of ttft, tpot, e2el")
CHECK(percentiles, ALONE, FIRM, ALL, "percentiles are numbers from 0 to 100")
CHECK(percentile_metrics, ALONE, FIRM, ALL, "metrics that are shown are known")
CHECK(thresholds, ALONE, FIRM, ALL, "the time line's thresholds are two numbers")
CHECK(range_ratio, ALONE, FIRM, ALL, "a spread of lengths is from 0 to below 1")
CHECK(random_prompts, ALONE, FIRM, LOAD, "random prompts have a token")
CHECK(prefix_prompts, ALONE, FIRM, LOAD, "prompts with shared prefixes have a token, and each prefix a prompt")
CHECK(output_length, ALONE, FIRM, LOAD, "answers have a token")
CHECK(token_ids, ALONE, FIRM, LOAD, "token ids are sent where the backend takes them")
CHECK(ramp, ALONE, FIRM, ALL, "a ramp has two rates, the second not below the first, and no other rate beside it")
CHECK(dataset_file, ALONE, FIRM, LOAD, "a dataset that is read has a file, one that is made up has none")
CHECK(dataset_tokenizer, ALONE, FIRM, LOAD, "a tokenizer is left out only where a dataset needs none")
CHECK(num_prompts, ALONE, FIRM, LOAD, "some request is sent")
CHECK(self_timed, ALONE, FIRM, ALL, "only a trace has send times of its own")
CHECK(request_id_prefix, ALONE, FIRM, ALL, "a request's name fits into a header")
CHECK(endpoint, ALONE, FIRM, LOAD, "the path of requests is the backend's")
CHECK(source_addresses, ALONE, FIRM, ALL, "source addresses are addresses, each once")
CHECK(pictures, ALONE, FIRM, FLAGS, "a picture has a result to lie beside")
CHECK(vllm_client, ALONE, FIRM, ALL, "vLLM's client is asked for what it can do, and no secret stands on its command line")
CHECK(idle, ALONE, FIRM, LOAD, "an option that is set does something")
CHECK(kind_options, TARGET, FIRM, ALL, "options are those of the kind of benchmark")
CHECK(kind_mode, TARGET, FIRM, ALL, "a benchmark runs where it can be measured")
CHECK(offline_latency, TARGET, FIRM, ALL, "a prompt and its answer fit into the model's length")
CHECK(offline_throughput, TARGET, FIRM, ALL, "the options of a throughput benchmark go together")
CHECK(offline_startup, ALONE, FIRM, ALL, "some start is measured")
CHECK(nothing_to_run, TARGET, FORCE, ALL, "there is something to run")
CHECK(release, TARGET, FORCE, ALL, "the target release is one")
CHECK(newer_release, TARGET, FORCE, ALL, "the target release is not newer than the reference: a warning")
CHECK(not_in_release, TARGET, FORCE, ALL, "arguments and choices are the target release's, with the keys that they need")
CHECK(parser, TARGET, FORCE, LOAD, "tool and reasoning parsers are the target release's (tbl/parsers.h)")
CHECK(variable, TARGET, FORCE, ALL, "vLLM's environment variables are the target release's (tbl/variables.h)")
CHECK(headless, TARGET, FIRM, ALL, "the server has an API")
CHECK(model_name, TARGET, FORCE, ALL, "the model has a name")
CHECK(placeholder, TARGET, FORCE, ALL, "*** was put back by the secret it stands for")
CHECK(rule, TARGET, FORCE, ALL, "the rules of vLLM between arguments (tbl/constraints.h)")
CHECK(model, TARGET, FORCE, ALL, "the arguments fit the model, and the model the memory")
CHECK(not_in_this_version, TARGET, FIRM, ALL, "this version can do it; a warning where nothing is to run now")

#undef CHECK
