// The chart as a file: drawn anew from the answer, with what it is of in it, so that it can be understood elsewhere.
import type { Filter } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { treeWords } from '../filter/tree-words'
import { count } from '../format/number'
import { MONO, SANS } from './axes'
import { type Colours, colourOf } from './colours'
import type { Chart } from './items'
import { unitOf } from './items'
import { legendOf } from './kinds'
import { chartWords, leftOutOf } from './model'
import { GRID, type Option } from './option'
import { cornersOf } from './shapes'
import { captionOf } from './table'

export const WIDTH = 960
const PLOT_HIGH = 420
const LINE = 16
const PER_LINE = 150

// What it is of: a line each.
export function notesOf(chart: Chart, catalogue: Catalogue, tree: Filter | undefined): string[] {
  const { answer } = chart
  const left = leftOutOf(answer, catalogue).map(({ rows, words }) => `${count(rows)} ${words}`)
  return [
    `${chartWords(chart.state, answer, catalogue)}.${captionOf(chart) ? ` ${captionOf(chart)}.` : ''}`,
    `Filter: ${tree ? treeWords(catalogue, tree) : 'none'}`,
    `n = ${count(answer.drawn)} of ${count(answer.count)} that the filter leaves, ${count(answer.total)} in all${left.length ? `; not drawn: ${left.join(', ')}` : ''}`,
    ...(answer.simulated > 0 && !answer.left_out.simulated ? [`SIMULATED: ${count(answer.simulated)} of ${count(answer.count)} are no measurements`] : []),
    ...(answer.form === 'thinned' ? [`${count(answer.marks?.id.length ?? 0)} marks stand for all of them`] : []),
    `ProfLLM, data version ${answer.data_version}, ${new Date(answer.at).toISOString().slice(0, 19)}Z`,
  ]
}

const cut = (text: string) => text.match(new RegExp(`.{1,${PER_LINE}}(?:\\s|$)|.{1,${PER_LINE}}`, 'g')) ?? [text]

// Titles, legend and notes around the drawing, which on the page stand beside it.
export function sheetOf(option: Option, chart: Chart, colours: Colours, notes: string[]): { option: Option; height: number } {
  const entries = chart.colours ? legendOf(chart.colours.field, chart.colours.kinds) : []
  const text = (words: string, left: number, top: number, fill: string, more: object = {}) => ({ type: 'text' as const, left, top, silent: true, style: { text: words, fill, font: `11px ${SANS}`, ...more } })
  const legend: object[] = []
  let left = GRID.left
  let top = 30
  for (const { slot, words, count: rows } of entries.slice(0, 24)) {
    const label = `${words.length > 40 ? `${words.slice(0, 39)}…` : words}  ${count(rows)}`
    const wide = 34 + label.length * 6.2
    if (left + wide > WIDTH - 20) { left = GRID.left; top += LINE + 2 }
    legend.push(slot <= 0 ? { type: 'circle', x: left + 5, y: top + 8, shape: { cx: 0, cy: 0, r: slot < 0 ? 3 : 5 }, silent: true, style: { fill: colourOf(colours, slot) } }
      : { type: 'polygon', x: left + 5, y: top + 8, shape: { points: cornersOf(slot) }, silent: true, style: { fill: colourOf(colours, slot) } })
    legend.push(text(label, left + 16, top + 2, colours.text2))
    left += wide
  }
  const begin = (entries.length ? top + LINE : 26) + 10
  const lines = notes.flatMap(cut)
  const height = begin + PLOT_HIGH + 34 + lines.length * LINE + 12
  const x = `${chart.x.name} ${unitOf(chart.x)} →`
  const graphic = [
    text(`↑ ${chart.y ? `${chart.y.name} ${unitOf(chart.y)}` : 'Experiments'}`, GRID.left, 8, colours.text, { font: `600 12px ${SANS}` }),
    ...legend,
    { type: 'text' as const, right: GRID.right, top: begin + PLOT_HIGH + 6, silent: true, style: { text: x, fill: colours.text, font: `600 12px ${SANS}` } },
    ...lines.map((line, i) => text(line, GRID.left, begin + PLOT_HIGH + 30 + i * LINE, i === 0 ? colours.text : colours.text3, i === lines.length - 1 ? { font: `11px ${MONO}` } : {})),
  ]
  return {
    height,
    option: { ...option, backgroundColor: colours.sheet, graphic: graphic as never, grid: { ...GRID, outerBoundsMode: 'none', top: begin, height: PLOT_HIGH - 26, bottom: undefined } as never },
  }
}

export function save(name: string, content: Blob | string, type: string) {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
