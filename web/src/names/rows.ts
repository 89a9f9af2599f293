// Names of rows: in the table, on cards, in the table of a chart and on its points. A row keeps its own name if that is
// short and no other row has it. All other rows are named by what varies among them, and a name that is still too long
// is cut where it is like the others.
import type { Row } from '../api/types'
import { nameOf } from '../format/value'
import { cutApart } from './cut'
import { distinctNames, type Fields } from './names'

export interface RowName {
  short: string
  own: string // its own name, where that is shown next to the short one
  full: string // for hover and screen readers
}

const SEEN = 38 // letters of a name that a row shows
const OWN_LEAST = 8 // letters of its own name that are worth showing next to a label
const SIGN = 11 // letters in the room of the sign next to a simulated result

const GENERATED = /^(exp_\d{8}_\d{6}_|result \d+$)/
export const isGeneratedName = (name: string) => GENERATED.test(name)

// Values in a name such as "max_num_seqs=256 max_concurrency=32", as a sweep writes it.
export function valuesInName(name: string): Record<string, unknown> {
  const pairs = name.split(' ').map((word) => /^([a-z]\w*(?:\.\w+)*)=(.+)$/i.exec(word))
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const [, key = '', text = ''] = pair ?? []
      return key
        ? [
            [
              key,
              text !== '' && Number.isFinite(Number(text))
                ? Number(text)
                : text === 'true'
                  ? true
                  : text === 'false'
                    ? false
                    : text,
            ],
          ]
        : []
    }),
  )
}

// The cells of a row, and what its name says about fields that have no value there.
function valuesOf(row: Row, fields: Fields): Record<string, unknown> {
  const said = Object.entries(valuesInName(nameOf(row))).map(
    ([key, value]) =>
      [
        ['server.', 'benchmark.'].map((section) => section + key).find((id) => fields.byId?.has(id)) ?? key,
        value,
      ] as const,
  )
  return { ...row.cells, ...Object.fromEntries(said.filter(([id]) => (row.cells[id] ?? null) === null)) }
}

// The last part of each run id where that is enough: the first parts are dates.
function shortIds(group: readonly Row[]) {
  const ids = group.map(({ id, run_id }) => run_id ?? `result ${id}`)
  const ends = ids.map((id) => id.slice(id.lastIndexOf('_') + 1))
  return new Set(ends).size === ids.length ? ends : ids
}

const roomOf = (row: Row, letters: number) => letters - (row.simulated === true ? SIGN : 0)

// Names by what varies. Where that is not enough, a part of the row's own name follows, or of its id if others have
// that name, too.
function labels(rows: readonly Row[], fields: Fields, letters: number): [number, RowName][] {
  const ids = shortIds(rows)
  const ownOf = (row: Row) => (isGeneratedName(nameOf(row)) ? '' : nameOf(row))
  const things = rows.map((row, i) => ({
    values: valuesOf(row, fields),
    name: ownOf(row),
    id: ids[i] ?? '',
    letters: roomOf(row, letters),
  }))
  return distinctNames(things, fields).map(({ short, full, isLabel }, i) => {
    const row = rows[i] as Row
    const own = ownOf(row)
    const isSaid = !isLabel || short.includes('…') || short.includes(own) || Object.keys(valuesInName(own)).length > 0
    return [row.id, { short, full, own: isSaid ? '' : own }]
  })
}

const cache = new WeakMap<readonly Row[], { letters: number; names: Map<number, RowName> }>()

// The rows that need another name than their own, by id. No two rows of one page have the same short name.
// `letters`: the length of the longest name that is shown.
export function rowNames(rows: readonly Row[], fields: Fields, letters = SEEN): ReadonlyMap<number, RowName> {
  const known = cache.get(rows)
  if (known?.letters === letters) return known.names
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1)
  const isPlain = (row: Row) =>
    !isGeneratedName(nameOf(row)) && counts.get(nameOf(row)) === 1 && nameOf(row).length <= roomOf(row, letters)
  const names = new Map<number, RowName>(
    labels(
      rows.filter((row) => !isPlain(row)),
      fields,
      letters,
    ),
  )
  const cut = cutApart(
    rows.map((row) => ({
      text: names.get(row.id)?.short ?? nameOf(row),
      letters: roomOf(row, letters),
      mark: `#${row.id}`,
    })),
  )
  rows.forEach((row, i) => {
    const [found, short] = [names.get(row.id), cut[i] ?? '']
    const name = found && { ...found, own: roomOf(row, letters) - short.length < OWN_LEAST ? '' : found.own }
    if (short !== (name?.short ?? nameOf(row)))
      names.set(row.id, { short, full: name?.full ?? nameOf(row), own: name?.own ?? '' })
    else if (name?.short === nameOf(row)) names.delete(row.id)
    else if (name) names.set(row.id, name)
  })
  cache.set(rows, { letters, names })
  return names
}
