// Results of two configurations over the tensor parallel sizes 1, 2, 4 and 8, with repeats: copies of one result of the
// simulator. One configuration scales well, the other one stops paying after two GPUs.
import { type Document, variant } from './results'

const MODEL = 'meta-llama/Llama-3.1-70B-Instruct'
const REPEATS = 3
const HOUR_MS = 3_600_000

// 24 results.
export function sizes(base: Document): Document[] {
  let at = 0
  return [64, 256].flatMap((load) =>
    [1, 2, 4, 8].flatMap((size) =>
      Array.from({ length: REPEATS }, () => {
        const wave = 1 + 0.01 * Math.sin(++at * 2.39)
        const serial = load === 64 ? 0.02 : 0.3
        const document = variant(base, {
          name: `llama70-tp${size}-c${load}`,
          model: MODEL,
          gpu_name: 'NVIDIA H100 80GB HBM3',
          tensor_parallel_size: size,
          max_concurrency: load,
          output_throughput: (900 / (serial + (1 - serial) / size)) * wave,
          verdict: 'trusted',
        })
        const { system, launch, environment } = document
        system.peak_gpu_memory_gb = 70 + wave
        system.hardware_info.gpu_count = size
        launch.facts = { ...launch.facts, kv_cache_tokens: 40_000 * size, tensor_parallel_size: size }
        launch.phases = { ...launch.phases, ready_s: 40 + size }
        // the command of the server is made from these
        const { experiment } = document.config
        experiment.server = { ...experiment.server, model: MODEL, tensor_parallel_size: size }
        experiment.launch = { ...experiment.launch, command: ['vllm', 'serve'], extra_args: [] }
        document.timestamp = new Date(Date.UTC(2026, 8, 1) + at * HOUR_MS).toISOString()
        environment.engine = { ...environment.engine, simulated: false, name: 'vllm', version: '0.32.0' }
        return document
      }),
    ),
  )
}
