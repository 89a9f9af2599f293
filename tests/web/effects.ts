// Results with known effects: copies of one result of the simulator, with values of a fixed wave of 1 %.
import { type Document, variant } from './results'

const MODEL = 'meta-llama/Llama-3.1-70B-Instruct'

// fp8 +12 %, and +20 % with tensor parallel size 2; eager −5 %; KV cache fp8 none; chunked prefill is on wherever the
// second host ran, which is 10 % slower; the number of prompts follows the concurrency limit. Every fifth combination
// is missing, and every third one has two runs.
export function effects(base: Document): Document[] {
  let at = 0
  const made = (bits: number) => {
    const [fp8, eager, cache, load, tp, host] = [1, 2, 4, 8, 16, 32].map((bit) => (bits & bit) !== 0)
    const wave = 1 + 0.01 * Math.sin(++at * 2.39)
    const effect =
      (fp8 ? 1.12 : 1) *
      (fp8 && tp ? 1.07 : 1) *
      (eager ? 0.95 : 1) *
      (load ? 2.4 : 1) *
      (tp ? 1.8 : 1) *
      (host ? 0.9 : 1)
    const document = variant(base, {
      name: `llama70-${fp8 ? 'fp8' : 'bf16'}-tp${tp ? 2 : 1}-c${load ? 64 : 16}-${at}`,
      model: MODEL,
      gpu_name: 'NVIDIA H200',
      tensor_parallel_size: tp ? 2 : 1,
      quantization: fp8 ? 'fp8' : null,
      max_concurrency: load ? 64 : 16,
      output_throughput: 400 * effect * wave,
      p99_ttft_ms: 300 / effect / wave,
      verdict: 'trusted',
    })
    const { config, environment } = document
    const server = {
      enforce_eager: eager,
      kv_cache_dtype: cache ? 'fp8' : 'auto',
      enable_chunked_prefill: host,
    }
    Object.assign(config.server, server)
    for (const key of Object.keys(server)) {
      if (Array.isArray(config.server_explicit)) config.server_explicit.push(key)
      if (config.server_source) config.server_source[key] = 'explicit'
    }
    config.benchmark.num_prompts = load ? 640 : 160
    environment.hostname = host ? 'node-b' : 'node-a'
    environment.gpu_driver = host ? '580.65.06' : '550.54.15'
    environment.engine = { ...environment.engine, simulated: false, name: 'vllm', version: '0.32.0' }
    return document
  }
  return Array.from({ length: 64 }, (_, bits) => bits).flatMap((bits) => {
    const runs = bits % 5 === 4 ? 0 : bits % 3 === 0 ? 2 : 1
    return Array.from({ length: runs }, () => made(bits))
  })
}
