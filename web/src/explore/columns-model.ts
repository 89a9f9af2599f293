import type { Row } from '../api/types'

// Columns in their order; the first `pinned` of them stay where they are while the others scroll.
export interface Columns {
  ids: string[]
  pinned: number
}

const isPinned = ({ ids, pinned }: Columns, id: string) => ids.indexOf(id) < pinned && ids.includes(id)

export const shown = ({ ids, pinned }: Columns, id: string): Columns => ({ ids: [...ids.filter((other) => other !== id), id], pinned })

export const hidden = (columns: Columns, id: string): Columns => ({
  ids: columns.ids.filter((other) => other !== id),
  pinned: columns.pinned - (isPinned(columns, id) ? 1 : 0),
})

// To the end of those that are pinned, or to the begin of those that are not.
export function pinTurned(columns: Columns, id: string): Columns {
  const { ids, pinned } = hidden(columns, id)
  return { ids: ids.toSpliced(pinned, 0, id), pinned: isPinned(columns, id) ? pinned : pinned + 1 }
}

// Where one may go: within its own block.
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

// Dragged beside another one of the same block.
export function dropped(columns: Columns, keys: ReadonlySet<unknown>, target: string, isAfter: boolean): Columns {
  const taken = columns.ids.filter((id) => keys.has(id) && id !== target && isPinned(columns, id) === isPinned(columns, target))
  const left = columns.ids.filter((id) => !taken.includes(id))
  return { ...columns, ids: left.toSpliced(left.indexOf(target) + (isAfter ? 1 : 0), 0, ...taken) }
}

// Of the usual columns those that some row records; all of them where not all rows are here. A sorted column stays.
export function recorded(columns: string[], rows: Pick<Row, 'cells'>[], count: number, sorted: string[]) {
  if (rows.length === 0 || rows.length < count) return columns
  return columns.filter((id) => sorted.includes(id) || rows.some(({ cells }) => cells[id] !== undefined))
}
