// Rows as a table of Markdown, in full precision.
import type { Experiment, Row } from '../api/types'
import { type Catalogue, longName, shortName } from '../fields/catalogue'
import { escapedMarkdown as escaped } from '../format/file_cell'
import { nameOf, NOT_RECORDED, rawValue } from '../format/value'

const line = (cells: string[]) => `| ${cells.join(' | ')} |`

export function markdownOf(catalogue: Catalogue, columns: string[], rows: Row[]) {
  const fields = columns.map((id) => catalogue.get(id))
  const isFigures = fields.map(({ id }) => rows.some((row) => typeof row.cells[id] === 'number'))
  const shorts = fields.map(shortName)
  const heads = fields.map((field, at) => {
    const name =
      shorts.indexOf(shorts[at] ?? '') === shorts.lastIndexOf(shorts[at] ?? '') ? shortName(field) : longName(field)
    return `${escaped(name)}${field.unit ? ` (${escaped(field.unit)})` : ''}`
  })
  const cell = (row: Row, id: string) => (row.cells[id] === undefined ? NOT_RECORDED : escaped(rawValue(row.cells[id])))
  const names = rows.map((row) => `${escaped(nameOf(row))}${row.simulated ? ' (simulated)' : ''}`)
  return [
    line(['Experiment', ...heads]),
    line(['---', ...isFigures.map((isFigure) => (isFigure ? '---:' : '---'))]),
    ...rows.map((row, i) => line([names[i] ?? '', ...columns.map((id) => cell(row, id))])),
  ].join('\n')
}

// A result that was asked for alone, as a row.
export function rowOf({ id, run_id, simulated, verdict, fields }: Experiment): Row {
  const cells = Object.entries(fields).flatMap(([field, { state, value }]) =>
    state === 'not_recorded' ? [] : [[field, state === 'null' ? null : value]],
  )
  return { id, run_id, simulated, verdict, cells: Object.fromEntries(cells) as Row['cells'] }
}
