// Lanes of series on one time axis, and the times that a drawing of them shows.
import type { SeriesBins } from '../api/types'
import type { Line } from './samples'

export type Sampled = SeriesBins['series'][number]

export interface LaneLine extends Line {
  key: string // "gpu.power_w"
  name: string // in the lane
  sampled: Sampled
}

export interface Lane {
  title: string
  note: string // source, and how several GPUs are combined
  unit: string
  lines: LaneLine[]
  top: number // end of the axis, which begins at 0
}

export interface Phase {
  name: string
  from: number
  to: number
}

// A time that a link of the address marks in the drawing.
export interface Mark {
  index: number
  from: number // seconds
  to: number
}

const SOURCES: Record<string, string> = {
  load: 'load generator',
  gpu: 'GPU',
  host: 'host',
  server: 'server processes',
  client: 'load generator',
  server_metrics: 'server’s /metrics',
}

export const sourceOf = ({ source }: Sampled) => SOURCES[source] ?? source

export const LEAST_S = 0.01 // of a zoom: the address has milliseconds

// A range within the recording that is not too narrow for the address; null: it is outside.
export function rangeWithin([from, to]: [number, number], [begin, end]: [number, number]): [number, number] | null {
  const [low, high] = [Math.max(from, begin), Math.min(to, end)]
  if (!(high > low)) return null
  const missing = Math.max(0, LEAST_S - (high - low))
  return [low - missing / 2, high + missing / 2]
}

// A range, widened or narrowed around a time that keeps its place.
export function zoomed([from, to]: [number, number], around: number, factor: number, bounds: [number, number]) {
  const width = Math.min(Math.max((to - from) * factor, LEAST_S), bounds[1] - bounds[0])
  const share = to > from ? (around - from) / (to - from) : 0.5
  const start = Math.min(Math.max(around - width * share, bounds[0]), bounds[1] - width)
  return [start, start + width] as [number, number]
}
