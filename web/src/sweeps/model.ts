// A sweep as a map: runs become cells, and the keys that vary become two axes. Further keys, if cells would overlap,
// become several maps.
import type { Sweep, SweepRun } from '../api/types'

export type Kind = 'done' | 'partial' | 'running' | 'failed' | 'queued' | 'missing' | 'not_uploaded' | 'skipped'
export const KINDS: readonly Kind[] = [
  'done',
  'partial',
  'running',
  'failed',
  'queued',
  'missing',
  'not_uploaded',
  'skipped',
]
const STATUSES: Record<string, Kind> = {
  completed: 'done',
  partial: 'partial',
  running: 'running',
  queued: 'queued',
  missing: 'missing',
  interrupted: 'missing',
  not_uploaded: 'not_uploaded',
  skipped: 'skipped',
}

export const kindOf = ({ status }: Pick<SweepRun, 'status'>): Kind =>
  status === null ? 'done' : (STATUSES[status] ?? 'failed')

// A run without a result is queued while its sweep runs, and missing after the sweep has finished or stopped reporting.
export function runsNow(runs: SweepRun[], isRunning: boolean): SweepRun[] {
  const now: Record<string, string> = isRunning ? { missing: 'queued', interrupted: 'queued' } : { running: 'missing' }
  return runs.map((run) =>
    run.status !== null && run.status in now ? { ...run, status: now[run.status] as string } : run,
  )
}

export type Point = Record<string, unknown>

export interface Cell {
  id: string
  label: string
  point: Point
  set: string | null
  kind: Kind // the best that a run of it came to
  runs: SweepRun[]
  value: number | null // the mean of its runs that have one
  n: number
}

const PART = /(?:^| )([\w.]+)=/g

// Without a plan, only the label has the values: "max_num_seqs=64 max_concurrency=8".
export function pointOfLabel(label: string): Point {
  const parts = [...label.matchAll(PART)]
  return Object.fromEntries(
    parts.map((part, i) => {
      const text = label.slice(part.index + part[0].length, parts[i + 1]?.index)
      return [part[1] as string, text !== '' && Number.isFinite(Number(text)) ? Number(text) : text]
    }),
  )
}

const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)

// The mean of the completed runs, and how many have the value.
export function meanOf(runs: SweepRun[], metric: string) {
  const values = runs
    .filter((run) => ['done', 'partial'].includes(kindOf(run)))
    .map((run) => numberOf(run.values[metric]))
    .filter((value) => value !== null)
  return {
    n: values.length,
    value: values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null,
  }
}

function cellOf(runs: SweepRun[], metric: string): Cell {
  const [first] = runs as [SweepRun]
  const kinds = runs.map(kindOf)
  return {
    id: first.combination,
    label: first.label ?? first.run,
    set: first.set ?? null,
    runs,
    point: first.parameters ?? pointOfLabel(first.label ?? ''),
    kind: KINDS.find((kind) => kinds.includes(kind)) as Kind,
    ...meanOf(runs, metric),
  }
}

// In the order of the file, without combinations that were removed from it.
export function cellsOf(runs: SweepRun[], metric: string): Cell[] {
  const byCell = new Map<string, SweepRun[]>()
  for (const run of runs) {
    if (run.removed) continue
    const own = byCell.get(run.combination)
    if (own) own.push(run)
    else byCell.set(run.combination, [run])
  }
  return [...byCell.values()].map((own) => cellOf(own, metric))
}

export type Counts = Record<Kind, number> & { removed: number }

export function countRuns(runs: SweepRun[]): Counts {
  const counts: Counts = {
    done: 0,
    partial: 0,
    running: 0,
    failed: 0,
    queued: 0,
    missing: 0,
    not_uploaded: 0,
    skipped: 0,
    removed: 0,
  }
  for (const run of runs) counts[run.removed ? 'removed' : kindOf(run)] += 1
  return counts
}

// ---- axes ----------------------------------------------------------------------------------------------------

export interface Input {
  key: string
  values: unknown[] // numbers in ascending order, other values in the order of the file
}

const NOTHING = undefined // the cell's set does not vary the key
export const same = (value: unknown) => (value === NOTHING ? '' : JSON.stringify(value))

function inOrder(values: unknown[]) {
  const numbers = values.filter((value) => typeof value === 'number')
  return numbers.length === values.length ? numbers.toSorted((a, b) => a - b) : values
}

// The keys with several values.
export function inputsOf(cells: Cell[]): Input[] {
  const keys = new Set(cells.flatMap(({ point }) => Object.keys(point)))
  const inputs = [...keys].map((key) => {
    const values = new Map(cells.map(({ point }) => [same(point[key]), point[key]]))
    return {
      key,
      values: inOrder([...values.values()].filter((value) => value !== NOTHING)).concat(
        values.has('') ? [NOTHING] : [],
      ),
    }
  })
  return inputs.filter(({ values }) => values.length > 1)
}

export const isLoad = ({ key }: Input) => !/^(server|launch)\./.test(key)
const longest = (inputs: Input[]) => inputs.toSorted((a, b) => b.values.length - a.values.length)[0]

// The default axes: a load option as columns, a server argument as rows.
export function axesOf(inputs: Input[], x: string, y: string): { x: Input | undefined; y: Input | undefined } {
  const of = (key: string) => inputs.find((input) => input.key === key)
  const chosenY = of(y)
  const right =
    of(x) ??
    longest(inputs.filter((input) => input !== chosenY && isLoad(input))) ??
    longest(inputs.filter((input) => input !== chosenY))
  const rest = inputs.filter((input) => input !== right)
  return {
    x: right,
    y: chosenY === right ? undefined : (chosenY ?? longest(rest.filter((input) => !isLoad(input))) ?? longest(rest)),
  }
}

export interface Facet {
  values: [key: string, value: unknown][] // what all of its cells have
  rows: (Cell | undefined)[][] // by y, by x; undefined: the sweep has none there
}

const placeOf = (cell: Cell, keys: string[]) => keys.map((key) => same(cell.point[key])).join('\n')
const countPlaces = (cells: Cell[], keys: string[]) => new Set(cells.map((cell) => placeOf(cell, keys))).size

// Keys that separate cells with the same position. A key that follows from those before it separates nothing.
function partingKeys(cells: Cell[], inputs: Input[], taken: string[]) {
  const keys: string[] = []
  let count = countPlaces(cells, taken)
  for (const { key } of inputs) {
    if (count === cells.length) break
    if (taken.includes(key)) continue
    const now = countPlaces(cells, [...taken, ...keys, key])
    if (now > count) keys.push(key)
    count = Math.max(count, now)
  }
  return keys
}

export function facetsOf(
  cells: Cell[],
  inputs: Input[],
  { x, y }: { x: Input | undefined; y: Input | undefined },
): Facet[] {
  const keys = partingKeys(
    cells,
    inputs,
    [x, y].flatMap((input) => (input ? [input.key] : [])),
  )
  const columns = new Map((x?.values ?? [NOTHING]).map((value, i) => [same(value), i]))
  const lines = new Map((y?.values ?? [NOTHING]).map((value, i) => [same(value), i]))
  const facets: Facet[] = []
  const byPlace = new Map<string, Facet[]>()
  for (const cell of cells) {
    const place = placeOf(cell, keys)
    const down = lines.get(y ? same(cell.point[y.key]) : '') ?? 0
    const right = columns.get(x ? same(cell.point[x.key]) : '') ?? 0
    const alike = byPlace.get(place) ?? []
    // cells that no key separates would overlap: each further one gets its own map
    let facet = alike.find(({ rows }) => rows[down]?.[right] === undefined)
    if (!facet) {
      facet = {
        values: keys.map((key) => [key, cell.point[key]]),
        rows: Array.from(lines, () => Array.from(columns, () => undefined)),
      }
      facets.push(facet)
      byPlace.set(place, [...alike, facet])
    }
    const row = facet.rows[down]
    if (row) row[right] = cell
  }
  return facets
}

// ---- scale and time ------------------------------------------------------------------------------------------

export interface Scale {
  low: number
  high: number
  isLog: boolean
}

const LOG_FROM = 20 // times the least

export function scaleOf(cells: Cell[]): Scale | null {
  const values = cells.map(({ value }) => value).filter((value) => value !== null)
  if (!values.length) return null
  const low = values.reduce((least, value) => Math.min(least, value), Infinity)
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity)
  return { low, high, isLog: low > 0 && high / low > LOG_FROM }
}

export function shareOf({ low, high, isLog }: Scale, value: number) {
  if (high === low) return 0.5
  return isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)
}

// The end of each run that has a result, in ms.
function endsOf(runs: SweepRun[]) {
  return runs
    .flatMap(({ timestamp, duration_s }) => {
      const at = timestamp === null ? NaN : Date.parse(timestamp) + (duration_s ?? 0) * 1000
      return Number.isFinite(at) ? [at] : []
    })
    .sort((a, b) => a - b)
}

const PAUSE = 10 // times the usual
const SILENT_MS = 15 * 60_000
const SILENT = 5 // times the usual

export interface Pace {
  last: number | null // the end of the last run
  everyMs: number | null // from one end to the next, pauses left out
}

// Includes the starts of servers, because they delay the end of the next run.
export function paceOf(runs: SweepRun[]): Pace {
  const ends = endsOf(runs)
  const gaps = ends
    .slice(1)
    .map((end, i) => end - (ends[i] as number))
    .sort((a, b) => a - b)
  const usual = gaps[Math.floor(gaps.length / 2)]
  const kept = gaps.filter((gap) => gap <= (usual as number) * PAUSE)
  return {
    last: ends.at(-1) ?? null,
    everyMs: usual === undefined ? null : kept.reduce((sum, gap) => sum + gap, 0) / kept.length,
  }
}

// Whether a running sweep has stopped reporting, for example because it was killed.
export function isSilent({ last, everyMs }: Pace, changedAt: string | null, now: number) {
  const heard = Math.max(last ?? 0, changedAt === null ? 0 : Date.parse(changedAt))
  return now - heard > Math.max(SILENT_MS, SILENT * (everyMs ?? 0))
}

// ---- words ---------------------------------------------------------------------------------------------------

// "max_num_seqs" of "server.max_num_seqs", unless two end so.
export function shortKey(key: string, keys: string[]) {
  const last = key.slice(key.lastIndexOf('.') + 1)
  return keys.filter((other) => other === last || other.endsWith(`.${last}`)).length > 1 ? key : last
}

export const stateWord = (state: Sweep['state']) => (state === 'ended' ? 'finished' : (state ?? ''))

export const valueWords = (value: unknown) =>
  value === NOTHING ? '–' : value === null ? 'unset' : typeof value === 'string' ? value : JSON.stringify(value)

export const KIND_WORDS: Record<Kind, string> = {
  done: 'done',
  partial: 'partial',
  running: 'running',
  failed: 'failed',
  queued: 'queued',
  missing: 'missing',
  not_uploaded: 'not uploaded',
  skipped: 'skipped',
}

// "swp_20261123_060000_0a1b2c" contains the start time.
export function startOf(id: string): string | null {
  const found = /^swp_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_/.exec(id)
  return found ? `${found[1]}-${found[2]}-${found[3]}T${found[4]}:${found[5]}:${found[6]}Z` : null
}
