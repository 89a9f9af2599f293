// The content of an experiment's timeline: lanes of series, the phases of the startup and the measured run.
import type { Experiment, SeriesBins } from '../api/types'
import { PHASES, phaseName } from '../fields/phases'
import { evenTicks } from '../format/ticks'
import { type Lane, type LaneLine, type Phase, type Sampled, sourceOf } from '../series/lanes'
import { gapAfter } from '../series/samples'
import { numberOf, USUAL } from './asked'

interface LaneRow {
  title: string
  lines: [series: string, name: string][]
  top?: number // end of the axis of a share
}

// The usual lanes, in their order. A lane without a recorded series is not shown.
const ROWS: LaneRow[] = [
  {
    title: 'Requests',
    lines: [
      ['load.in_flight', 'in flight'],
      ['server_metrics.running', 'running'],
      ['server_metrics.waiting', 'waiting'],
    ],
  },
  { title: 'KV cache use', lines: [['server_metrics.kv_cache_usage', '']], top: 1 },
  { title: 'GPU utilization', lines: [['gpu.utilization', '']], top: 1 },
  { title: 'GPU memory', lines: [['gpu.memory_used_bytes', '']] },
  { title: 'GPU power', lines: [['gpu.power_w', '']] },
  { title: 'GPU clock', lines: [['gpu.sm_clock_mhz', '']] },
  { title: 'GPU temperature', lines: [['gpu.temperature_c', '']] },
  { title: 'Host CPU', lines: [['host.cpu_share', '']], top: 1 },
  {
    title: 'CPU use',
    lines: [
      ['server.cpu_share', 'server'],
      ['client.cpu_share', 'load generator'],
    ],
  },
]
export const LANE_SERIES = ROWS.flatMap(({ lines }) => lines.map(([series]) => series))

// constant during a run: facts, not series
export const FACTS = new Set(['server_metrics.start_time_s', 'server_metrics.kv_blocks', 'server_metrics.block_size'])

export const keyOf = ({ source, name }: Sampled) => `${source}.${name}`

const UNIT = /(_bytes)?(_per_s)?$|_(bytes|w|c|mhz|s)$/
const ACRONYMS: Record<string, string> = {
  cpu: 'CPU',
  pcie: 'PCIe',
  rx: 'RX',
  tx: 'TX',
  kv: 'KV',
  sm: 'SM',
  '1m': '1 min',
}
// 'disk_read_bytes_per_s' is "Disk read".
export function titleOf({ name }: Sampled) {
  const words = name.replace(UNIT, '').split('_')
  const text = words.map((word) => ACRONYMS[word] ?? word).join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

// recorded at changes: a value holds until the next one
export const isHeld = ({ source }: Pick<Sampled, 'source'>) => source === 'load'

const noteOf = (sampled: Sampled) =>
  sampled.tracks > 1 ? `mean and range of ${sampled.tracks} GPUs` : sourceOf(sampled)

const topOf = (lines: LaneLine[]) => {
  const most = Math.max(0, ...lines.flatMap(({ sampled }) => sampled.max).filter((one) => one !== null))
  const top = most > 1e-300 ? evenTicks(0, most, 2).max : 1
  return Number.isFinite(top) ? top : most
}

// `zero_s`: added to the times of the bins.
export function lanesOf(bins: SeriesBins, zeroS: number, isAll: boolean): Lane[] {
  const series = new Map(bins.series.map((one) => [keyOf(one), one]))
  const t = bins.t_s.map((seconds) => seconds + zeroS)
  const laneOf = ({ title, lines: wanted, top }: LaneRow): Lane[] => {
    const lines = wanted.flatMap(([key, name]): LaneLine[] => {
      const sampled = series.get(key)
      if (!sampled) return []
      return [
        {
          key,
          name,
          sampled,
          t,
          values: sampled.values,
          gap: isHeld(sampled) ? Infinity : gapAfter(sampled.interval_s, t),
        },
      ]
    })
    const [first] = lines
    if (!first) return []
    const note = lines.length > 1 ? lines.map(({ name }) => name).join(', ') : first.name || noteOf(first.sampled)
    return [{ title, note, unit: first.sampled.unit, lines, top: top ?? topOf(lines) }]
  }
  const usual = ROWS.flatMap(laneOf)
  if (!isAll) return usual
  const others = bins.series.filter((one) => !USUAL.includes(keyOf(one)) && !FACTS.has(keyOf(one)))
  return [...usual, ...others.flatMap((one) => laneOf({ title: titleOf(one), lines: [[keyOf(one), '']] }))]
}

const BINS_LEAST = 2 // of a part: the distance of two is the length of a bin

// The bins within another range, which are drawn until its own bins arrive. null: too few of them are within it.
export function binsWithin(bins: SeriesBins, [fromNs, toNs]: [number, number]): SeriesBins | null {
  const times = bins.t_s.map((seconds) => bins.from_ns + seconds * 1e9)
  const first = times.findIndex((ns) => ns >= fromNs)
  const last = times.findLastIndex((ns) => ns < toNs)
  if (first < 0 || last - first + 1 < BINS_LEAST) return null
  const part = <T>(list: T[]) => list.slice(first, last + 1)
  return {
    ...bins,
    from_ns: fromNs,
    to_ns: toNs,
    t_s: part(bins.t_s).map((seconds) => seconds + (bins.from_ns - fromNs) / 1e9),
    series: bins.series.map((one) => ({
      ...one,
      values: part(one.values),
      min: part(one.min),
      max: part(one.max),
    })),
  }
}

// The recorded phases of the startup, in seconds after `zero_ns`. Each ends when its field says.
export function phasesOf(experiment: Experiment, zeroNs: number): Phase[] {
  const begin = numberOf(experiment, 'launch.phases.begin_ns')
  if (begin === null) return []
  const origin = (begin - zeroNs) / 1e9
  const ends = PHASES.flatMap((id) => {
    const end = numberOf(experiment, id)
    return end === null ? [] : [{ name: phaseName(id), end }]
  }).toSorted((a, b) => a.end - b.end)
  return ends.map(({ name, end }, i) => ({ name, from: origin + (ends[i - 1]?.end ?? 0), to: origin + end }))
}
