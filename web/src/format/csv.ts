// CSV with full precision, after lines of comments that say where the rows are from.
import { safeCell } from './file_cell'

type Cell = string | number | boolean | object | null | undefined

// A time in ms since 1970, as "2026-11-30T06:30:00Z".
export const stamp = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

function quoted(value: Cell) {
  const text =
    value === null || value === undefined
      ? ''
      : String(safeCell(typeof value === 'object' ? JSON.stringify(value) : value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvText = (notes: string[], head: readonly string[], rows: Cell[][]) =>
  [
    ...notes.map((note) => `# ${note.replaceAll('\n', ' ')}`),
    ...[head, ...rows].map((row) => row.map(quoted).join(',')),
  ]
    .map((line) => `${line}\r\n`)
    .join('')
