// Results of several configurations with repeats: copies of one result of the simulator with values of fixed waves.
// Each GPU has a frontier over the loads, and the second release is faster on all of them.
import { type Document, variant } from './results'

export const [OLD, NEW] = ['0.31.0', '0.32.0'] as const
const GPUS: [string, number][] = [
  ['NVIDIA H100 80GB HBM3', 1],
  ['NVIDIA H200', 1.3],
  ['NVIDIA B200', 2.1],
]
const MODEL = 'meta-llama/Llama-3.1-70B-Instruct'
const LOADS = [4, 16, 64, 256]
const REPEATS = 4
const HOUR_MS = 3_600_000

// 96 results of 24 configurations.
export function frontiers(base: Document): Document[] {
  let at = 0
  return [OLD, NEW].flatMap((version, second) =>
    GPUS.flatMap(([gpu_name, speed]) =>
      LOADS.flatMap((load) =>
        Array.from({ length: REPEATS }, () => {
          const wave = 1 + 0.01 * Math.sin(++at * 2.39)
          const faster = second === 1 ? 1.12 : 1
          const tpot = ((8 + load / 7) / speed / faster) * wave
          const document = variant(base, {
            name: `llama70-${gpu_name.split(' ')[1]?.toLowerCase()}-c${load}`,
            model: MODEL,
            gpu_name,
            tensor_parallel_size: 4,
            max_concurrency: load,
            output_throughput: (load / tpot) * 960,
            p99_ttft_ms: (60 + load * 4) / speed / wave,
            verdict: 'trusted',
          })
          const { results, environment } = document
          for (const key of Object.keys(results))
            if (/_ms$|_ci95$|^(input|total_token)_throughput$|^peak_/.test(key) && key !== 'p99_ttft_ms')
              results[key] = null
          Object.assign(results, { median_tpot_ms: tpot, median_ttft_ms: results.p99_ttft_ms / 3 })
          // the command of the server is made from these
          const { experiment } = document.config
          experiment.server = { ...experiment.server, model: MODEL, tensor_parallel_size: 4 }
          experiment.launch = { ...experiment.launch, command: ['vllm', 'serve'], extra_args: [] }
          document.timestamp = new Date(Date.UTC(2026, 8, 1 + second * 20) + at * HOUR_MS).toISOString()
          environment.engine = { ...environment.engine, simulated: false, name: 'vllm', version }
          return document
        }),
      ),
    ),
  )
}
