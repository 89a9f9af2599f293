// Converts the state of Compare to a query string and back: one `side=` per side, the first is the baseline.
//
//   side=17           an experiment            side=17,18                   a group of them
//   side={FILTER}     all that a filter leaves
//   side={"label":…,"ids":[…]} or {"label":…,"filter":{…}}   the same with a name, as the API has it
//   match=1  simulated=1  equal=1  clear=1  logcurves=1  logtime=1
import type { Filter } from '../api/types'
import { withPresentNames } from './former'

export type Side = { label?: string } & ({ ids: number[] } | { filter: Filter })

export interface CompareState {
  sides: Side[]
  match: boolean // only runs whose other inputs occur on every side
  withSimulated: boolean // in sides that are filters
  withEqual: boolean // inputs that are equal are listed, too
  onlyClear: boolean // only metrics with a clear difference
  logCurves: boolean // percentile curves with a logarithmic axis
  logTime: boolean // telemetry over time, too
}

export const SIDES_MAX = 8
export const LETTERS = 'ABCDEFGH'
const FLAGS = [
  ['match', 'match'],
  ['simulated', 'withSimulated'],
  ['equal', 'withEqual'],
  ['clear', 'onlyClear'],
  ['logcurves', 'logCurves'],
  ['logtime', 'logTime'],
] as const

// Equal sides become one.
export function writeSide(side: Side) {
  if (side.label !== undefined)
    return JSON.stringify({ label: side.label, ...('ids' in side ? { ids: side.ids } : { filter: side.filter }) })
  return 'ids' in side ? side.ids.join(',') : JSON.stringify(side.filter)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isId = (id: unknown): id is number => Number.isSafeInteger(id) && (id as number) > 0

export function readSide(text: string): Side | null {
  if (!text.startsWith('{')) {
    const ids = text.split(',').map(Number).filter(isId)
    return ids.length ? { ids } : null
  }
  try {
    const json: unknown = JSON.parse(text)
    if (!isObject(json)) return null
    const label = typeof json['label'] === 'string' ? { label: json['label'] } : {}
    if (Array.isArray(json['ids'])) {
      const ids = json['ids'].filter(isId)
      return ids.length ? { ...label, ids } : null
    }
    if (isObject(json['filter'])) return { ...label, filter: json['filter'] as Filter }
    return Object.keys(json).length ? { filter: json as Filter } : null
  } catch {
    return null
  }
}

const encode = (text: string) =>
  encodeURIComponent(text).replace(/%(2C|2F|3A|7B|7D|5B|5D)/g, (code) => decodeURIComponent(code))

export function writeCompare(state: CompareState) {
  const pairs = state.sides.map((side) => `side=${encode(writeSide(side))}`)
  for (const [name, member] of FLAGS) if (state[member]) pairs.push(`${name}=1`)
  return pairs.join('&')
}

export function readCompare(search: string): CompareState {
  const query = withPresentNames(search)
  const sides = query
    .getAll('side')
    .map(readSide)
    .filter((side) => side !== null)
    .slice(0, SIDES_MAX)
  const state: CompareState = {
    sides,
    match: false,
    withSimulated: false,
    withEqual: false,
    onlyClear: false,
    logCurves: false,
    logTime: false,
  }
  for (const [name, member] of FLAGS) state[member] = query.get(name) === '1'
  return state
}

// One side per experiment; the first is the baseline.
export const sidesFor = (ids: number[]): Side[] => ids.map((id) => ({ ids: [id] }))
export const isComparable = (ids: number[]) => ids.length >= 2 && ids.length <= SIDES_MAX

export const oneOf = (side: Side | undefined) =>
  side && 'ids' in side && side.ids.length === 1 ? (side.ids[0] ?? null) : null

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list]
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}
