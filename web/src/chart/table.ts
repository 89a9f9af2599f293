// The chart as a table: what stands behind it for keys and readers of screens, and what its files hold.
import { longName } from '../fields/catalogue'
import type { Catalogue } from '../fields/catalogue'
import { NOT_RECORDED } from '../format/value'
import { SPREAD_WORDS, STAT_WORDS } from './model'
import { binWords, type Chart, type Item, nameOf, placeWords, unitOf, verdictOf } from './items'

export interface Column {
  head: string
  unit: string
  isFigure: boolean
  show: (item: Item) => string
  raw: (item: Item) => string | number | null
}

const FIGURES = ['n', 'missing', 'null', 'word', 'infinite', 'mean', 'std', 'min', 'p5', 'p25', 'p50', 'p75', 'p95', 'max', 'low', 'high'] as const
const HEADS: Partial<Record<(typeof FIGURES)[number], string>> = { missing: 'not recorded', null: 'unset', word: 'words', p50: 'median', low: '95 % low', high: '95 % high' }
const COUNTS = new Set<string>(['n', 'missing', 'null', 'word', 'infinite'])

export function columnsOf(chart: Chart, catalogue: Catalogue): Column[] {
  const { x, y, answer, colours } = chart
  const colour: Column[] = colours ? [{ head: longName(colours.field), unit: '', isFigure: false, show: (item) => colours.words[item.kind] ?? '', raw: (item) => rawKind(colours.kinds[item.kind]) ?? colours.words[item.kind] ?? '' }] : []
  const place: Column = {
    head: x.name, unit: unitOf(x), isFigure: !x.kinds, show: (item) => (answer.bins ? binWords(chart, item.at) : placeWords(x, item.x, true)),
    raw: (item) => (answer.bins ? binRaw(chart, item.at) : x.kinds ? (rawKind(x.kinds[item.x]) ?? x.words[item.x] ?? '') : x.field.type === 'time' ? new Date(item.x).toISOString() : item.x),
  }
  if (answer.bins) return [place, ...colour, { head: 'experiments', unit: '', isFigure: true, show: (item) => String(item.n), raw: (item) => item.n }]
  if (answer.groups && y) {
    const groups = answer.groups
    return [...(groups.x ? [place] : []), ...colour, ...FIGURES.map((key): Column => {
      const value = (item: Item) => groups[key][item.at] ?? null
      return {
        head: HEADS[key] ?? key, unit: COUNTS.has(key) ? '' : y.form.unit, isFigure: true, raw: value,
        show: (item) => {
          const is = value(item)
          return typeof is !== 'number' ? (is ?? NOT_RECORDED) : COUNTS.has(key) ? String(is) : placeWords(y, is, true)
        },
      }
    })]
  }
  const columns: Column[] = [
    { head: 'experiment', unit: '', isFigure: false, show: (item) => nameOf(chart, item), raw: (item) => nameOf(chart, item) },
    place,
  ]
  if (y) columns.push({ head: y.name, unit: unitOf(y), isFigure: !y.kinds, show: (item) => (item.y === null ? NOT_RECORDED : placeWords(y, item.y, true)), raw: (item) => (y.kinds && item.y !== null ? (rawKind(y.kinds[item.y]) ?? y.words[item.y] ?? '') : item.y) })
  columns.push(...colour)
  if (answer.marks?.size && answer.request.size) columns.push({ head: longName(catalogue.get(answer.request.size)), unit: '', isFigure: true, show: (item) => (item.size === null ? NOT_RECORDED : String(item.size)), raw: (item) => item.size })
  columns.push({ head: 'verdict', unit: '', isFigure: false, show: (item) => verdictOf(chart, item), raw: (item) => answer.marks?.verdict[item.at] ?? null })
  if (answer.form === 'thinned') columns.push({ head: 'stands for', unit: '', isFigure: true, show: (item) => String(item.n), raw: (item) => item.n })
  columns.push({ head: 'id', unit: '', isFigure: true, show: (item) => String(item.id), raw: (item) => item.id })
  return columns
}

const rawKind = (kind: { state: string; value?: unknown } | undefined) => (kind?.state === 'value' && kind.value !== undefined ? (typeof kind.value === 'object' ? JSON.stringify(kind.value) : String(kind.value)) : null)
const binRaw = ({ answer, x }: Chart, at: number) => (answer.bins?.edges ? `${answer.bins.edges[at]} – ${answer.bins.edges[at + 1]}` : (x.words[at] ?? ''))

// What a figure of a group is of, once for the whole chart.
export function captionOf({ state, answer, spread }: Chart) {
  if (!answer.groups) return ''
  if (state.kind === 'box') return `Box: quartiles and median; whiskers: ${spread === 'range' ? 'least to greatest' : 'p5 to p95'}`
  return `${STAT_WORDS[state.stat]}${spread === 'none' ? '' : `; bars of error: ${SPREAD_WORDS[spread]}`}`
}

// ---- files ----------------------------------------------------------------------------------------------

const quoted = (value: string | number | null) => {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// What a spreadsheet would take for a formula begins with a quote.
const safe = (value: string | number | null) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value)

export function csvOf(columns: Column[], items: Item[], notes: string[]) {
  const lines = [columns.map(({ head, unit }) => quoted(safe(unit ? `${head} [${unit}]` : head))), ...items.map((item) => columns.map((column) => quoted(safe(column.raw(item)))))]
  return [...notes.map((note) => `# ${note.replaceAll('\n', ' ')}`), ...lines.map((line) => line.join(','))].map((line) => `${line}\r\n`).join('')
}

export function markdownOf(columns: Column[], items: Item[], notes: string[]) {
  const cell = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ')
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`
  const rows = items.map((item) => line(columns.map((column) => column.show(item))))
  return [...notes, '', line(columns.map(({ head, unit }) => (unit ? `${head} (${unit})` : head))), `|${columns.map(({ isFigure }) => (isFigure ? '---:' : '---')).join('|')}|`, ...rows, ''].join('\n')
}
