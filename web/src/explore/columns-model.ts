import type { Row } from '../api/types'
import { isFailed } from '../format/value'

const VERDICT = 'quality.verdict'

// Columns in their order; the first `pinned` of them stay where they are while the others scroll.
export interface Columns {
  ids: string[]
  pinned: number
}

const isPinned = ({ ids, pinned }: Columns, id: string) => ids.indexOf(id) < pinned && ids.includes(id)

export const shown = ({ ids, pinned }: Columns, id: string): Columns => ({
  ids: [...ids.filter((other) => other !== id), id],
  pinned,
})

export const hidden = (columns: Columns, id: string): Columns => ({
  ids: columns.ids.filter((other) => other !== id),
  pinned: columns.pinned - (isPinned(columns, id) ? 1 : 0),
})

// Moves a column to the end of the pinned ones, or to the beginning of the others.
export function pinTurned(columns: Columns, id: string): Columns {
  const { ids, pinned } = hidden(columns, id)
  return { ids: ids.toSpliced(pinned, 0, id), pinned: isPinned(columns, id) ? pinned : pinned + 1 }
}

// The positions that a column may move to: within its block.
export function canShift({ ids, pinned }: Columns, id: string, by: -1 | 1) {
  const at = ids.indexOf(id)
  const [first, last] = at < pinned ? [0, pinned - 1] : [pinned, ids.length - 1]
  return at >= 0 && at + by >= first && at + by <= last
}

export function shifted(columns: Columns, id: string, by: -1 | 1): Columns {
  if (!canShift(columns, id, by)) return columns
  const at = columns.ids.indexOf(id)
  return { ...columns, ids: columns.ids.toSpliced(at, 1).toSpliced(at + by, 0, id) }
}

// Moves the dragged columns next to another one of the same block.
export function dropped(columns: Columns, keys: ReadonlySet<unknown>, target: string, isAfter: boolean): Columns {
  const taken = columns.ids.filter(
    (id) => keys.has(id) && id !== target && isPinned(columns, id) === isPinned(columns, target),
  )
  const left = columns.ids.filter((id) => !taken.includes(id))
  return { ...columns, ids: left.toSpliced(left.indexOf(target) + (isAfter ? 1 : 0), 0, ...taken) }
}

type Cells = Pick<Row, 'cells'>

// Fields with more than one value in the rows; unset is a value, and not recorded is none.
function varyingIn(rows: readonly Cells[], ids: readonly string[]): ReadonlySet<string> {
  return new Set(
    ids.filter(
      (id) =>
        new Set(rows.flatMap(({ cells }) => (cells[id] === undefined ? [] : [JSON.stringify(cells[id])]))).size > 1,
    ),
  )
}

const PARAMETERS = 4 // that vary and have a column before the metrics

interface Usual {
  columns: string[]
  rows: readonly Row[] // the first ones
  count: number // of all rows
  sorted: string[]
  leading?: readonly string[] // metrics that come before the others
  varying: ReadonlySet<string> | undefined // in all rows; undefined: not known yet
  parameters: readonly string[] // that may become columns, the most important ones first
  isMetric: (id: string) => boolean
}

// The columns of a table for which the user chose none: the parameters that vary come before the metrics, and columns
// without any value come last. If all rows are loaded, columns that no row records are left out. A sorted column stays
// in its place, unless it leads.
export function usualColumns({
  columns,
  rows,
  count,
  sorted,
  leading = [],
  varying,
  parameters,
  isMetric,
}: Usual): string[] {
  const isWhole = rows.length >= count
  if (rows.length === 0) return columns
  const varies = isWhole ? varyingIn(rows, [...columns, ...parameters]) : varying
  const hasValue = (id: string) =>
    sorted.includes(id) ||
    varies?.has(id) ||
    rows.some(({ cells }) => (cells[id] ?? null) !== null || (id === VERDICT && isFailed(cells['run.status'])))
  const isRecorded = (id: string) =>
    !isWhole || sorted.includes(id) || rows.some(({ cells }) => cells[id] !== undefined)
  const metric = columns.findIndex(isMetric)
  const before = columns.slice(0, metric < 0 ? columns.length : metric)
  const room = PARAMETERS - before.filter((id) => id !== VERDICT && varies?.has(id)).length
  const more = parameters.filter((id) => varies?.has(id) && !before.includes(id)).slice(0, Math.max(0, room))
  const first = [...before, ...more]
  const leads = leading.filter((id) => isMetric(id) && !first.includes(id))
  const all = [
    ...first,
    ...leads,
    ...columns.slice(before.length).filter((id) => !more.includes(id) && !leads.includes(id)),
  ].filter(isRecorded)
  return [...all.filter(hasValue), ...all.filter((id) => !hasValue(id))]
}
