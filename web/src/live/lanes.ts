// The timeline of a live run: its lanes, phases and axis, in seconds since the start of the run.
import type { LiveHistory, LiveRun } from '../api/types'
import { evenTicks } from '../format/ticks'
import type { Lane, LaneLine, Phase } from '../series/lanes'
import { gapAfter } from '../series/samples'
import { type Column, phaseWord } from './model'

interface LaneRow {
  title: string
  note: string
  unit: string
  lines: [column: Column, name: string, text: string][]
  band?: [low: Column, high: Column] // around the first line
  divisor?: number // from a value of the history to one of the unit
  top?: number // end of the axis of a share
  unless?: Column // not shown if this column has values
}

const ROWS: LaneRow[] = [
  {
    title: 'Requests',
    note: 'in flight, running, waiting',
    unit: 'req',
    lines: [
      ['in_flight', 'in flight', 'Requests that were sent and not answered yet, by the load generator'],
      ['running', 'running', 'Requests that the server computes, by its /metrics'],
      ['waiting', 'waiting', 'Requests in the queue of the server, by its /metrics'],
    ],
  },
  {
    title: 'Finished',
    note: 'requests per second, mean so far',
    unit: 'req/s',
    lines: [['done_per_s', '', 'Finished requests per second, mean since the first request was sent']],
  },
  {
    title: 'TTFT median so far',
    note: 'of all requests until then, with its 95 % interval',
    unit: 'ms',
    band: ['ttft_low_ms', 'ttft_high_ms'],
    lines: [['ttft_median_ms', '', 'Median of the time to first token of all requests so far']],
  },
  {
    title: 'E2EL median so far',
    note: 'of all requests until then, with its 95 % interval',
    unit: 'ms',
    band: ['e2el_low_ms', 'e2el_high_ms'],
    lines: [['e2el_median_ms', '', 'Median of the end-to-end latency of all requests so far']],
    unless: 'ttft_median_ms',
  },
  {
    title: 'KV cache use',
    note: 'server’s /metrics',
    unit: 'share',
    lines: [['kv_cache_percent', '', 'Used share of the KV cache']],
    divisor: 100,
    top: 1,
  },
  {
    title: 'GPU utilization',
    note: 'mean of all GPUs',
    unit: 'share',
    lines: [['gpu_utilization_percent', '', 'Share of the time in which a kernel ran, mean of all GPUs']],
    divisor: 100,
    top: 1,
  },
  {
    title: 'GPU power',
    note: 'sum of all GPUs',
    unit: 'W',
    lines: [['power_w', '', 'Power draw of all GPUs together']],
  },
  {
    title: 'Schedule lateness',
    note: 'median so far',
    unit: 'ms',
    lines: [['late_median_ms', '', 'Median of the actual minus the planned send time of all requests so far']],
  },
]

export function lanesOf(points: LiveHistory, intervalS: number): Lane[] {
  const gap = gapAfter(intervalS, points.t_s)
  return ROWS.flatMap(({ title, note, unit, lines: wanted, band, divisor = 1, top, unless }): Lane[] => {
    if (unless && points[unless].some((value) => value !== null)) return []
    const valuesOf = (column: Column) => points[column].map((value) => (value === null ? null : value / divisor))
    const lines = wanted.flatMap(([column, name, text], i): LaneLine[] => {
      const values = valuesOf(column)
      const [low, high] = (i === 0 && band) || [column, column]
      if (values.every((value) => value === null)) return []
      const sampled = {
        source: 'live',
        name: column,
        unit,
        text,
        interval_s: intervalS,
        tracks: 1,
        values,
        min: valuesOf(low),
        max: valuesOf(high),
      }
      return [{ key: column, name, sampled, t: points.t_s, values, gap }]
    })
    if (lines.length === 0) return []
    const most = Math.max(0, ...lines.flatMap(({ sampled }) => sampled.max).filter((value) => value !== null))
    return [{ title, note, unit, lines, top: top ?? (most > 0 ? evenTicks(0, most, 2).max : 1) }]
  })
}

// The finished steps and the current phase. They follow one another, and the current one began `elapsed_s` ago.
export function phasesOf({ phase, elapsed_s }: Pick<LiveRun, 'phase' | 'elapsed_s'>): Phase[] {
  const began = Math.max(0, elapsed_s - phase.elapsed_s)
  let end = began
  const finished = phase.done.toReversed().map(({ name, seconds }) => {
    const to = end
    end = Math.max(0, to - seconds)
    return { name: phaseWord(name), from: end, to }
  })
  return phase.name === 'ended'
    ? finished.toReversed()
    : [...finished.toReversed(), { name: phaseWord(phase.name), from: began, to: elapsed_s }]
}

const MEASURED = 'measuring'

// The measured part so far; null: it is still to start.
export function measuredOf(phases: Phase[]): [number, number] | null {
  const found = phases.find(({ name }) => name === MEASURED)
  return found && found.to > found.from ? [found.from, found.to] : null
}

const STEPS: [below: number, step: number][] = [
  [60, 10],
  [300, 30],
  [1800, 120],
  [7200, 600],
]
const STEP_MAX = 1800

// The end of the time axis: the expected end, rounded up. It keeps its place while the estimate changes little.
export function axisEnd({ elapsed_s, requests }: Pick<LiveRun, 'elapsed_s' | 'requests'>, before: number) {
  const wanted = elapsed_s + (requests.remaining_s ?? 0)
  const step = STEPS.find(([below]) => wanted < below)?.[1] ?? STEP_MAX
  return before > 0 && before >= wanted && before - wanted < 2 * step
    ? before
    : Math.max(step, Math.ceil(wanted / step) * step)
}
