// Requests of the page of an experiment: its parts (timeline.tsx, requests.tsx) and the first script of the page
// (ahead.ts) build the same paths from the same address.
import type { RequestsQuestion, SeriesQuestion } from '../api/experiment-paths'
import type { Experiment } from '../api/types'
import type { RequestsState } from '../url/requests'
import type { TimelineState } from '../url/timeline'

export const PAGE_ROWS = 50
const LANES = 600

const BINS_LEAST = 100
const BINS_MAX = 1000
const BINS_STEP = 50
const PX_PER_BIN = 2

// The bins of a timeline in a window, about one per two pixels of its drawing (ui/page.module.css and
// series/lanes-plot.module.css have the widths).
export function binsOf(windowWidth: number) {
  const page = windowWidth > 1023 ? Math.min(windowWidth - 184, 1300) - 72 : windowWidth - 48
  const drawing = windowWidth > 720 ? page - 312 : page
  const bins = Math.round(drawing / PX_PER_BIN / BINS_STEP) * BINS_STEP
  return Math.min(BINS_MAX, Math.max(BINS_LEAST, bins))
}

// The usual series, in the order of their lanes.
export const USUAL = [
  'load.in_flight',
  'server_metrics.running',
  'server_metrics.waiting',
  'server_metrics.kv_cache_usage',
  'gpu.utilization',
  'gpu.memory_used_bytes',
  'gpu.power_w',
  'gpu.sm_clock_mhz',
  'gpu.temperature_c',
  'host.cpu_share',
  'server.cpu_share',
  'client.cpu_share',
]

// The series to request: all, or those of the usual lanes.
export const seriesOf = (isAll: boolean) => (isAll ? undefined : USUAL)

export const numberOf = (experiment: Experiment, id: string) => {
  const value = experiment.fields[id]?.value
  return typeof value === 'number' ? value : null
}

// The measured run, on the clock of the series; null if the document does not record it.
export function measuredRun(experiment: Experiment): [beginNs: number, endNs: number] | null {
  const [begin, end] = ['begin', 'end'].map((which) => numberOf(experiment, `series.measured_${which}_ns`))
  return begin != null && end != null && end > begin ? [begin, end] : null
}

const toNs = (origin: number, seconds: number) =>
  Math.min(Math.max(0, Math.round(origin + seconds * 1e9)), Number.MAX_SAFE_INTEGER)

// The shown time in ns; null: the whole recording. `origin`: 0 s; null: not known yet.
export function rangeNs(range: TimelineState['range'], origin: number | null): [number, number] | null {
  if (origin === null || range === null) return null
  const [from, to] = [toNs(origin, range[0]), toNs(origin, range[1])]
  // the address may have any numbers
  return to > from ? [from, to] : null
}

export function timelineQuestion(
  { range, isAll }: TimelineState,
  origin: number | null,
  windowWidth: number,
): SeriesQuestion {
  const ns = rangeNs(range, origin)
  return { ...(ns ? { from: ns[0], to: ns[1] } : {}), bins: binsOf(windowWidth), series: seriesOf(isAll) }
}

export const conditionsOf = (state: RequestsState, range: TimelineState['range']): RequestsQuestion => ({
  from_s: range?.[0],
  to_s: range?.[1],
  status: state.status || undefined,
  error: state.error || undefined,
  min: state.min ? `${state.min.column}:${state.min.value}` : undefined,
  id: state.id || undefined,
})

export const wholeQuestion = (conditions: RequestsQuestion): RequestsQuestion => ({
  ...conditions,
  curve: true,
  lanes: LANES,
  limit: 0,
})

export const rowsQuestion = (conditions: RequestsQuestion, sort: string, page: number): RequestsQuestion => ({
  ...conditions,
  sort: sort || undefined,
  limit: PAGE_ROWS,
  offset: (page - 1) * PAGE_ROWS,
})
