// The chart as a table: for the keyboard and screen readers, and for files.
import { longName } from '../fields/catalogue'
import { safeCell } from '../format/file_cell'
import { lowEnd, storedUnit } from '../format/unit'
import { NOT_RECORDED } from '../format/value'
import { aboutOf, binWords, type Chart, type Item, nameOf, type Named, placeWords, unitOf, verdictOf } from './items'

export interface Column {
  head: string
  unit: string // of what is shown
  rawUnit: string // of what is as it is stored
  isFigure: boolean
  isVerdict?: true
  show: (item: Item) => string
  raw: (item: Item) => string | number | null
}

const FIGURES = [
  'n',
  'missing',
  'null',
  'word',
  'infinite',
  'failed',
  'mean',
  'std',
  'min',
  'p5',
  'p25',
  'p50',
  'p75',
  'p95',
  'max',
  'low',
  'high',
] as const
const HEADS: Partial<Record<(typeof FIGURES)[number], string>> = {
  missing: 'not recorded',
  null: 'unset',
  word: 'words',
  failed: 'failed runs',
  p50: 'median',
  low: '95 % low',
  high: '95 % high',
}
const COUNTS = new Set<string>(['n', 'missing', 'null', 'word', 'infinite', 'failed'])

const rawUnitOf = ({ kinds, field }: Named) => (kinds || field.type === 'time' ? '' : storedUnit(field))
const NO_UNIT = { unit: '', rawUnit: '' }

// A place on an axis, in words and as it is.
function placeColumn(axis: Named, place: (item: Item) => number | null): Column {
  const of = (item: Item, told: (at: number) => string | number | null) => {
    const at = place(item)
    return at === null ? null : told(at)
  }
  const raw = (at: number) =>
    axis.kinds
      ? (rawKind(axis.kinds[at]) ?? axis.words[at] ?? '')
      : axis.field.type === 'time'
        ? new Date(at).toISOString()
        : at
  return {
    head: axis.name,
    unit: unitOf(axis),
    rawUnit: rawUnitOf(axis),
    isFigure: !axis.kinds,
    show: (item) => String(of(item, (at) => placeWords(axis, at, true)) ?? NOT_RECORDED),
    raw: (item) => of(item, raw),
  }
}

function figureColumns(figures: NonNullable<Chart['answer']['groups']>, axis: Named): Column[] {
  return FIGURES.map((key): Column => {
    const value = (item: Item) => figures[key][item.at] ?? null
    return {
      head: HEADS[key] ?? key,
      ...(COUNTS.has(key) ? NO_UNIT : { unit: axis.form.unit, rawUnit: storedUnit(axis.field) }),
      isFigure: true,
      raw: value,
      show: (item) => {
        const is = value(item)
        return typeof is !== 'number'
          ? (is ?? NOT_RECORDED)
          : COUNTS.has(key)
            ? String(is)
            : placeWords(axis, key === 'low' ? lowEnd(axis.field, is) : is, true)
      },
    }
  })
}

export function columnsOf(chart: Chart): Column[] {
  const { x, y, value, axes, answer, colours } = chart
  const color: Column[] = colours
    ? [
        {
          head: longName(colours.field),
          ...NO_UNIT,
          isFigure: false,
          show: (item) => colours.words[item.kind] ?? '',
          raw: (item) => rawKind(colours.kinds[item.kind]) ?? colours.words[item.kind] ?? '',
        },
      ]
    : []
  const place: Column = answer.bins
    ? {
        head: x.name,
        unit: unitOf(x),
        rawUnit: rawUnitOf(x),
        isFigure: !x.kinds,
        show: (item) => binWords(chart, item.at),
        raw: (item) => binRaw(chart, item.at),
      }
    : placeColumn(x, (item) => item.x)
  if (answer.bins)
    return [
      place,
      ...color,
      { head: 'experiments', ...NO_UNIT, isFigure: true, show: (item) => String(item.n), raw: (item) => item.n },
    ]
  if (answer.groups && y) return [...(answer.groups.x ? [place] : []), ...color, ...figureColumns(answer.groups, y)]
  if (answer.grid && y && value) return [place, placeColumn(y, (item) => item.y), ...figureColumns(answer.grid, value)]
  const columns: Column[] = [
    {
      head: 'experiment',
      ...NO_UNIT,
      isFigure: false,
      show: (item) => nameOf(chart, item),
      raw: (item) => nameOf(chart, item),
    },
  ]
  if (answer.lines)
    columns.push(...axes.map((axis, at) => placeColumn(axis, (item) => answer.lines?.at[at]?.[item.at] ?? null)))
  else columns.push(place, ...(y ? [placeColumn(y, (item) => item.y)] : []))
  columns.push(...color)
  if (chart.size) columns.push(placeColumn(chart.size, ({ size }) => size))
  columns.push({
    head: 'verdict',
    ...NO_UNIT,
    isFigure: false,
    isVerdict: true,
    show: (item) => verdictOf(chart, item),
    raw: (item) => aboutOf(answer)?.verdict[item.at] ?? null,
  })
  if (answer.form === 'thinned')
    columns.push({ head: 'results', ...NO_UNIT, isFigure: true, show: (item) => String(item.n), raw: (item) => item.n })
  columns.push({ head: 'id', ...NO_UNIT, isFigure: true, show: (item) => String(item.id), raw: (item) => item.id })
  return columns
}

const rawKind = (kind: { state: string; value?: unknown } | undefined) =>
  kind?.state === 'value' && kind.value !== undefined
    ? typeof kind.value === 'object'
      ? JSON.stringify(kind.value)
      : String(kind.value)
    : null
const binRaw = ({ answer, x }: Chart, at: number) =>
  answer.bins?.edges ? `${answer.bins.edges[at]} – ${answer.bins.edges[at + 1]}` : (x.words[at] ?? '')

// ---- files ----------------------------------------------------------------------------------------------

const quoted = (value: string | number | null) => {
  const text = value === null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// For programs: numbers as they are stored, in the field's own unit.
export function csvOf(columns: Column[], items: Item[], notes: string[]) {
  const lines = [
    columns.map(({ head, rawUnit }) => quoted(safeCell(rawUnit ? `${head} [${rawUnit}]` : head))),
    ...items.map((item) => columns.map((column) => quoted(safeCell(column.raw(item))))),
  ]
  return [...notes.map((note) => `# ${note.replaceAll('\n', ' ')}`), ...lines.map((line) => line.join(','))]
    .map((line) => `${line}\r\n`)
    .join('')
}

// For people: as the page shows it.
export function markdownOf(columns: Column[], items: Item[], notes: string[]) {
  const cell = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ')
  const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`
  const rows = items.map((item) => line(columns.map((column) => column.show(item))))
  return [
    ...notes,
    '',
    line(columns.map(({ head, unit }) => (unit ? `${head} (${unit})` : head))),
    `|${columns.map(({ isFigure }) => (isFigure ? '---:' : '---')).join('|')}|`,
    ...rows,
    '',
  ].join('\n')
}
