// Where the time of a request went: the parts of its latencies, read from the document.
import type { Experiment } from '../api/types'

// as in src/tbl/breakdown.h
export const PARTS: { key: string; title: string; text: string }[] = [
  { key: 'client', title: 'Client', text: 'sending in the load generator, with earlier attempts of the request' },
  { key: 'network', title: 'Network', text: 'connecting and transfer' },
  {
    key: 'front_end',
    title: 'Front end',
    text: 'HTTP, tokenizing and detokenizing in the server, and its way to the engine and back',
  },
  { key: 'queue', title: 'Engine queue', text: 'waiting until the engine schedules the request' },
  { key: 'prefill', title: 'Prefill', text: 'from there to the first token' },
  { key: 'decode', title: 'Decode', text: 'from the first to the last token' },
]

export const LATENCIES: { key: string; title: string; text: string }[] = [
  { key: 'ttft', title: 'TTFT', text: 'from the arrival in the front end to the first token there' },
  { key: 'e2el', title: 'E2EL', text: 'from the arrival in the front end to the last token there' },
  { key: 'queue', title: 'Queue', text: 'wait in the queue of the engine' },
  { key: 'prefill', title: 'Prefill', text: 'from the first step to the first token' },
  { key: 'decode', title: 'Decode', text: 'from the first to the last token' },
  { key: 'inference', title: 'Inference', text: 'from the first step to the last token' },
]

export const REASONS: Record<string, string> = {
  counted_more: 'the server counted more requests than completed here: of other clients, probes, failed attempts',
  no_requests: 'no request completed',
  no_page: '/metrics could not be read before and after the run',
  no_histograms: '/metrics lacks the histograms of queue, prefill, decode or the latencies',
  restarted: 'the server restarted during the run',
  not_settled: 'requests were still running or waiting when /metrics was read after the run',
  choices: 'the server counts each choice of a request as a request',
  counted_less: 'the server counted fewer requests than completed here',
  contradiction: 'the server reports longer times than the client measured',
}

export type Limits = [low: number, high: number | null] // null: no upper limit

export interface Split {
  name: string
  total: number
  limits: Map<string, Limits> // by key of a part
  unattributed: number
}

export interface ServerLatency {
  title: string
  text: string
  requests: number
  mean: number | null
  median: Limits
  p99: Limits
}

export interface Breakdown {
  isSplit: boolean
  note: string | null
  isBusyBefore: boolean
  isLocal: boolean
  requests: number | null
  splits: Split[]
  latencies: ServerLatency[]
}

type Section = Record<string, unknown>

const sectionOf = (value: unknown, key: string): Section => {
  const section = typeof value === 'object' && value !== null ? (value as Section)[key] : undefined
  return typeof section === 'object' && section !== null ? (section as Section) : {}
}
const numberOf = (section: Section, key: string) => {
  const value = section[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
const limitsOf = (section: Section, key: string): Limits | null => {
  const low = numberOf(section, `${key}_low_ms`)
  return low === null ? null : [low, numberOf(section, `${key}_high_ms`)]
}

function splitOf(breakdown: Section, key: string, name: string): Split[] {
  const section = sectionOf(breakdown, key)
  const total = numberOf(section, 'total_ms')
  if (total === null || total <= 0) return []
  const limits = new Map<string, Limits>()
  for (const part of PARTS) {
    const found = limitsOf(section, part.key)
    if (found) limits.set(part.key, found)
  }
  return [{ name, total, limits, unattributed: numberOf(section, 'unattributed_ms') ?? 0 }]
}

// null: an earlier version, or a file of another program
export function breakdownOf(experiment: Pick<Experiment, 'document'>): Breakdown | null {
  const breakdown = sectionOf(sectionOf(experiment.document, 'results'), 'latency_breakdown')
  const state = breakdown['state']
  if (typeof state !== 'string') return null
  const isSplit = state !== 'none'
  const reason = REASONS[String(breakdown['reason'])]
  const server = sectionOf(breakdown, 'server')
  return {
    isSplit,
    note: reason ? `${isSplit ? 'The parts have limits' : 'The latencies cannot be split'}, because ${reason}.` : null,
    isBusyBefore: breakdown['busy_before'] === true,
    isLocal: breakdown['same_host'] === true,
    requests: numberOf(breakdown, 'requests'),
    splits: isSplit ? [...splitOf(breakdown, 'ttft', 'TTFT'), ...splitOf(breakdown, 'e2el', 'E2EL')] : [],
    latencies: LATENCIES.flatMap(({ key, title, text }) => {
      const latency = sectionOf(server, key)
      const requests = numberOf(latency, 'count')
      const median = limitsOf(latency, 'median')
      const p99 = limitsOf(latency, 'p99')
      if (!requests || !median || !p99) return []
      return [{ title, text, requests, mean: numberOf(latency, 'mean_ms'), median, p99 }]
    }),
  }
}

export interface Segment {
  key: string // of a part, or unattributed
  start: number // shares of the total
  width: number
}

// The lower limits in the order of time; the rest, whose part is not known, comes last.
export function segmentsOf({ total, limits, unattributed }: Split): Segment[] {
  const pieces = [
    ...PARTS.map(({ key }): [string, number] => [key, limits.get(key)?.[0] ?? 0]),
    ['unattributed', unattributed] as [string, number],
  ]
  // lower limits exceed the total by no more than the clocks differ
  const whole = Math.max(
    total,
    pieces.reduce((sum, [, value]) => sum + value, 0),
  )
  let start = 0
  return pieces.flatMap(([key, value]) => {
    const width = value / whole
    if (width <= 0) return []
    start += width
    return [{ key, start: start - width, width }]
  })
}
