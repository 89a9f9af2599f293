// Snapshots of runs, as 'profllm run --upload' sends them.
import type { components } from '../../web/src/api/schema'

export type Snapshot = components['schemas']['LiveSnapshot']
type Members = Omit<Snapshot, 'schema_version' | 'sequence' | 'interval_s' | 'elapsed_s'>
type Parts = { [K in keyof Members]?: Members[K] extends unknown[] ? Members[K] : Partial<Members[K]> }

const STARTUP_S = 71

// A run that has measured for `seconds`.
export function snapshot(run_id: string, seconds: number, parts: Parts = {}): Snapshot {
  const one: Snapshot = {
    schema_version: 1,
    sequence: Math.round(seconds * 10) + 1,
    interval_s: 1,
    elapsed_s: STARTUP_S + seconds,
    run: {
      run_id,
      name: `name of ${run_id}`,
      model: 'meta-llama/Llama-3.1-70B-Instruct',
      server: '4 x NVIDIA H200',
      vllm_version: '0.32.0',
      load: '8 requests/s, open loop, Poisson',
      started_utc: '2026-11-29T14:12:03Z',
      command: `profllm run --config ${run_id}.yaml`,
      point: 1,
      points: 1,
    },
    phase: {
      name: 'measuring',
      step: null,
      elapsed_s: seconds,
      done: [
        { name: 'loading weights', seconds: 33.1 },
        { name: 'compiling', seconds: 18.9 },
        { name: 'warming_up', seconds: 8 },
      ],
    },
    requests: {
      done: Math.round(8 * seconds),
      failed: 3,
      total: 1536,
      in_flight: 38,
      elapsed_s: seconds,
      remaining_s: Math.max(0, 192 - seconds),
      needed_for_p99: 1000,
    },
    rates: { requested_per_s: 8, sent_per_s: 7.97, done_per_s: 7.63, output_tokens_per_s: 1953 },
    client: { late_median_ms: 0.21, late_p99_ms: 1.4 },
    ttft_ms: { n: 800, median: 97.2, low: 95.3, high: 99.1 },
    tpot_ms: { n: 800, median: 18.4, low: 18.3, high: 18.5 },
    e2el_ms: { n: 800, median: 4720, low: 4690, high: 4760 },
    server: { running: 37, waiting: 1, kv_cache_percent: 41 },
    gpus: [0, 1].map((index) => ({
      index,
      name: 'NVIDIA H200',
      memory_bytes: 131e9 + index * 1e9,
      memory_total_bytes: 150e9,
      utilization_percent: 96 + index,
      power_w: 577,
    })),
    errors: [
      { cause: 'connection reset', count: 3, first_s: 41.2, first_sample: 'request 296: reset after 118 tokens' },
    ],
    verdict: {
      state: 'degraded',
      over_limit: 1,
      passed: 17,
      unmeasured: 5,
      sentence: '1 of 23 checks is over its limit, 17 passed, 5 need more requests.',
      reasons: [
        {
          check: 'schedule_lateness',
          sentence: 'the load generator sent requests late.',
          value: 1.4,
          limit: 1,
          unit: 'ms',
        },
      ],
    },
    log: [
      { line: 3096, severity: 'WARNING', text: 'engine step took 1.6 s, 6 requests waited' },
      { line: 3102, severity: 'INFO', text: 'Running: 38 reqs, Waiting: 0 reqs' },
    ],
    ended: null,
  }
  for (const [key, part] of Object.entries(parts))
    Object.assign(one, {
      [key]: Array.isArray(part) || part === null ? part : { ...(one[key as keyof Snapshot] as object), ...part },
    })
  return one
}

export async function report(url: string, one: Snapshot) {
  const answer = await fetch(`${url}/api/live/${encodeURIComponent(one.run.run_id)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(one),
  })
  if (answer.status === 503) throw new Away()
  if (answer.status !== 204) throw new Error(`${answer.status} ${await answer.text()}`)
}

// The dashboard is stopping, or full.
class Away extends Error {}

const EVERY_MS = 500

function repeat(send: () => Promise<void>) {
  // a dashboard that is away misses reports
  const once = () =>
    void send().catch((error: unknown) => {
      if (!(error instanceof TypeError || error instanceof Away)) throw error
    })
  once()
  const timer = setInterval(once, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

// Sends one snapshot again and again, so that the run is not silent. Returns a function that ends it.
export function hold(url: string, one: Snapshot) {
  let { sequence } = one
  return repeat(() => report(url, { ...one, sequence: sequence++ }))
}

// Reports a run twice per second, from 100 s on. Returns a function that ends it.
export function keepReporting(url: string, run_id: string, parts: (seconds: number) => Parts = () => ({})) {
  let seconds = 100
  return repeat(() => {
    seconds += EVERY_MS / 1000
    return report(url, snapshot(run_id, seconds, parts(seconds)))
  })
}
