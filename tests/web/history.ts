// A history of results of two releases: copies of one result of the simulator with values of a seeded generator.
import { type Document, variant } from './results'

export const [BEFORE, AFTER] = ['0.31.0', '0.32.0'] as const
const DAY_MS = 86_400_000

// A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32).
function seeded(seed: number) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let next = Math.imul(state ^ (state >>> 15), 1 | state)
    next ^= next + Math.imul(next ^ (next >>> 7), 61 | next)
    return ((next ^ (next >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Configuration {
  size: number
  load: number
  ttft: number // of the second release, times the first one
  output: number
  runs: number
}

// The slower release, in two of four configurations; the last one has too few runs.
const CONFIGURATIONS: Configuration[] = [
  { size: 4, load: 64, ttft: 1.25, output: 0.92, runs: 60 },
  { size: 8, load: 64, ttft: 1.22, output: 1, runs: 60 },
  { size: 2, load: 64, ttft: 1, output: 1, runs: 60 },
  { size: 8, load: 16, ttft: 1, output: 1, runs: 6 },
]

// `seed` also moves the run ids, so that two histories are different results.
export function history(base: Document, seed = 1): Document[] {
  const next = seeded(seed)
  const noise = (spread: number) => 1 + spread * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return CONFIGURATIONS.flatMap(({ size, load, ttft, output, runs }) =>
    Array.from({ length: runs }, (_, at) => {
      const isAfter = at >= runs / 2
      const ttftMs = 180 * (8 / size) * (isAfter ? ttft : 1) * noise(0.04)
      const tpotMs = 18 * (8 / size) ** 0.5 * noise(0.02)
      const rate = 900 * size ** 0.8 * (isAfter ? output : 1) * noise(0.015)
      const document = variant(base, {
        name: `llama70-tp${size}-c${load}`,
        model: 'meta-llama/Llama-3.1-70B-Instruct',
        gpu_name: 'NVIDIA H200',
        tensor_parallel_size: size,
        max_concurrency: load,
        output_throughput: rate,
        p99_ttft_ms: ttftMs * 2.4,
        verdict: 'trusted',
      })
      const { results, environment } = document
      for (const key of Object.keys(results))
        if (/_ms$|_ci95$|^(input|total_token)_throughput$|^peak_/.test(key) && key !== 'p99_ttft_ms')
          results[key] = null
      Object.assign(results, { median_ttft_ms: ttftMs, median_tpot_ms: tpotMs, request_throughput: rate / 256 })
      if (size === 2 && at === 12) results.p99_ttft_ms = null
      document.timestamp = new Date(Date.UTC(2026, 8, 1, 2) + at * 1.3 * DAY_MS + size * 3_600_000).toISOString()
      environment.hostname = `gpu-${(at % 3) + 1}`
      environment.torch = isAfter ? '2.9.1' : '2.9.0'
      environment.gpu_driver = at < 18 && runs > 40 ? '570.86' : '580.159'
      environment.engine = { ...environment.engine, simulated: false, name: 'vllm', version: isAfter ? AFTER : BEFORE }
      return document
    }),
  )
}
