// The state of a sweep's page in an address: only values that differ from the automatic ones.
//
//   x= y=   keys of its points   metric=   the field that colors cells (automatic: that of the curves' y axis)
//   cx= cy=   the fields of the curves' axes   limit=   of cx, in its unit; none: no limit
import { withPresentNames } from './former'

export interface SweepState {
  x: string
  y: string
  metric: string
  cx: string
  cy: string
  limit: string
}

export const CURVE_X = 'results.p99_ttft_ms'
const DEFAULTS: SweepState = { x: '', y: '', metric: '', cx: CURVE_X, cy: '', limit: '' }
const NAMES = Object.keys(DEFAULTS) as (keyof SweepState)[]

export function readSweep(search: string): SweepState {
  const query = withPresentNames(search)
  const state = { ...DEFAULTS }
  for (const name of NAMES) state[name] = query.get(name) || DEFAULTS[name]
  return state
}

export function writeSweep(state: SweepState) {
  const query = new URLSearchParams()
  for (const name of NAMES) if (state[name] !== DEFAULTS[name]) query.set(name, state[name])
  return query.toString()
}
