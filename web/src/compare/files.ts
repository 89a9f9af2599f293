// Exports of the shown comparison: Markdown for people, CSV and JSON for programs. CSV and JSON have full precision.
import type { ComparedFigure, ComparedInput, ComparedRatio } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { codeMarkdown, escapedMarkdown, safeCell } from '../format/file_cell'
import { arrow, formOfRow, isNumeric, showNumber } from '../format/number'
import { NOT_RECORDED, valueText, wholeText } from '../format/value'
import { familiesOf, formOf } from './curves'
import {
  type Answer,
  clearPercent,
  findingText,
  intervalText,
  type MetricView,
  percentInterval,
  pText,
  type SideView,
  valuesOf,
  valuesText,
  verdictsText,
} from './model'
import { phasesOf } from './startup'

export interface Shown {
  answer: Answer
  views: SideView[]
  metrics: MetricView[]
  details: MetricView[]
  catalogue: Catalogue
  link: string
}

// ---- Markdown -------------------------------------------------------------------------------------------

const cell = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ')
const line = (cells: string[]) => `| ${cells.map(cell).join(' | ')} |`

function table(head: string[], rows: string[][], figuresFrom: number) {
  return [line(head), `|${head.map((_, i) => (i >= figuresFrom ? '---:' : '---')).join('|')}|`, ...rows.map(line), '']
}

const stamp = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
const shown = (value: number | null, of: MetricView) => (value === null ? NOT_RECORDED : showNumber(value, of.form))

function figureRow(metric: MetricView, views: SideView[], effect: number) {
  const { told, field, form } = metric
  return views.map(({ letter, at }) => {
    const figure = told.sides[at] as ComparedFigure
    const ratio: ComparedRatio | undefined = at === 0 ? undefined : told.ratios[at - 1]
    const name =
      at === 0 ? `${longName(field)} (${[form.unit, arrow(field)].filter(Boolean).join(' ')})`.replace(' ()', '') : ''
    const against = ratio
      ? [
          ratio.ratio === null ? NOT_RECORDED : clearPercent(ratio),
          percentInterval(ratio),
          pText(ratio.p),
          findingText(ratio, effect),
        ]
      : ['baseline', '', '', '']
    return [name, letter, shown(figure.value, metric), String(figure.n), intervalText(figure, form), ...against]
  })
}

// In one form, with whole hashes: an exported text has no tooltip.
function inputRow({ field: id, sides }: ComparedInput, catalogue: Catalogue) {
  const field = catalogue.get(id)
  const form = formOfRow(field, valuesOf(sides))
  const say = (value: unknown) => (typeof value === 'number' ? valueText(field, value, form) : wholeText(field, value))
  return [
    `${codeMarkdown(id)}${form.unit && ` (${form.unit})`}`,
    ...sides.map((told) => valuesText(field, told, undefined, say)),
  ]
}

export function markdownOf({ answer, views, metrics, details, catalogue, link }: Shown) {
  const letters = views.map(({ letter }) => letter)
  const marks = ({ told }: SideView) =>
    [
      `${told.runs} ${told.runs === 1 ? 'run' : 'runs'}`,
      told.simulated > 0 && `${told.simulated} simulated`,
      told.runs > 0 && verdictsText(told),
    ]
      .filter(Boolean)
      .join(', ')
  const lines = [
    '# Comparison',
    '',
    ...views.map(
      (view) =>
        `- **${view.letter}**${view.at === 0 ? ' (baseline)' : ''}: ${escapedMarkdown(view.fullName)}, ${marks(view)}`,
    ),
    '',
  ]
  if (answer.cautions.length)
    lines.push(
      '## Cautions',
      '',
      ...answer.cautions.map(
        ({ title, text, fields }) =>
          `- **${title}**: ${text} (${fields.map(({ field }) => codeMarkdown(field)).join(', ')})`,
      ),
      '',
    )
  lines.push('## Differing inputs', '')
  const { differing, equal, partly_recorded: partly } = answer.inputs
  if (differing.length)
    lines.push(
      ...table(
        ['Parameter', ...letters],
        differing.map((input) => inputRow(input, catalogue)),
        9,
      ),
    )
  lines.push(
    `${equal + partly} parameters are equal${partly ? `; some runs do not record ${partly} of them` : ''}.`,
    '',
  )
  if (metrics.length)
    lines.push(
      '## Metrics',
      '',
      ...table(
        ['Metric', 'Side', 'Value', 'n', '95 % CI', 'Against A', '95 % CI, %', 'p', 'Explanation'],
        metrics.flatMap((metric) => figureRow(metric, views, answer.effect)),
        2,
      ),
    )
  for (const family of familiesOf(answer.families)) {
    const form = formOf(family)
    lines.push(
      `## ${family.title} (${form.unit})`,
      '',
      ...table(
        ['Percentile', ...letters],
        family.percentiles.map((percentile, i) => [
          `p${percentile}`,
          ...family.sides.map(({ value }) => (value[i] == null ? NOT_RECORDED : showNumber(value[i], form))),
        ]),
        1,
      ),
    )
  }
  const phases = phasesOf(details)
  if (phases.length)
    lines.push(
      '## Startup (s)',
      '',
      ...table(
        ['Phase', ...letters],
        phases.map((phase) => [longName(phase.field), ...phase.told.sides.map(({ value }) => shown(value, phase))]),
        1,
      ),
    )
  lines.push(`ProfLLM, data version ${answer.data_version}, ${stamp(answer.at)}, <${link}>`, '')
  return lines.join('\n')
}

// ---- CSV: a line for each figure of each side -------------------------------------------------------------

const quoted = (value: string | number | boolean | null | undefined) => {
  const text = value === null || value === undefined ? '' : String(safeCell(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const CSV_HEAD = [
  'part',
  'field',
  'label',
  'unit',
  'side',
  'name',
  'value',
  'n',
  'low',
  'high',
  'ratio',
  'ratio_low',
  'ratio_high',
  'p',
  'how',
  'finding',
  'more_runs_count',
]

export function csvOf({ answer, views, metrics, details, catalogue, link }: Shown) {
  const rows: (string | number | null | undefined)[][] = []
  for (const { field: id, label, sides } of answer.inputs.differing) {
    const field = catalogue.get(id)
    views.forEach(({ letter, ownName: name, at }) => {
      const told = sides[at]
      rows.push([
        'input',
        id,
        label,
        isNumeric(field) ? field.unit : '',
        letter,
        name,
        told && valuesText(field, told, undefined, (value) => wholeText(field, value)),
      ])
    })
  }
  const figures = (part: string, list: MetricView[]) => {
    for (const { told } of list)
      views.forEach(({ letter, ownName: name, at }) => {
        const figure = told.sides[at]
        const ratio = at === 0 ? undefined : told.ratios[at - 1]
        rows.push([
          part,
          told.field,
          told.label,
          told.unit,
          letter,
          name,
          figure?.value,
          figure?.n,
          figure?.low,
          figure?.high,
          ratio?.ratio,
          ratio?.low,
          ratio?.high,
          ratio?.p,
          ratio?.method,
          ratio?.finding,
          ratio?.more_runs_count,
        ])
      })
  }
  figures('metric', metrics)
  for (const { key, label, unit, percentiles, sides } of familiesOf(answer.families))
    percentiles.forEach((percentile, i) => {
      views.forEach(({ letter, ownName: name, at }) => {
        const side = sides[at]
        rows.push([
          'percentile',
          `results.p${percentile}_${key}`,
          `P${percentile} ${label}`,
          unit,
          letter,
          name,
          side?.value[i],
          side?.n[i],
          side?.low[i],
          side?.high[i],
        ])
      })
    })
  figures('detail', details)
  const notes = [
    `ProfLLM comparison, data version ${answer.data_version}, ${stamp(answer.at)}`,
    link,
    ...answer.cautions.map(({ title, text }) => `caution: ${title}: ${text}`),
  ]
  return [
    ...notes.map((note) => `# ${note.replaceAll('\n', ' ')}`),
    CSV_HEAD.join(','),
    ...rows.map((row) => CSV_HEAD.map((_, i) => quoted(row[i])).join(',')),
  ]
    .map((text) => `${text}\r\n`)
    .join('')
}

export function jsonOf({ answer: { request, at, ...answer }, views, details, link }: Shown) {
  const sides = answer.sides.map((side, i) => ({ ...side, name: views[i]?.ownName ?? side.name }))
  return `${JSON.stringify({ made: stamp(at), link, request, ...answer, sides, details: details.map(({ told }) => told) }, null, 2)}\n`
}
