/*
 * Every option of `benchmark:` (bench serve). One row an option: the struct field, the YAML key, the
 * default, bounds, choices, --help, schema and docs are made from it.
 *
 * BENCH(type, name, default, min, max, choices, state, origin, help)
 *   type     BOOL I64 F64 TEXT JSON LIST DUR TRI (see vllm/bench_options.h)
 *   default  as YAML text; "null": none
 *   choices  separated by '|', "" for any value
 *   state    NOW, or LATER: validates, and `run` refuses it when it is set
 *   origin   VLLM (an option of vLLM's `bench serve`), OURS, or OLD_VLLM (of older releases: the
 *            experiment file has it, the command line has not, as today's vLLM)
 */
BENCH(BOOL, trust_remote_code, "false", "-inf", "inf", "", NOW, VLLM,
      "taken for vLLM's sake: no code of a tokenizer or data set is run here")
BENCH(I64, seed, "0", "0", "4294967295", "", NOW, VLLM,
      "seed of data set, arrivals and adapter choice")
BENCH(I64, num_prompts, "1000", "-inf", "100000000", "", NOW, VLLM,
      "how many requests are sent; 0 or less: all records of custom or spec_bench")
BENCH(TEXT, dataset_name, "random", "-inf", "inf", "sharegpt|burstgpt|random|random-mm|random-rerank|hf|custom|custom_audio|custom_image|prefix_repetition|spec_bench|speed_bench|timed_trace", NOW, VLLM,
      "where prompts come from")
BENCH(BOOL, no_stream, "false", "-inf", "inf", "", LATER, VLLM,
      "hf: download the whole data set instead of streaming it")
BENCH(TEXT, dataset_path, "null", "-inf", "inf", "", NOW, VLLM,
      "file, folder or hub id of the data set; ${VAR} is expanded")
BENCH(BOOL, no_oversample, "false", "-inf", "inf", "", NOW, VLLM,
      "do not repeat samples when the data set has too few")
BENCH(BOOL, skip_chat_template, "false", "-inf", "inf", "", NOW, VLLM,
      "custom: send prompts as they are, without the model's chat template")
BENCH(BOOL, enable_multimodal_chat, "false", "-inf", "inf", "", LATER, VLLM,
      "put prompt and media into chat messages when the data set is built")
BENCH(BOOL, disable_shuffle, "false", "-inf", "inf", "", NOW, VLLM,
      "keep the data set's own order")
BENCH(I64, custom_output_len, "256", "-1", "100000000", "", NOW, VLLM,
      "custom: output tokens a request; -1 takes each record's own")
BENCH(BOOL, custom_ensure_client_side_data, "false", "-inf", "inf", "", LATER, VLLM,
      "custom_image: send images inline, whatever the record says")
BENCH(I64, spec_bench_output_len, "256", "-inf", "inf", "", NOW, VLLM,
      "spec_bench: output tokens a request")
BENCH(TEXT, spec_bench_category, "null", "-inf", "inf", "", NOW, VLLM,
      "spec_bench: only this category")
BENCH(I64, sonnet_input_len, "550", "1", "100000000", "", NOW, OLD_VLLM,
      "sonnet: most prompt tokens, chat template included")
BENCH(I64, sonnet_output_len, "150", "1", "100000000", "", NOW, OLD_VLLM,
      "sonnet: output tokens a request")
BENCH(I64, sonnet_prefix_len, "200", "0", "100000000", "", NOW, OLD_VLLM,
      "sonnet: about as many tokens that all prompts share at their start")
BENCH(I64, sharegpt_output_len, "null", "1", "100000000", "", NOW, VLLM,
      "sharegpt: fixed output tokens instead of the answer's length")
BENCH(I64, timed_trace_chunk_hash_size, "16", "-inf", "inf", "", LATER, VLLM,
      "timed_trace: tokens that one hash id stands for")
BENCH(F64, timed_trace_sec_multiplier, "1", "-inf", "inf", "", LATER, VLLM,
      "timed_trace: seconds in one unit of the trace's time stamps")
BENCH(TEXT, timed_trace_label_timestamp, "timestamp", "-inf", "inf", "", LATER, VLLM,
      "timed_trace: field with the time stamp")
BENCH(TEXT, timed_trace_label_input_length, "input_length", "-inf", "inf", "", LATER, VLLM,
      "timed_trace: field with the prompt's tokens")
BENCH(TEXT, timed_trace_label_output_length, "output_length", "-inf", "inf", "", LATER, VLLM,
      "timed_trace: field with the output tokens")
BENCH(TEXT, timed_trace_label_hash_ids, "hash_ids", "-inf", "inf", "", LATER, VLLM,
      "timed_trace: field with the hash ids of the prompt's chunks")
BENCH(F64, blazedit_min_distance, "0.0", "-inf", "inf", "", LATER, VLLM,
      "blazedit: least edit distance, 0 to 1")
BENCH(F64, blazedit_max_distance, "1.0", "-inf", "inf", "", LATER, VLLM,
      "blazedit: largest edit distance, 0 to 1")
BENCH(F64, asr_max_audio_len_sec, "inf", "-inf", "inf", "", LATER, VLLM,
      "speech: longest audio taken, in seconds")
BENCH(F64, asr_min_audio_len_sec, "0.0", "-inf", "inf", "", LATER, VLLM,
      "speech: shortest audio taken, in seconds")
BENCH(I64, random_input_len, "1024", "0", "100000000", "", NOW, VLLM,
      "random: mean prompt tokens, prefix not counted")
BENCH(I64, random_output_len, "128", "0", "100000000", "", NOW, VLLM,
      "random: mean output tokens")
BENCH(TEXT, random_range_ratio, "0.0", "-inf", "inf", "", NOW, VLLM,
      "random: spread of the lengths around their mean, 0 to below 1; or {input: a, output: b}")
BENCH(I64, random_prefix_len, "0", "0", "100000000", "", NOW, VLLM,
      "random: tokens that all prompts share at their start")
BENCH(I64, random_batch_size, "1", "1", "1000000", "", NOW, VLLM,
      "random: prompts in one request of the pooling back ends")
BENCH(BOOL, no_reranker, "false", "-inf", "inf", "", LATER, VLLM,
      "random-rerank: shape the prompts for an embedding model")
BENCH(I64, random_mm_base_items_per_request, "1", "-inf", "inf", "", LATER, VLLM,
      "random-mm: media items a request on average")
BENCH(F64, random_mm_num_mm_items_range_ratio, "0.0", "-inf", "inf", "", LATER, VLLM,
      "random-mm: spread of the item count, 0 to 1")
BENCH(JSON, random_mm_limit_mm_per_prompt, "{\"image\": 255, \"video\": 1}", "-inf", "inf", "", LATER, VLLM,
      "random-mm: most items of each kind in one prompt")
BENCH(JSON, random_mm_bucket_config, "{\"(256, 256, 1)\": 0.5, \"(720, 1280, 1)\": 0.5, \"(720, 1280, 16)\": 0.0}", "-inf", "inf", "", LATER, VLLM,
      "random-mm: share of each (height, width, frames)")
BENCH(TEXT, hf_subset, "null", "-inf", "inf", "", LATER, VLLM,
      "hf: subset of the data set")
BENCH(TEXT, hf_split, "null", "-inf", "inf", "", LATER, VLLM,
      "hf: split of the data set")
BENCH(TEXT, hf_name, "null", "-inf", "inf", "", LATER, VLLM,
      "hf: the data set's name where the path is a local copy")
BENCH(I64, hf_output_len, "null", "-inf", "inf", "", LATER, VLLM,
      "hf: fixed output tokens")
BENCH(LIST, bfcl_categories, "null", "-inf", "inf", "", LATER, VLLM,
      "bfcl: categories")
BENCH(I64, prefix_repetition_prefix_len, "256", "-inf", "inf", "", NOW, VLLM,
      "prefix_repetition: tokens of each shared prefix")
BENCH(I64, prefix_repetition_suffix_len, "256", "-inf", "inf", "", NOW, VLLM,
      "prefix_repetition: tokens behind the prefix")
BENCH(I64, prefix_repetition_num_prefixes, "10", "-inf", "inf", "", NOW, VLLM,
      "prefix_repetition: how many prefixes there are")
BENCH(I64, prefix_repetition_output_len, "128", "-inf", "inf", "", NOW, VLLM,
      "prefix_repetition: output tokens a request")
BENCH(TEXT, speed_bench_dataset_subset, "qualitative", "-inf", "inf", "throughput_8k|qualitative|throughput_1k|throughput_32k|throughput_16k|throughput_2k", LATER, VLLM,
      "speed_bench: which part of the data set")
BENCH(I64, speed_bench_output_len, "4096", "-inf", "inf", "", LATER, VLLM,
      "speed_bench: output tokens a request")
BENCH(TEXT, speed_bench_category, "null", "-inf", "inf", "", LATER, VLLM,
      "speed_bench: only this category")
BENCH(TEXT, label, "null", "-inf", "inf", "", NOW, VLLM,
      "name of the run in vLLM's flat result; the back end's when unset")
BENCH(TEXT, backend, "openai", "-inf", "inf", "vllm|openai|openai-chat|openai-responses|openai-audio|openai-embeddings|openai-embeddings-chat|openai-embeddings-clip|openai-embeddings-vlm2vec|infinity-embeddings|infinity-embeddings-clip|vllm-pooling|vllm-rerank", NOW, VLLM,
      "protocol that requests are sent in")
BENCH(TEXT, base_url, "null", "-inf", "inf", "", NOW, VLLM,
      "scheme, host and port of the server in one; wins over host and port")
BENCH(TEXT, host, "null", "-inf", "inf", "", NOW, VLLM,
      "the server's host; not needed where the experiment starts the server")
BENCH(I64, port, "null", "1", "65535", "", NOW, VLLM,
      "the server's port; not needed where the experiment starts the server")
BENCH(TEXT, endpoint, "null", "-inf", "inf", "", NOW, VLLM,
      "path of the requests; unset: the back end's own")
BENCH(LIST, header, "null", "-inf", "inf", "", NOW, VLLM,
      "headers for every request, each KEY=VALUE")
BENCH(I64, max_concurrency, "null", "1", "1000000", "", NOW, VLLM,
      "most requests in flight at once; unset: no limit")
BENCH(TEXT, model, "null", "-inf", "inf", "", NOW, VLLM,
      "model named in the requests; unset: the server's first")
BENCH(I64, input_len, "null", "0", "100000000", "", NOW, VLLM,
      "prompt tokens of generated data sets, where their own option is unset")
BENCH(I64, output_len, "null", "1", "100000000", "", NOW, VLLM,
      "output tokens of every data set that takes a length")
BENCH(TEXT, tokenizer, "null", "-inf", "inf", "", NOW, VLLM,
      "tokenizer of the data set; unset: the model's")
BENCH(TEXT, tokenizer_mode, "auto", "-inf", "inf", "", NOW, VLLM,
      "kind of tokenizer; recorded: lengths are counted by the server's")
BENCH(BOOL, use_beam_search, "false", "-inf", "inf", "", NOW, VLLM,
      "taken for vLLM's sake; its own client does nothing with it")
BENCH(I64, logprobs, "null", "-inf", "inf", "", NOW, VLLM,
      "completions: log probabilities asked for each token")
BENCH(F64, request_rate, "inf", "1e-9", "inf", "", NOW, VLLM,
      "mean arrivals a second; inf sends all at once")
BENCH(F64, burstiness, "1.0", "1e-6", "inf", "", NOW, VLLM,
      "shape of the gamma between arrivals; 1 is Poisson, less is burstier")
BENCH(F64, probe_request_rate, "0.0", "0", "1000", "", NOW, VLLM,
      "tiny probe requests a second beside the load")
BENCH(BOOL, disable_tqdm, "false", "-inf", "inf", "", NOW, VLLM,
      "show no progress line; stages, notes and names of files still")
BENCH(I64, num_warmups, "0", "0", "1000000", "", NOW, VLLM,
      "requests sent before the measured ones and not counted")
BENCH(BOOL, profile, "false", "-inf", "inf", "", NOW, VLLM,
      "ask the server to profile while the run goes on")
BENCH(BOOL, save_result, "false", "-inf", "inf", "", NOW, VLLM,
      "write vLLM's flat result file; its last key, profllm, holds the whole result")
BENCH(BOOL, save_detailed, "false", "-inf", "inf", "", NOW, VLLM,
      "keep per-request lists in vLLM's flat result file")
BENCH(BOOL, append_result, "false", "-inf", "inf", "", NOW, VLLM,
      "append to vLLM's flat result file, one line a run")
BENCH(LIST, metadata, "null", "-inf", "inf", "", NOW, VLLM,
      "keys for vLLM's flat result, each KEY=VALUE")
BENCH(TEXT, result_dir, "null", "-inf", "inf", "", NOW, VLLM,
      "folder of vLLM's flat result file")
BENCH(TEXT, result_filename, "null", "-inf", "inf", "", NOW, VLLM,
      "name of vLLM's flat result file; unset: label, rate, model and date")
BENCH(BOOL, ignore_eos, "false", "-inf", "inf", "", NOW, VLLM,
      "ask for the whole output length whatever the model says")
BENCH(TRI, self_timed, "null", "-inf", "inf", "", LATER, VLLM,
      "timed_trace: send at the trace's own times")
BENCH(TEXT, percentile_metrics, "null", "-inf", "inf", "", NOW, VLLM,
      "metrics shown and saved, separated by commas: ttft, tpot, itl, e2el, client_queue_time, e2el_including_client_queue; unset: ttft,tpot,itl")
BENCH(TEXT, metric_percentiles, "99", "-inf", "inf", "", NOW, VLLM,
      "percentiles to show, separated by commas")
BENCH(LIST, goodput, "null", "-inf", "inf", "", NOW, VLLM,
      "limits in ms a good request keeps, each NAME:MS of ttft, tpot, e2el")
BENCH(TEXT, request_id_prefix, "null", "-inf", "inf", "", NOW, VLLM,
      "start of each x-request-id; unset: a random one")
BENCH(F64, top_p, "null", "-inf", "inf", "", NOW, VLLM,
      "sampling: smallest set of tokens with this probability")
BENCH(I64, top_k, "null", "-inf", "inf", "", NOW, VLLM,
      "sampling: from this many likeliest tokens")
BENCH(F64, min_p, "null", "-inf", "inf", "", NOW, VLLM,
      "sampling: tokens at least this likely against the likeliest")
BENCH(F64, temperature, "null", "-inf", "inf", "", NOW, VLLM,
      "sampling: 0 is greedy")
BENCH(F64, frequency_penalty, "null", "-inf", "inf", "", NOW, VLLM,
      "sampling: against tokens by how often they came")
BENCH(F64, presence_penalty, "null", "-inf", "inf", "", NOW, VLLM,
      "sampling: against tokens that came at all")
BENCH(F64, repetition_penalty, "null", "-inf", "inf", "", NOW, VLLM,
      "sampling: against tokens of prompt and output; 1 is none")
BENCH(TEXT, served_model_name, "null", "-inf", "inf", "", NOW, VLLM,
      "model name in the payload where it differs from the model")
BENCH(LIST, lora_modules, "null", "-inf", "inf", "", NOW, VLLM,
      "adapters that requests are spread over")
BENCH(TEXT, lora_assignment, "random", "-inf", "inf", "random|round-robin", NOW, VLLM,
      "how adapters are spread over requests")
BENCH(TEXT, ramp_up_strategy, "null", "-inf", "inf", "linear|exponential", NOW, VLLM,
      "how the rate grows from ramp_up_start_rps to ramp_up_end_rps; takes the place of request_rate")
BENCH(I64, ramp_up_start_rps, "null", "0", "1000000000", "", NOW, VLLM,
      "arrivals a second at the start of the ramp")
BENCH(I64, ramp_up_end_rps, "null", "0", "1000000000", "", NOW, VLLM,
      "arrivals a second at the end of the ramp")
BENCH(TEXT, ramp_up_by, "index", "", "", "index|time", NOW, OURS,
      "what the ramp runs over: the request's index, as vLLM's, or time")
BENCH(I64, ready_check_timeout_sec, "0", "0", "1000000", "", NOW, VLLM,
      "seconds in which a test request is repeated until it works; 0: none")
BENCH(JSON, chat_template_kwargs, "null", "-inf", "inf", "", NOW, VLLM,
      "custom: arguments of the chat template, an object")
BENCH(JSON, extra_body, "null", "-inf", "inf", "", NOW, VLLM,
      "keys merged into each request's body")
BENCH(BOOL, skip_tokenizer_init, "false", "-inf", "inf", "", NOW, VLLM,
      "custom: use no tokenizer, and leave out the figures that need one")
BENCH(BOOL, insecure, "false", "-inf", "inf", "", NOW, VLLM,
      "take any TLS certificate")
BENCH(BOOL, plot_timeline, "false", "-inf", "inf", "", NOW, VLLM,
      "write a time line of the requests, an HTML page beside the result")
BENCH(TEXT, timeline_itl_thresholds, "25,50", "-inf", "inf", "", NOW, VLLM,
      "the two limits in ms that colour the time line's gaps between tokens")
BENCH(BOOL, plot_dataset_stats, "false", "-inf", "inf", "", NOW, VLLM,
      "draw the lengths of prompts and outputs, a PNG beside the result (needs libcairo2)")
BENCH(TEXT, kind, "serve", "", "", "serve|latency|throughput|startup", NOW, OURS,
      "what is measured; only serve is in this version")
BENCH(TEXT, client, "native", "", "", "native|vllm", NOW, OURS,
      "whose load generator: our own, or vllm bench serve as a child whose result is taken in")
BENCH(DUR, request_timeout, "6h", "1ms", "9h", "", NOW, OURS,
      "one request from its start; longer ones fail")
BENCH(DUR, stall_timeout, "60s", "1ms", "9h", "", NOW, OURS,
      "no byte from any stream while some are open ends the run")
BENCH(I64, retries, "0", "0", "100", "", NOW, OURS,
      "further tries of a request that could not be sent, got no answer, or 408, 425, 429, 502, 503 or 504; its clock starts at the first")
BENCH(DUR, retry_delay, "500ms", "0s", "1h", "", NOW, OURS,
      "pause before the second try, twice that before the third, and so on; 429 and 503 may name their own (Retry-After, up to 60s)")
BENCH(LIST, source_addresses, "null", "-inf", "inf", "", NOW, OURS,
      "addresses of this host that new connections are made from in turn; unset: the kernel's choice")
BENCH(F64, max_error_share, "0.01", "0", "1", "", NOW, OURS,
      "share of failed requests above which the status is partial")
BENCH(I64, repeats, "1", "1", "1000", "", LATER, OURS,
      "how often the measured run is repeated")
BENCH(JSON, stop_when, "null", "", "", "", LATER, OURS,
      "stop early once an interval is narrow enough")
BENCH(I64, threads, "1", "1", "256", "", NOW, OURS,
      "load generator workers")
BENCH(BOOL, realtime, "false", "", "", "", NOW, OURS,
      "ask for SCHED_FIFO for the workers")
BENCH(BOOL, immediate_acks, "false", "", "", "", NOW, OURS,
      "acknowledge each segment at once, also where an unmeasured request showed that the server does not wait for that; costs CPU time")
BENCH(BOOL, continuous_usage, "false", "", "", "", NOW, OURS,
      "ask the server for usage in every event: exact tokens of each event")
BENCH(BOOL, prompt_token_ids, "false", "", "", "", NOW, OURS,
      "random: send token ids instead of text")
BENCH(I64, vocab_size, "null", "1", "100000000", "", NOW, OURS,
      "vocabulary size for random prompts where no tokenizer tells it")
