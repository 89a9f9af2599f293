/*
 * Every option of `benchmark:` (bench serve). Each row defines an option: the struct field, YAML key,
 * flag, default, bounds, choices, --help, schema and docs are made from it.
 *
 * BENCH(type, style, name, flag, default, min, max, help, …)
 *   type     BOOL INT FLOAT STRING JSON LIST_STRING DURATION TRI (option/member.h: the field's)
 *   style    VALUE, FLAG (--x only), TOGGLE (--x, --no-x), WORDS (--x a b; .words_least)
 *   flag     NULL: not on the command line
 *   default  as JSON, durations and infinities as texts; null: none
 *   min max  inclusive; durations as 1 * MS
 *   …        further members of struct option_row, by name
 *
 * .later: it is valid, but `run` refuses it if it is set. .ours: not an option of vLLM. .gone: only in
 * older releases; accepted in an experiment file, but not on the command line, like today's vLLM.
 * .offline: only in vLLM's offline benchmarks (tbl/bench_kinds.h has their flags), not on the command
 * line. .group is one of tbl/bench_groups.h; within it help, manual page and
 * docs/reference/bench-serve.md list options in the order of the rows, except those with .after
 * another one. Rows are in the order of vLLM's parser, followed by ours; the result has this order.
 * .verdict, .remark and .value_notes describe differences from `vllm bench serve` 0.33
 * (docs/from-vllm-bench.md); .older_values maps values of older releases to today's.
 */
BENCH(BOOL, FLAG, trust_remote_code, "--trust-remote-code", false, -INF, INF,
    "accept the flag for compatibility; ProfLLM runs no code of tokenizers or datasets",
    .group = "Dataset", .after = "skip_tokenizer_init", .verdict = OPTION_EQUAL,
    .remark = "accepted without effect: ProfLLM runs no code of tokenizers or datasets")
BENCH(INT, VALUE, seed, "--seed", 0, 0, 4294967295,
    "seed dataset, arrivals and adapter choice with this number",
    .group = "Dataset", .after = "output_len")
BENCH(INT, VALUE, num_prompts, "--num-prompts", 1000, -INF, 100000000,
    "send N requests; 0 or less: all records of custom, custom_audio, custom_image, spec_bench, speed_bench or timed_trace",
    .group = "Dataset", .after = "dataset_path")
BENCH(STRING, VALUE, dataset_name, "--dataset-name", "random", -INF, INF,
    "take the prompts from this source",
    .group = "Dataset", .file_choices = ARG_JSON(["sonnet"]), .verdict = OPTION_EQUAL,
    .remark = "see the values below",
    .choices = ARG_JSON(["sharegpt", "burstgpt", "random", "random-mm", "random-rerank", "hf",
        "custom", "custom_audio", "custom_image", "prefix_repetition", "spec_bench",
        "speed_bench", "timed_trace"]),
    .value_notes = NOTES(
        { "random", OPTION_MORE,
          "if the server has no `/tokenize`, prompts are sent as token ids, and the result records it" },
        { "sharegpt", OPTION_DIFFERENT,
          "images and videos of the entries are skipped, and the result records it" },
        { "custom", OPTION_MORE,
          "the server applies the chat template; errors name `file:line`" },
        { "prefix_repetition", OPTION_MORE,
          "token ids if the server has no `/tokenize`; no `x-request-id`, as in vLLM" },
        { "burstgpt", OPTION_MORE,
          "token ids where there is no `/tokenize`" },
        { "hf", OPTION_DIFFERENT,
          "reads the files of this host and downloads nothing; datasets of images, videos and audio are not supported yet" },
        { "spec_bench", OPTION_MORE,
          "the server applies the chat template; errors name `file:line`" },
        { "speed_bench", OPTION_MORE,
          "the server applies the chat template; errors name `file:line`" },
        { "timed_trace", OPTION_MORE,
          "also CSV traces of Azure, BurstGPT and Vidur, and OpenTelemetry spans; every run has the same prompts" },
        { "random-mm", OPTION_DIFFERENT,
          "images alone; equal pixels, and equal bytes with libjpeg-turbo 2.1" },
        { "custom_audio", OPTION_DIFFERENT,
          "WAV and FLAC files; `openai-chat` gets them with or without `--enable-multimodal-chat`" },
        { "custom_image", OPTION_MORE,
          "errors name `file:line`" }),
    .older_values = HINTS(
        { "sonnet", "removed in vLLM 0.32; use an experiment file (profllm run), or "
                    "--dataset-name random without --dataset-path" },
        { "custom_mm", "renamed to custom_image" }))
BENCH(BOOL, FLAG, no_stream, "--no-stream", false, -INF, INF,
    "hf: shuffle all records instead of a stream of them",
    .group = "Dataset hf", .after = "hf_output_len",
    .verdict = OPTION_DIFFERENT,
    .remark = "the order is that of the whole dataset, as in vLLM; nothing is downloaded")
BENCH(STRING, VALUE, dataset_path, "--dataset-path", null, -INF, INF,
    "read the dataset from this file, directory or hub id; ${VAR} is expanded",
    .nullable = true, .group = "Dataset", .expand = true, .aside = true)
BENCH(BOOL, FLAG, no_oversample, "--no-oversample", false, -INF, INF,
    "do not repeat samples when the dataset has too few",
    .group = "Dataset", .after = "disable_shuffle")
BENCH(BOOL, FLAG, skip_chat_template, "--skip-chat-template", false, -INF, INF,
    "custom: send prompts without the chat template of the model",
    .group = "Dataset", .after = "no_oversample")
BENCH(BOOL, FLAG, enable_multimodal_chat, "--enable-multimodal-chat", false, -INF, INF,
    "put prompt and media into chat messages when the dataset is built",
    .group = "Dataset", .after = "trust_remote_code", .later = true)
BENCH(BOOL, FLAG, disable_shuffle, "--disable-shuffle", false, -INF, INF,
    "keep the order of the dataset",
    .group = "Dataset", .after = "seed")
BENCH(INT, VALUE, custom_output_len, "--custom-output-len", 256, -1, 100000000,
    "custom: request N output tokens; -1: the number in each record",
    .group = "Other datasets", .after = "sharegpt_output_len")
BENCH(BOOL, FLAG, custom_ensure_client_side_data, "--custom-ensure-client-side-data",
    false, -INF, INF,
    "custom_image: always send images inline",
    .group = "Other datasets", .after = "custom_output_len", .verdict = OPTION_DIFFERENT,
    .remark = "the bytes of a file are sent as they are, and not encoded again as JPEG")
BENCH(INT, VALUE, spec_bench_output_len, "--spec-bench-output-len", 256, -INF, INF,
    "spec_bench: request N output tokens",
    .group = "Other datasets", .after = "prefix_repetition_output_len")
BENCH(STRING, VALUE, spec_bench_category, "--spec-bench-category", null, -INF, INF,
    "spec_bench: use only records of this category",
    .nullable = true, .group = "Other datasets", .after = "spec_bench_output_len")
BENCH(INT, VALUE, sonnet_input_len, "--sonnet-input-len", 550, 1, 100000000,
    "sonnet: limit prompts to N tokens, including the chat template",
    .gone = true)
BENCH(INT, VALUE, sonnet_output_len, "--sonnet-output-len", 150, 1, 100000000,
    "sonnet: request N output tokens",
    .gone = true)
BENCH(INT, VALUE, sonnet_prefix_len, "--sonnet-prefix-len", 200, 0, 100000000,
    "sonnet: start all prompts with the same N tokens, approximately",
    .gone = true)
BENCH(INT, VALUE, sharegpt_output_len, "--sharegpt-output-len", null, 1, 100000000,
    "sharegpt: request N output tokens (default: the length of the recorded response)",
    .nullable = true, .group = "Other datasets")
BENCH(INT, VALUE, timed_trace_chunk_hash_size, "--timed-trace-chunk-hash-size", 16, 1, 1000000,
    "timed_trace: count N tokens per hash id",
    .group = "Traces")
BENCH(FLOAT, VALUE, timed_trace_sec_multiplier, "--timed-trace-sec-multiplier", 1, 1e-12, 1e12,
    "timed_trace: multiply timestamps by N to get seconds",
    .group = "Traces", .verdict = OPTION_MORE, .after = "timed_trace_chunk_hash_size",
    .remark = "the first request is sent at once; vLLM waits for its timestamp")
BENCH(STRING, VALUE, timed_trace_label_timestamp, "--timed-trace-label-timestamp",
    "timestamp", -INF, INF,
    "timed_trace: read the timestamp from this field",
    .group = "Traces", .after = "timed_trace_sec_multiplier")
BENCH(STRING, VALUE, timed_trace_label_input_length, "--timed-trace-label-input-length",
    "input_length", -INF, INF,
    "timed_trace: read the number of prompt tokens from this field",
    .group = "Traces", .after = "timed_trace_label_timestamp")
BENCH(STRING, VALUE, timed_trace_label_output_length, "--timed-trace-label-output-length",
    "output_length", -INF, INF,
    "timed_trace: read the number of output tokens from this field",
    .group = "Traces", .after = "timed_trace_label_input_length")
BENCH(STRING, VALUE, timed_trace_label_hash_ids, "--timed-trace-label-hash-ids",
    "hash_ids", -INF, INF,
    "timed_trace: read the hash ids of the prompt's chunks from this field",
    .group = "Traces", .after = "timed_trace_label_output_length")
BENCH(FLOAT, VALUE, blazedit_min_distance, "--blazedit-min-distance", 0.0, -INF, INF,
    "blazedit: skip records with a smaller edit distance, 0 to 1",
    .group = "Dataset hf", .after = "asr_max_audio_len_sec")
BENCH(FLOAT, VALUE, blazedit_max_distance, "--blazedit-max-distance", 1.0, -INF, INF,
    "blazedit: skip records with a larger edit distance, 0 to 1",
    .group = "Dataset hf", .after = "blazedit_min_distance")
BENCH(FLOAT, VALUE, asr_max_audio_len_sec, "--asr-max-audio-len-sec", "inf", -INF, INF,
    "speech: skip audio longer than N seconds",
    .group = "Dataset hf", .after = "asr_min_audio_len_sec", .later = true)
BENCH(FLOAT, VALUE, asr_min_audio_len_sec, "--asr-min-audio-len-sec", 0.0, -INF, INF,
    "speech: skip audio shorter than N seconds",
    .group = "Dataset hf", .after = "no_stream", .later = true)
BENCH(INT, VALUE, random_input_len, "--random-input-len", 1024, 0, 100000000,
    "random: send N prompt tokens on average, without the prefix",
    .group = "Dataset random")
BENCH(INT, VALUE, random_output_len, "--random-output-len", 128, 0, 100000000,
    "random: request N output tokens on average",
    .group = "Dataset random")
BENCH(STRING, VALUE, random_range_ratio, "--random-range-ratio", "0.0", -INF, INF,
    "random: spread the lengths around their mean by this share, 0 to below 1; or {input: a, output: b}",
    .group = "Dataset random", .verdict = OPTION_EQUAL,
    .remark = "a number, or JSON with `input` and `output`")
BENCH(INT, VALUE, random_prefix_len, "--random-prefix-len", 0, 0, 100000000,
    "random: start all prompts with the same N tokens",
    .group = "Dataset random")
BENCH(INT, VALUE, random_batch_size, "--random-batch-size", 1, 1, 1000000,
    "random: put N prompts into one request of the pooling backends",
    .group = "Dataset random", .verdict = OPTION_EQUAL,
    .remark = "refused for a backend that takes one prompt per request; vLLM fails at the first request")
BENCH(BOOL, FLAG, no_reranker, "--no-reranker", false, -INF, INF,
    "random-rerank: shape the prompts for an embedding model",
    .group = "Other datasets", .after = "random_mm_bucket_config")
BENCH(INT, VALUE, random_mm_base_items_per_request, "--random-mm-base-items-per-request",
    1, 0, 65536,
    "random-mm: send N media items per request on average",
    .group = "Other datasets")
BENCH(FLOAT, VALUE, random_mm_num_mm_items_range_ratio, "--random-mm-num-mm-items-range-ratio",
    0.0, 0, 1,
    "random-mm: spread the number of items by this share, 0 to 1",
    .group = "Other datasets")
BENCH(JSON, VALUE, random_mm_limit_mm_per_prompt, "--random-mm-limit-mm-per-prompt",
    "{\"image\": 255, \"video\": 1}", -INF, INF,
    "random-mm: limit the items of each kind in one prompt",
    .group = "Other datasets")
BENCH(JSON, VALUE, random_mm_bucket_config, "--random-mm-bucket-config",
    "{\"(256, 256, 1)\": 0.5, \"(720, 1280, 1)\": 0.5, \"(720, 1280, 16)\": 0.0}", -INF, INF,
    "random-mm: draw item sizes with these shares, each (height, width, frames)",
    .group = "Other datasets", .verdict = OPTION_MORE,
    .remark = "refused before the first request where a size, a share or the image library is missing",
    .literal = true)
BENCH(STRING, VALUE, hf_subset, "--hf-subset", null, -INF, INF,
    "hf: use this subset of the dataset",
    .nullable = true, .group = "Dataset hf")
BENCH(STRING, VALUE, hf_split, "--hf-split", null, -INF, INF,
    "hf: use this split of the dataset",
    .nullable = true, .group = "Dataset hf")
BENCH(STRING, VALUE, hf_name, "--hf-name", null, -INF, INF,
    "hf: apply the rules of this dataset of the hub to the files of dataset_path",
    .nullable = true, .group = "Dataset hf")
BENCH(INT, VALUE, hf_output_len, "--hf-output-len", null, -INF, INF,
    "hf: request N output tokens",
    .nullable = true, .group = "Dataset hf")
BENCH(LIST_STRING, VALUE, bfcl_categories, "--bfcl-categories", null, -INF, INF,
    "hf, BFCL: use the files of these categories (default: simple, live_simple, multiple)",
    .nullable = true, .group = "Dataset hf", .commas = true, .joined = true)
BENCH(INT, VALUE, prefix_repetition_prefix_len, "--prefix-repetition-prefix-len", 256, -INF, INF,
    "prefix_repetition: put N tokens into each shared prefix",
    .group = "Other datasets", .after = "custom_ensure_client_side_data")
BENCH(INT, VALUE, prefix_repetition_suffix_len, "--prefix-repetition-suffix-len", 256, -INF, INF,
    "prefix_repetition: append N tokens to the prefix",
    .group = "Other datasets", .after = "prefix_repetition_prefix_len")
BENCH(INT, VALUE, prefix_repetition_num_prefixes, "--prefix-repetition-num-prefixes", 10, -INF, INF,
    "prefix_repetition: generate N prefixes",
    .group = "Other datasets", .after = "prefix_repetition_suffix_len", .verdict = OPTION_EQUAL,
    .remark = "the remainder of the division is not sent, as in vLLM; the result records it")
BENCH(INT, VALUE, prefix_repetition_output_len, "--prefix-repetition-output-len", 128, -INF, INF,
    "prefix_repetition: request N output tokens",
    .group = "Other datasets", .after = "prefix_repetition_num_prefixes")
BENCH(STRING, VALUE, speed_bench_dataset_subset, "--speed-bench-dataset-subset",
    "qualitative", -INF, INF,
    "speed_bench: use this part of the dataset",
    .group = "Other datasets", .own_aliases = "--speed-bench-config",
    .choices = ARG_JSON(["throughput_8k", "qualitative", "throughput_1k", "throughput_32k",
        "throughput_16k", "throughput_2k"]))
BENCH(INT, VALUE, speed_bench_output_len, "--speed-bench-output-len", 4096, -INF, INF,
    "speed_bench: request N output tokens",
    .group = "Other datasets")
BENCH(STRING, VALUE, speed_bench_category, "--speed-bench-category", null, -INF, INF,
    "speed_bench: use only records of this category",
    .nullable = true, .group = "Other datasets")
BENCH(INT, VALUE, speed_bench_max_input_len, "--speed-bench-max-input-len", null, 1, 100000000,
    "speed_bench: skip records whose prompt has more than N tokens",
    .nullable = true, .group = "Other datasets", .after = "speed_bench_category", .ours = true,
    .columnless = true)
BENCH(STRING, VALUE, label, "--label", null, -INF, INF,
    "name the run in vLLM's flat result (default: the name of the backend)",
    .nullable = true, .group = "Metrics and files", .after = "result_filename",
    .verdict = OPTION_MORE, .remark = "also the name of the experiment in the full result",
    .aside = true)
BENCH(STRING, VALUE, backend, "--backend", "openai", -INF, INF,
    "send requests in this protocol",
    .group = "Server", .after = "port", .verdict = OPTION_EQUAL, .remark = "see the values below",
    .choices = ARG_JSON(["vllm", "openai", "openai-chat", "openai-responses", "openai-audio",
        "openai-embeddings", "openai-embeddings-chat", "openai-embeddings-clip",
        "openai-embeddings-vlm2vec", "infinity-embeddings", "infinity-embeddings-clip",
        "vllm-pooling", "vllm-rerank"]),
    .file_choices = ARG_JSON(["vllm-chat", "hf", "mii"]),
    .value_notes = NOTES(
        { "openai", OPTION_MORE,
          "comments, CRLF and split events lose no tokens; an error inside a stream fails the request" },
        { "vllm", OPTION_MORE,
          "the same as `openai`, as in vLLM" },
        { "openai-chat", OPTION_MORE,
          "like `openai`; `*_first_token_ms` ignores the role-only event" },
        { "openai-responses", OPTION_MORE,
          "like `openai`; usage is in the last event" },
        { "openai-audio", OPTION_MORE,
          "recordings of `custom_audio`; files are sent as they are; a comment in the stream fails no request" },
        { "openai-embeddings-clip", OPTION_DIFFERENT,
          "images of `custom_image`; `sharegpt` has none" },
        { "openai-embeddings-vlm2vec", OPTION_DIFFERENT,
          "images of `custom_image`; `sharegpt` has none" },
        { "infinity-embeddings", OPTION_DIFFERENT,
          "datasets of random tokens need `/tokenize`, which an Infinity server lacks: use `custom`" },
        { "infinity-embeddings-clip", OPTION_DIFFERENT,
          "images of `custom_image`; otherwise like `infinity-embeddings`" }),
    .older_values = HINTS(
        { "sglang", "use --backend openai, which sends the same requests" },
        { "lmdeploy", "use --backend openai, which sends the same requests" },
        { "scalellm", "use --backend openai, which sends the same requests" },
        { "openai-completions", "renamed to openai" },
        { "vllm-chat", "use --backend openai-chat" },
        { "tgi", "vLLM removed it; its protocol is a different one" },
        { "tensorrt-llm", "vLLM removed it; use --backend openai with the OpenAI API of its server" },
        { "deepspeed-mii", "vLLM removed it; its protocol is a different one" }))
BENCH(STRING, VALUE, base_url, "--base-url", null, -INF, INF,
    "send requests to the server at this URL (scheme, host and port); overrides host and port",
    .nullable = true, .group = "Server", .verdict = OPTION_MORE,
    .remark = "a trailing `/v1` is removed with a warning; a redirect is reported, not followed",
    .aside = true)
BENCH(STRING, VALUE, host, "--host", null, -INF, INF,
    "send requests to this host; not needed if the experiment starts the server",
    .nullable = true, .group = "Server", .serve_default = ARG_JSON("127.0.0.1"), .aside = true)
BENCH(INT, VALUE, port, "--port", null, 1, 65535,
    "send requests to this port; not needed if the experiment starts the server",
    .nullable = true, .group = "Server", .serve_default = ARG_JSON(8000), .aside = true)
BENCH(STRING, VALUE, endpoint, "--endpoint", null, -INF, INF,
    "send requests to this path (default: that of the backend)",
    .nullable = true, .group = "Server", .verdict = OPTION_MORE,
    .remark = "default by backend; a wrong value fails before the first request")
BENCH(LIST_STRING, WORDS, header, "--header", null, -INF, INF,
    "add these headers to every request, each KEY=VALUE",
    .nullable = true, .group = "Server", .after = "served_model_name", .secret = true, .pairs = '=',
    .verdict = OPTION_MORE, .remark = "values are never shown or stored")
BENCH(INT, VALUE, max_concurrency, "--max-concurrency", null, 1, 1000000,
    "limit requests in flight to N (default: no limit)",
    .nullable = true, .group = "Load", .after = "burstiness", .verdict = OPTION_MORE,
    .remark = "each record has the time that its request waited for a slot")
BENCH(STRING, VALUE, model, "--model", null, -INF, INF,
    "request this model (default: the first model of the server)",
    .nullable = true, .group = "Server", .verdict = OPTION_MORE,
    .remark = "if the server does not have the model, the error lists its models")
BENCH(INT, VALUE, input_len, "--input-len", null, 0, 100000000,
    "send N prompt tokens from generated datasets whose own option is unset",
    .nullable = true, .group = "Dataset")
BENCH(INT, VALUE, output_len, "--output-len", null, 1, 100000000,
    "request N output tokens with every dataset that accepts a length",
    .nullable = true, .group = "Dataset")
BENCH(STRING, VALUE, tokenizer, "--tokenizer", null, -INF, INF,
    "record this name as the tokenizer of the dataset (default: the tokenizer of the model)",
    .nullable = true, .group = "Dataset", .verdict = OPTION_DIFFERENT,
    .remark = "only recorded in the result; the server counts tokens (`/tokenize`)")
BENCH(STRING, VALUE, tokenizer_mode, "--tokenizer-mode", "auto", -INF, INF,
    "record this kind of tokenizer; the server counts the lengths",
    .group = "Dataset", .verdict = OPTION_DIFFERENT,
    .remark = "any value is accepted and only recorded in the result")
BENCH(BOOL, FLAG, use_beam_search, "--use-beam-search", false, -INF, INF,
    "latency: use beam search with n beams; serve: accepted for compatibility, without effect",
    .group = "Request bodies", .after = "request_id_prefix", .verdict = OPTION_EQUAL,
    .remark = "accepted without effect, as in vLLM")
BENCH(INT, VALUE, logprobs, "--logprobs", null, -INF, INF,
    "completions: request N log probabilities per token",
    .nullable = true, .group = "Request bodies", .after = "ignore_eos")
BENCH(FLOAT, VALUE, request_rate, "--request-rate", "inf", 1e-9, INF,
    "send N requests per second on average; inf sends all at once",
    .group = "Load", .verdict = OPTION_MORE,
    .remark = "records planned and actual send times; schedule lateness is checked")
BENCH(FLOAT, VALUE, burstiness, "--burstiness", 1.0, 1e-6, INF,
    "set the shape of the gamma distribution of arrivals; 1 is Poisson, lower is burstier",
    .group = "Load", .verdict = OPTION_MORE,
    .remark = "values of 0 or less fail before the first request, not after the run")
BENCH(FLOAT, VALUE, probe_request_rate, "--probe-request-rate", 0.0, 0, 1000,
    "send N probe requests of one token per second in addition to the load",
    .group = "Load", .after = "reset_prefix_cache", .verdict = OPTION_MORE,
    .remark = "separate connections; not included in `duration`")
BENCH(BOOL, FLAG, disable_tqdm, "--disable-tqdm", false, -INF, INF,
    "show no progress line, but still stages, notes and file names",
    .group = "Run", .after = "stop_when", .aside = true)
BENCH(INT, VALUE, num_warmups, "--num-warmups", 0, 0, 1000000,
    "send N warm-up requests before the measured ones",
    .group = "Load", .after = "ramp_up_by", .verdict = OPTION_DIFFERENT,
    .remark = "other prompts of the same lengths; vLLM repeats prompt 0")
BENCH(BOOL, FLAG, profile, "--profile", false, -INF, INF,
    "ask the server to profile during the run; this degrades the metrics",
    .group = "Metrics and files", .after = "plot_dataset_stats", .verdict = OPTION_MORE,
    .remark = "the result records it (`profiling`, check `profiled`)")
BENCH(BOOL, FLAG, save_result, "--save-result", false, -INF, INF,
    "write vLLM's flat result file; its last key, profllm, holds the whole result",
    .group = "Metrics and files", .after = "goodput", .verdict = OPTION_MORE,

    .remark = "written atomically, so a full disk leaves no partial file; write access is checked "
              "before the run",
    .aside = true)
BENCH(BOOL, FLAG, save_detailed, "--save-detailed", false, -INF, INF,
    "keep per-request lists in vLLM's flat result file",
    .group = "Metrics and files", .after = "save_result", .aside = true)
BENCH(BOOL, FLAG, append_result, "--append-result", false, -INF, INF,
    "append to vLLM's flat result file, one line per run",
    .group = "Metrics and files", .after = "save_detailed", .verdict = OPTION_MORE,
    .remark = "existing lines of the file are never lost", .aside = true)
BENCH(LIST_STRING, WORDS, metadata, "--metadata", null, -INF, INF,
    "add these keys to vLLM's flat result, each KEY=VALUE",
    .nullable = true, .group = "Metrics and files", .after = "label", .pairs = '=',
    .verdict = OPTION_MORE, .remark = "a wrong value fails before the first request",
    .aside = true)
BENCH(STRING, VALUE, result_dir, "--result-dir", null, -INF, INF,
    "write vLLM's flat result to this directory",
    .nullable = true, .group = "Metrics and files", .after = "append_result", .expand = true,
    .aside = true)
BENCH(STRING, VALUE, result_filename, "--result-filename", null, -INF, INF,
    "write vLLM's flat result to this file (default: a name from label, rate, model and date)",
    .nullable = true, .group = "Metrics and files", .after = "result_dir", .aside = true)
BENCH(BOOL, FLAG, ignore_eos, "--ignore-eos", false, -INF, INF,
    "request the full output length and ignore the end-of-sequence token",
    .group = "Request bodies", .after = "repetition_penalty")
BENCH(TRI, TOGGLE, self_timed, "--self-timed", null, -INF, INF,
    "timed_trace: send requests at the timestamps of the trace",
    .nullable = true, .group = "Traces", .verdict = OPTION_EQUAL,
    .remark = "on for timed_trace", .negative_flag = "--no-self-timed")
BENCH(FLOAT, VALUE, timed_trace_speed, "--timed-trace-speed", 1, 1e-6, 1e6,
    "timed_trace: send the requests N times as fast as the trace recorded them",
    .group = "Traces", .after = "self_timed", .ours = true, .columnless = true)
BENCH(DURATION, VALUE, timed_trace_max_gap, "--timed-trace-max-gap", null, 0, 24 * HOUR,
    "timed_trace: shorten longer pauses between requests to this time of the trace",
    .nullable = true, .group = "Traces", .after = "timed_trace_speed", .ours = true,
    .columnless = true)
BENCH(STRING, VALUE, cache_bust, "--cache-bust", "none", -INF, INF,
    "timed_trace: keep prompts out of the prefix cache: no hit on an earlier run (run), or none at all (request)",
    .group = "Traces", .after = "timed_trace_max_gap", .ours = true, .columnless = true,
    .choices = ARG_JSON(["none", "run", "request"]))
BENCH(STRING, VALUE, timed_trace_schedule, "--timed-trace-schedule", "timestamps", -INF, INF,
    "timed_trace: send later turns of a session at their timestamps (timestamps), or when the recorded pause after a response has passed (gaps)",
    .group = "Traces", .after = "cache_bust", .ours = true, .columnless = true,
    .choices = ARG_JSON(["timestamps", "gaps"]))
BENCH(BOOL, FLAG, multi_turn, "--multi-turn", false, -INF, INF,
    "hold conversations: random generates them, sharegpt and custom take all turns of their records; num_prompts is their number",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(INT, VALUE, multi_turn_num_turns, "--multi-turn-num-turns", 3, 1, 100000,
    "random: generate N turns per conversation",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(INT, VALUE, multi_turn_min_turns, "--multi-turn-min-turns", 0, 0, 100000,
    "random: draw the number of turns from N to multi_turn_max_turns; sharegpt, custom: skip shorter conversations",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(INT, VALUE, multi_turn_max_turns, "--multi-turn-max-turns", 0, 0, 100000,
    "limit conversations to N turns; 0: no limit, and multi_turn_num_turns for random",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(INT, VALUE, multi_turn_concurrency, "--multi-turn-concurrency", null, 1, 1000000,
    "limit conversations in progress to N, including their pauses (default: no limit)",
    .nullable = true, .group = "Conversations", .ours = true, .columnless = true)
BENCH(INT, VALUE, multi_turn_delay_ms, "--multi-turn-delay-ms", 0, 0, 86400000,
    "wait N ms between a response and the next turn, if the record has no pause",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(FLOAT, VALUE, multi_turn_prefix_global_ratio, "--multi-turn-prefix-global-ratio", 0, 0, 1,
    "random: share this part of each prompt with all conversations; turns then have no history",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(FLOAT, VALUE, multi_turn_prefix_conversation_ratio, "--multi-turn-prefix-conversation-ratio",
    0, 0, 1,
    "random: share this part of each prompt with the turns of its conversation; turns then have no history",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(INT, VALUE, per_turn_input_len, "--per-turn-input-len", 0, 0, 100000000,
    "random: send N prompt tokens in each turn after the first; 0: random_input_len",
    .group = "Conversations", .ours = true, .columnless = true)
BENCH(BOOL, FLAG, reset_prefix_cache, "--reset-prefix-cache", false, -INF, INF,
    "empty the server's prefix cache before the measured requests (POST /reset_prefix_cache)",
    .group = "Load", .after = "num_warmups", .ours = true, .columnless = true)
BENCH(STRING, VALUE, percentile_metrics, "--percentile-metrics", null, -INF, INF,
    "show and save these metrics, separated by commas: ttft, tpot, itl, e2el, client_queue_time, e2el_including_client_queue (default: ttft,tpot,itl; e2el for pooling backends)",
    .nullable = true, .group = "Metrics and files", .joined = true, .verdict = OPTION_MORE,
    .remark = "`profllm.results` has all metrics, whatever is selected", .aside = true)
BENCH(STRING, VALUE, metric_percentiles, "--metric-percentiles", "99", -INF, INF,
    "show these percentiles, separated by commas",
    .group = "Metrics and files", .joined = true, .verdict = OPTION_MORE,
    .remark = "a wrong value fails at once; `profllm.results` has a confidence interval for each", .aside = true)
BENCH(LIST_STRING, WORDS, goodput, "--goodput", null, -INF, INF,
    "count requests within these limits in ms as good, each NAME:MS with ttft, tpot or e2el",
    .nullable = true, .group = "Metrics and files", .words_least = 1, .pairs = ':',
    .verdict = OPTION_MORE, .remark = "a wrong value fails at once")
BENCH(STRING, VALUE, request_id_prefix, "--request-id-prefix", null, -INF, INF,
    "start each x-request-id with this text (default: a random one)",
    .nullable = true, .group = "Request bodies", .after = "continuous_usage",
    .verdict = OPTION_EQUAL, .remark = "up to 1,024 bytes", .aside = true)
BENCH(FLOAT, VALUE, top_p, "--top-p", null, -INF, INF,
    "sampling: choose from the likeliest tokens that together have this probability",
    .nullable = true, .group = "Request bodies", .after = "temperature")
BENCH(INT, VALUE, top_k, "--top-k", null, -INF, INF,
    "sampling: choose from the N likeliest tokens",
    .nullable = true, .group = "Request bodies", .after = "top_p")
BENCH(FLOAT, VALUE, min_p, "--min-p", null, -INF, INF,
    "sampling: exclude tokens below this probability, relative to the likeliest token",
    .nullable = true, .group = "Request bodies", .after = "top_k")
BENCH(FLOAT, VALUE, temperature, "--temperature", null, -INF, INF,
    "sampling: set the temperature; 0 is greedy",
    .nullable = true, .group = "Request bodies")
BENCH(FLOAT, VALUE, frequency_penalty, "--frequency-penalty", null, -INF, INF,
    "sampling: penalize tokens by their frequency",
    .nullable = true, .group = "Request bodies")
BENCH(FLOAT, VALUE, presence_penalty, "--presence-penalty", null, -INF, INF,
    "sampling: penalize tokens that have appeared",
    .nullable = true, .group = "Request bodies")
BENCH(FLOAT, VALUE, repetition_penalty, "--repetition-penalty", null, -INF, INF,
    "sampling: penalize tokens of prompt and output; 1 is no penalty",
    .nullable = true, .group = "Request bodies")
BENCH(STRING, VALUE, served_model_name, "--served-model-name", null, -INF, INF,
    "send this model name in the request body, if it differs from the model",
    .nullable = true, .group = "Server", .aside = true)
BENCH(LIST_STRING, WORDS, lora_modules, "--lora-modules", null, -INF, INF,
    "spread requests over these adapters",
    .nullable = true, .group = "Server", .words_least = 1)
BENCH(STRING, VALUE, lora_assignment, "--lora-assignment", "random", -INF, INF,
    "choose the adapter of each request by this method",
    .group = "Server", .choices = ARG_JSON(["random", "round-robin"]))
BENCH(STRING, VALUE, ramp_up_strategy, "--ramp-up-strategy", null, -INF, INF,
    "increase the rate in this way from ramp_up_start_rps to ramp_up_end_rps, instead of request_rate",
    .nullable = true, .group = "Load", .choices = ARG_JSON(["linear", "exponential"]),
    .verdict = OPTION_MORE,
    .remark = "over the request index as in vLLM, or over time with `--ramp-up-by time`")
BENCH(INT, VALUE, ramp_up_start_rps, "--ramp-up-start-rps", null, 0, 1000000000,
    "start the ramp at N requests per second",
    .nullable = true, .group = "Load")
BENCH(INT, VALUE, ramp_up_end_rps, "--ramp-up-end-rps", null, 0, 1000000000,
    "end the ramp at N requests per second",
    .nullable = true, .group = "Load")
BENCH(STRING, VALUE, ramp_up_by, "--ramp-up-by", "index", -INF, INF,
    "increase the rate with the request index, as vLLM does, or with time",
    .group = "Load", .ours = true, .choices = ARG_JSON(["index", "time"]))
BENCH(INT, VALUE, ready_check_timeout_sec, "--ready-check-timeout-sec", 0, 0, 1000000,
    "repeat a test request for up to N seconds until it succeeds; 0: send none",
    .group = "Server", .verdict = OPTION_DIFFERENT,
    .remark = "the test request is one word with eight output tokens, not the first prompt; it "
              "never exceeds the timeout")
BENCH(JSON, VALUE, chat_template_kwargs, "--chat-template-kwargs", null, -INF, INF,
    "custom: pass the arguments in this object to the chat template",
    .nullable = true, .group = "Dataset", .after = "skip_chat_template", .verdict = OPTION_EQUAL,
    .remark = "passed to the server, which applies the template")
BENCH(JSON, VALUE, extra_body, "--extra-body", null, -INF, INF,
    "merge these keys into the body of each request",
    .nullable = true, .group = "Request bodies", .verdict = OPTION_MORE,
    .remark = "`{\"stream\": false}` measures responses without streaming")
BENCH(BOOL, FLAG, skip_tokenizer_init, "--skip-tokenizer-init", false, -INF, INF,
    "custom: use no tokenizer, and omit the metrics that need one",
    .group = "Dataset", .verdict = OPTION_MORE,
    .remark = "`profllm.results` still has all metrics, computed from the responses")
BENCH(BOOL, FLAG, insecure, "--insecure", false, -INF, INF,
    "accept any TLS certificate",
    .group = "Server", .after = "header", .aside = true)
BENCH(BOOL, FLAG, plot_timeline, "--plot-timeline", false, -INF, INF,
    "draw a timeline of the requests, as an HTML page next to the result",
    .group = "Metrics and files", .verdict = OPTION_MORE,
    .remark = "includes failed requests; opens without network access", .aside = true)
BENCH(STRING, VALUE, timeline_itl_thresholds, "--timeline-itl-thresholds", "25,50", -INF, INF,
    "color the token gaps in the timeline at these two limits in ms",
    .group = "Metrics and files", .joined = true, .aside = true)
BENCH(BOOL, FLAG, plot_dataset_stats, "--plot-dataset-stats", false, -INF, INF,
    "draw the lengths of prompts and outputs, as a PNG next to the result (needs libcairo2)",
    .group = "Metrics and files", .verdict = OPTION_MORE,
    .remark = "a missing libcairo2 or save flag fails before the first request, not after the "
              "run",
    .aside = true)
BENCH(STRING, VALUE, kind, NULL, "serve", -INF, INF,
    "measure load on a server (serve), or run one of vLLM's offline benchmarks",
    .ours = true,
    .choices = ARG_JSON(["serve", "latency", "throughput", "startup", "mm-processor"]))
BENCH(STRING, VALUE, mode, NULL, null, -INF, INF,
    "offline kinds: in_process runs vllm bench itself, server measures the same metrics with a server (default: in_process if launch.command starts vLLM and no server is named)",
    .nullable = true, .ours = true, .choices = ARG_JSON(["in_process", "server"]))
BENCH(STRING, VALUE, client, NULL, "native", -INF, INF,
    "generate load with ProfLLM (native), or with vllm bench serve as a child process (vllm)",
    .ours = true, .choices = ARG_JSON(["native", "vllm"]))
BENCH(DURATION, VALUE, request_timeout, "--request-timeout", "6h", 1 * MS, 9 * HOUR,
    "fail a request that takes longer than this",
    .group = "Run", .ours = true)
BENCH(DURATION, VALUE, stall_timeout, "--stall-timeout", "60s", 1 * MS, 9 * HOUR,
    "end the run after this time without a byte on any open stream, unless /health and /metrics show a busy server; 20 times longer before a first token",
    .group = "Run", .after = "retry_delay", .ours = true)
BENCH(INT, VALUE, retries, "--retries", 0, 0, 100,
    "retry a request up to N times if it got no response or status 408, 425, 429, 502, 503 or 504; its latency includes all attempts",
    .group = "Run", .ours = true)
BENCH(DURATION, VALUE, retry_delay, "--retry-delay", "500ms", 0, 1 * HOUR,
    "wait this time before the first retry, and twice as long before each further one; after 429 and 503, a Retry-After header of up to 60s replaces it",
    .group = "Run", .ours = true)
BENCH(LIST_STRING, VALUE, source_addresses, "--source-addresses", null, -INF, INF,
    "open connections from these local addresses in turn (default: chosen by the kernel)",
    .nullable = true, .group = "Load", .aliases = "--source-address", .ours = true, .commas = true,
    .aside = true)
BENCH(STRING, VALUE, vllm_metrics, "--vllm-metrics", null, -INF, INF,
    "chats: compute vLLM's metrics like the client of this release; 0.32 counts each event, 0.33 only events with output (0.32, 0.33; default: the release of the server)",
    .nullable = true, .group = "Metrics and files", .ours = true, .choices = ARG_JSON(["0.32", "0.33"]))
BENCH(INT, VALUE, profile_batch_threshold, "--profile-batch-threshold", null, 1, 1000000,
    "ask the server to profile once it runs N requests, for profile_duration; this degrades the metrics",
    .nullable = true, .group = "Metrics and files", .after = "profile", .ours = true,
    .columnless = true)
BENCH(FLOAT, VALUE, profile_duration, "--profile-duration", 5, 0.001, 100000,
    "profile for N seconds after profile_batch_threshold is reached",
    .group = "Metrics and files", .after = "profile_batch_threshold", .ours = true,
    .columnless = true)
BENCH(FLOAT, VALUE, steady_state_threshold, "--steady-state-threshold", 0.95, 0.01, 1,
    "count a closed loop as steady from this share of max_concurrency on",
    .group = "Metrics and files", .ours = true, .columnless = true)
BENCH(FLOAT, VALUE, steady_state_min_window, "--steady-state-min-window", 10, 0, 1000000,
    "report no steady state that is shorter than N seconds",
    .group = "Metrics and files", .ours = true, .columnless = true)
BENCH(FLOAT, VALUE, max_error_share, "--max-error-share", 0.01, 0, 1,
    "set the status to partial if more than this share of requests fails",
    .group = "Run", .ours = true)
BENCH(INT, VALUE, repeats, "--repeats", 1, 1, 1000,
    "repeat the measured run N times",
    .group = "Run", .later = true, .ours = true,
    .instead = "repeat the run with --set benchmark.seed=N and another --output")
BENCH(JSON, VALUE, stop_when, "--stop-when", null, -INF, INF,
    "stop early when a confidence interval is narrow enough",
    .nullable = true, .group = "Run", .later = true, .ours = true,
    .instead = "choose num_prompts by the intervals (…_ci95) of a shorter run")
BENCH(INT, VALUE, threads, "--threads", 1, 1, 256,
    "run N load generator workers, at most one per 64 of max_concurrency",
    .group = "Load", .ours = true)
BENCH(BOOL, FLAG, realtime, "--realtime", false, -INF, INF,
    "run the workers with real-time priority (SCHED_FIFO)",
    .group = "Load", .ours = true)
BENCH(BOOL, FLAG, immediate_acks, "--immediate-acks", false, -INF, INF,
    "acknowledge each TCP segment at once, even if the server does not wait for it; costs CPU time",
    .group = "Load", .ours = true)
BENCH(BOOL, FLAG, continuous_usage, "--continuous-usage", false, -INF, INF,
    "request usage in every event, which gives exact token counts",
    .group = "Request bodies", .ours = true)
BENCH(BOOL, FLAG, prompt_token_ids, "--prompt-token-ids", false, -INF, INF,
    "random: send token ids instead of text",
    .group = "Dataset random", .ours = true)
BENCH(FLOAT, VALUE, random_cache_hit_fraction, "--random-cache-hit-fraction", 0, 0, 1,
    "random: make this share of the prompts warm: they start with the same tokens; needs prompt_token_ids",
    .group = "Dataset random", .ours = true, .columnless = true)
BENCH(FLOAT, VALUE, random_cache_ratio, "--random-cache-ratio", 0, 0, 1,
    "random: let warm prompts share this part of their tokens",
    .group = "Dataset random", .ours = true, .columnless = true)
BENCH(INT, VALUE, vocab_size, "--vocab-size", null, 1, 100000000,
    "draw random token ids below N if no tokenizer reports the vocabulary size",
    .nullable = true, .group = "Dataset random", .ours = true)
BENCH(INT, VALUE, batch_size, NULL, null, 1, 1000000,
    "latency: send N prompts at once, as one batch",
    .nullable = true, .offline = true)
BENCH(INT, VALUE, n, NULL, null, 1, 100000,
    "latency and throughput: generate N responses per prompt",
    .nullable = true, .offline = true)
BENCH(INT, VALUE, num_iters_warmup, NULL, null, 0, 1000000,
    "latency and startup: run N warm-up iterations before the measured ones",
    .nullable = true, .offline = true)
BENCH(INT, VALUE, num_iters, NULL, null, 1, 1000000,
    "latency: measure N batches",
    .nullable = true, .offline = true)
BENCH(INT, VALUE, num_iters_cold, NULL, null, 0, 10000,
    "startup: start the engine N times with empty caches",
    .nullable = true, .offline = true)
BENCH(INT, VALUE, num_iters_warm, NULL, null, 0, 10000,
    "startup: start the engine N times with the caches of earlier starts",
    .nullable = true, .offline = true)
BENCH(BOOL, FLAG, disable_detokenize, NULL, false, -INF, INF,
    "latency and throughput: do not convert tokens to text in the engine",
    .offline = true)
BENCH(INT, VALUE, prefix_len, NULL, null, 0, 100000000,
    "throughput, dataset random: start all prompts with the same N tokens",
    .nullable = true, .offline = true)
BENCH(BOOL, FLAG, async_engine, NULL, false, -INF, INF,
    "throughput: use vLLM's asynchronous engine",
    .offline = true)
BENCH(BOOL, FLAG, prequeue_requests, NULL, false, -INF, INF,
    "throughput: queue all requests before the first is scheduled",
    .offline = true)
BENCH(STRING, VALUE, lora_path, NULL, null, -INF, INF,
    "throughput: read the adapters for the requests from this directory",
    .nullable = true, .offline = true)
BENCH(INT, VALUE, hf_max_batch_size, NULL, null, 1, 1000000,
    "throughput, backend hf: limit batches to N prompts",
    .nullable = true, .offline = true)
BENCH(BOOL, FLAG, hf_enable_torch_compile, NULL, false, -INF, INF,
    "throughput, backend hf: compile the model",
    .offline = true)
BENCH(STRING, VALUE, output_json, NULL, null, -INF, INF,
    "offline kinds: also write vLLM's own result file",
    .nullable = true, .offline = true, .aside = true)
