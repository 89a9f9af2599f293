// Names of rows in a table. A row whose own name repeats, is a generated id, or is a long file name gets a label of what
// varies. Other long names that begin alike lose as much of their common beginning as the column cannot show. A table cuts what is still
// too long in its middle, because ends of names differ more often than beginnings.
import type { Row } from '../api/types'
import { nameOf } from '../format/value'
import { distinctNames, type Fields } from './names'

export interface RowName {
  short: string
  own: string // its own name, where that is shown next to the short one
  full: string // for hover and screen readers
}

const SEEN = 28 // letters of a name that a row shows
const LEAST = 4 // letters of a difference that a reader sees
const KEPT = 8 // letters of a shared beginning that are worth cutting

const GENERATED = /^(exp_\d{8}_\d{6}_|result \d+$)/
const FILE = /\.jsonl?(\.\w+)?$/i
export const isGeneratedName = (name: string) => GENERATED.test(name)
const isGenerated = (row: Row) => isGeneratedName(nameOf(row))

const END_SHARE = 0.6 // of a cut name, the most that its end has
const SEPARATORS = '-_/. :='
const SIGN = 11 // letters in the room of the sign next to a simulated result
const WIDER = 10 // letters that a column grows by for its labels

// The longest end of a text that begins after a separator and has at most `most` letters.
export function endOf(text: string, most: number) {
  for (let at = Math.max(1, text.length - most); at < text.length; at++) if (SEPARATORS.includes(text[at - 1] ?? '')) return text.slice(at)
  return text.slice(-Math.max(1, Math.floor(most / 2)))
}

// A text of at most `letters` letters: its beginning and its end.
export function cutMiddle(text: string, letters: number) {
  if (text.length <= letters || letters < LEAST * 2) return text
  const end = endOf(text, Math.floor((letters - 1) * END_SHARE))
  return `${text.slice(0, letters - 1 - end.length).trimEnd()}…${end}`
}

// Cuts what the column cannot show. A name that another one would look like stays as it is.
function cutNames(rows: readonly Row[], names: Map<number, RowName>, letters: number) {
  const shown = rows.map((row) => {
    const name = names.get(row.id)
    return { row, name, text: name?.short ?? nameOf(row), most: letters + (name ? WIDER : 0) - (row.simulated === true ? SIGN : 0) }
  })
  const cut = shown.map(({ text, most }) => cutMiddle(text, most))
  const counts = new Map<string, number>()
  for (const text of cut) counts.set(text, (counts.get(text) ?? 0) + 1)
  shown.forEach(({ row, name, text }, i) => {
    const short = cut[i] ?? text
    if (short !== text && counts.get(short) === 1) names.set(row.id, { short, full: name?.full ?? text, own: name?.own ?? '' })
  })
}

// Up to the last separator within what all begin with.
function sharedPrefix(names: string[]) {
  const [first = ''] = names
  let length = first.length
  for (const name of names) while (!name.startsWith(first.slice(0, length))) length--
  return Math.max(...[...'-_/. :'].map((mark) => first.lastIndexOf(mark, length - 1))) + 1
}

// The start of a tail: after the first separator from which the longest name fits, at most `most`.
function tailStart(names: string[], most: number, letters: number) {
  const least = Math.max(...names.map((name) => name.length)) - letters + 1
  for (let at = Math.max(least, 1); at < most; at++) if ('-_/ :'.includes(names[0]?.[at - 1] ?? '')) return at
  return most
}

// Cuts the common beginning of names that look alike in the first `letters`, again where the rest looks alike.
function tails(names: string[], letters: number): string[] {
  const shown = [...names]
  for (const at of Map.groupBy(names.keys(), (i) => names[i]?.slice(0, letters - LEAST)).values()) {
    const group = at.map((i) => names[i] ?? '')
    const from = group.length > 1 && group.some((name) => name.length > letters) ? sharedPrefix(group) : 0
    if (from < KEPT) continue
    const start = tailStart(group, from, letters)
    tails(group.map((name) => name.slice(start)), letters).forEach((tail, i) => { shown[at[i] ?? 0] = `…${tail.replace(/^…/, '')}` })
  }
  return shown
}

// The last part of each run id where that is enough: the first parts are dates.
function shortIds(group: Row[]) {
  const ids = group.map(({ id, run_id }) => run_id ?? `result ${id}`)
  const ends = ids.map((id) => id.slice(id.lastIndexOf('_') + 1))
  return new Set(ends).size === ids.length ? ends : ids
}

// Labels for long file names that begin alike: what varies, and next to it the file name.
function fileNames(rows: readonly Row[], fields: Fields, letters: number): [number, RowName][] {
  const isLong = (row: Row) => FILE.test(nameOf(row)) && nameOf(row).length > letters
  return [...Map.groupBy(rows.filter(isLong), (row) => nameOf(row).slice(0, KEPT)).values()].filter((group) => group.length > 1).flatMap((group) => {
    const ids = tails(group.map(nameOf), letters)
    return distinctNames(group.map((row, i) => ({ values: row.cells, id: ids[i] ?? '' })), fields).flatMap(({ short, full }, i): [number, RowName][] => {
      const [row, id = ''] = [group[i], ids[i]]
      return row && short !== id ? [[row.id, { short, full: nameOf(row) + full.slice(id.length), own: nameOf(row) }]] : []
    })
  })
}

const cache = new WeakMap<readonly Row[], { letters: number; isCut: boolean; names: Map<number, RowName> }>()

// The rows that need another name than their own, by id. Rows of one page are distinguished from each other.
// `letters`: the length of the longest name that the column shows. `isCut`: longer names are cut in their middle.
export function rowNames(rows: readonly Row[], fields: Fields, letters = SEEN, isCut = false): ReadonlyMap<number, RowName> {
  const known = cache.get(rows)
  if (known?.letters === letters && known.isCut === isCut) return known.names
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
  for (const [id, name] of fileNames(rows.filter((row) => !names.has(row.id)), fields, letters)) names.set(id, name)
  const others = rows.filter((row) => !names.has(row.id))
  const own = others.map(nameOf)
  tails(own, letters).forEach((short, i) => {
    const row = others[i]
    if (row && short !== own[i]) names.set(row.id, { short, full: own[i] ?? '', own: '' })
  })
  if (isCut) cutNames(rows, names, letters)
  cache.set(rows, { letters, isCut, names })
  return names
}
