// Names of rows in a table: a row whose own name repeats, or is a generated id, gets what tells it apart; of names that begin
// alike only the rest is shown.
import type { Row } from '../api/types'
import { nameOf } from '../format/value'
import { distinctNames, type Fields } from './names'

export interface RowName {
  short: string
  own: string // its own name, where that is shown next to the short one
  full: string // for hover and screen readers
}

const SEEN = 22 // letters of a name that a row has room for
const KEPT = 8 // letters of a shared beginning that are worth cutting

const GENERATED = /^(exp_\d{8}_\d{6}_|result \d+$)/
const isGenerated = (row: Row) => GENERATED.test(nameOf(row))

// Up to the last separator within what all begin with.
function sharedPrefix(names: string[]) {
  const [first = ''] = names
  let length = first.length
  for (const name of names) while (!name.startsWith(first.slice(0, length))) length--
  return Math.max(...[...'-_/. :'].map((mark) => first.lastIndexOf(mark, length - 1))) + 1
}

// What tells names apart that begin alike, again where the rest begins alike.
function tails(names: string[]): string[] {
  const shown = [...names]
  for (const at of Map.groupBy(names.keys(), (i) => names[i]?.slice(0, SEEN)).values()) {
    const group = at.map((i) => names[i] ?? '')
    const from = group.length > 1 && (group[0] ?? '').length > SEEN ? sharedPrefix(group) : 0
    if (from < KEPT) continue
    tails(group.map((name) => name.slice(from))).forEach((tail, i) => { shown[at[i] ?? 0] = `…${tail.replace(/^…/, '')}` })
  }
  return shown
}

// The last part of each run id where that is enough: the first parts are dates.
function shortIds(group: Row[]) {
  const ids = group.map(({ id, run_id }) => run_id ?? `result ${id}`)
  const ends = ids.map((id) => id.slice(id.lastIndexOf('_') + 1))
  return new Set(ends).size === ids.length ? ends : ids
}

const cache = new WeakMap<readonly Row[], Map<number, RowName>>()

// The rows that need another name than their own, by id. Rows of one page are told apart from each other.
export function rowNames(rows: readonly Row[], fields: Fields): ReadonlyMap<number, RowName> {
  const known = cache.get(rows)
  if (known) return known
  const names = new Map<number, RowName>()
  for (const [own, group] of Map.groupBy(rows, (row) => (isGenerated(row) ? '' : nameOf(row)))) {
    if (group.length < 2 && own !== '') continue
    const ids = shortIds(group)
    const things = group.map((row, i) => ({ values: row.cells, name: own === '' ? null : own, id: ids[i] ?? '' }))
    distinctNames(things, fields).forEach(({ short, full }, i) => {
      const row = group[i]
      if (row) names.set(row.id, { short, full, own: short === nameOf(row) ? '' : nameOf(row) })
    })
  }
  const others = rows.filter((row) => !names.has(row.id))
  const own = others.map(nameOf)
  tails(own).forEach((short, i) => {
    const row = others[i]
    if (row && short !== own[i]) names.set(row.id, { short, full: own[i] ?? '', own: '' })
  })
  cache.set(rows, names)
  return names
}
