// The chart as a file: drawn again from the answer, with its filter, counts and time, so that it can be understood
// elsewhere.
import type { Filter } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { treeWords } from '../filter/tree-words'
import { arrow, count } from '../format/number'
import { MONO, SANS } from './axes'
import { captionOf } from './caption'
import { type Colours, colourOf, rampAt } from './colours'
import { gapWords } from './gaps'
import { scaleOf } from './heat'
import { aboutOf, type Chart, drawnOf, placeWords, unitOf } from './items'
import { type Key, keysOf } from './keys'
import { KINDS } from './kind-rows'
import { OTHER, RAMP, RAMP_STEPS } from './kinds'
import { chartWords, leftOutOf, lowerFirst, STAT_WORDS } from './model'
import { GRID, type Option } from './option'
import { cornersOf } from './shapes'

export const WIDTH = 960
const PLOT_HIGH = 420
const LINE = 16
const PER_LINE = 150
const LEGEND_TOP = 30
const MARGIN = 16 // of titles next to the drawing
const CHAR_WIDE = 6.2

// The notes of the file: filter, counts, gaps, data version. One line each.
export function notesOf(chart: Chart, catalogue: Catalogue, tree: Filter | undefined): string[] {
  const { answer } = chart
  const left = leftOutOf(answer, catalogue).map(({ rows, words }) => `${count(rows)} ${words}`)
  const gaps = gapWords(chart)
  return [
    `${chartWords(chart.state, answer, catalogue, drawnOf(chart))}.${captionOf(chart) ? ` ${captionOf(chart)}.` : ''}`,
    `Filter: ${tree ? treeWords(catalogue, tree) : 'none'}`,
    `n = ${count(drawnOf(chart))} of ${count(answer.count)} that match the filter, ${count(answer.total)} in total${left.length ? `; not plotted: ${left.join(', ')}` : ''}`,
    ...(answer.simulated > 0 && !answer.excluded.simulated
      ? [`SIMULATED: ${count(answer.simulated)} of ${count(answer.count)} are not measurements`]
      : []),
    ...(answer.form === 'thinned'
      ? [`${count(aboutOf(answer)?.id.length ?? 0)} ${answer.lines ? 'lines' : 'marks'} represent all of them`]
      : []),
    ...(gaps ? [`Broken lines: ${gaps.words.join('; ')}`] : []),
    ...(answer.incomplete.length ? [`Not computed in time: ${answer.incomplete.join(', ')}`] : []),
    `ProfLLM, data version ${answer.data_version}, ${new Date(answer.at).toISOString().slice(0, 19)}Z`,
  ]
}

const cut = (text: string) => text.match(new RegExp(`.{1,${PER_LINE}}(?:\\s|$)|.{1,${PER_LINE}}`, 'g')) ?? [text]

const text = (words: string, left: number, top: number, fill: string, more: object = {}) => ({
  type: 'text' as const,
  left,
  top,
  silent: true,
  style: { text: words, fill, font: `11px ${SANS}`, ...more },
})

// The color scale of the cells, in one line.
function scaleLine(chart: Chart, colours: Colours, top: number): object[] {
  const scale = scaleOf(chart)
  const { value } = chart
  if (!scale || !value) return []
  const words = `${STAT_WORDS[chart.state.stat]} ${lowerFirst(value.name)} ${unitOf(value)} ${arrow(value.field)}   ${placeWords(value, scale.least, true)}`
  const begin = GRID.left + words.length * CHAR_WIDE + 10
  const steps = Array.from({ length: RAMP_STEPS }, (_, i) => ({
    type: 'rect',
    silent: true,
    shape: { x: begin + i * 14, y: top + 2, width: 14, height: 11 },
    style: { fill: rampAt(colours, i / (RAMP_STEPS - 1)) },
  }))
  return [
    text(words, GRID.left, top + 2, colours.text2),
    ...steps,
    text(placeWords(value, scale.most, true), begin + RAMP_STEPS * 14 + 8, top + 2, colours.text2),
  ]
}

// The symbol of a key in the legend, centered at (x, y).
function swatch({ look, slot, wide }: Key, colours: Colours, x: number, y: number): object {
  const color = slot === OTHER ? colours.other : colourOf(colours, slot)
  const stroke = { fill: 'none', stroke: colours.text2, lineWidth: 1.5 }
  const of = (type: string, shape: object, style: object) => ({ type, x, y, shape, silent: true, style })
  const square = [
    [-5, -5],
    [5, -5],
    [5, 5],
    [-5, 5],
  ]
  if (look === 'size') return of('circle', { cx: 0, cy: 0, r: wide / 2 }, { ...stroke, lineWidth: 1 })
  if (look === 'faint') return of('circle', { cx: 0, cy: 0, r: 5 }, { fill: colours.text2, opacity: 0.4 })
  if (look === 'hollow')
    return of('circle', { cx: 0, cy: 0, r: 4.4 }, { fill: colours.sheet, stroke: colours.text2, lineWidth: 1.6 })
  if (look === 'dashed')
    return of(
      'polyline',
      {
        points: [
          [-6, 0],
          [6, 0],
        ],
      },
      { ...stroke, lineDash: [4, 2] },
    )
  if (look === 'frontier')
    return of(
      'polyline',
      {
        points: [
          [-6, -3],
          [0, -3],
          [0, 3],
          [6, 3],
        ],
      },
      stroke,
    )
  if (look === 'empty')
    return of('polygon', { points: square }, { fill: 'none', stroke: colours.quiet, lineWidth: 1, lineDash: [3, 2] })
  if (look === 'corner') return of('polygon', { points: square.slice(0, 3) }, { fill: colours.text2 })
  if (slot <= 0 || slot >= RAMP) return of('circle', { cx: 0, cy: 0, r: slot < 0 ? 3 : 5 }, { fill: color })
  return of('polygon', { points: cornersOf(slot) }, { fill: color })
}

// Lays out the legend in lines. Returns it with its lower end.
function legendLines(chart: Chart, colours: Colours): { legend: object[]; end: number } {
  const keys = keysOf(chart)
  const legend = chart.answer.grid ? scaleLine(chart, colours, LEGEND_TOP) : []
  let left = GRID.left
  let top = LEGEND_TOP + (chart.answer.grid && keys.length ? LINE + 2 : 0)
  for (const key of keys) {
    const label = `${key.words.length > 40 ? `${key.words.slice(0, 39)}…` : key.words}${key.count === null ? '' : `  ${count(key.count)}`}`
    const wide = 24 + key.wide + label.length * CHAR_WIDE
    if (left + wide > WIDTH - 20) {
      left = GRID.left
      top += LINE + 2
    }
    legend.push(
      swatch(key, colours, left + key.wide / 2, top + 8),
      text(label, left + key.wide + 6, top + 2, colours.text2),
    )
    left += wide
  }
  return { legend, end: keys.length || chart.answer.grid ? top + LINE : LEGEND_TOP - 4 }
}

// Returns the drawing with its titles, legend and notes, which the web UI shows next to it.
export function sheetOf(
  option: Option,
  chart: Chart,
  colours: Colours,
  notes: string[],
): { option: Option; height: number } {
  const { answer, y } = chart
  const { legend, end: legendEnd } = legendLines(chart, colours)
  const begin = legendEnd + 10
  const lines = notes.flatMap((note, i) =>
    cut(note).map((line) => ({ line, isFirst: i === 0, isLast: i === notes.length - 1 })),
  )
  const grid = option.grid as { left: number; right: number; top: number; bottom: number }
  const end = begin + PLOT_HIGH + Math.max(0, grid.bottom - GRID.bottom)
  const height = end + 34 + lines.length * LINE + 12
  const title = answer.lines
    ? `${KINDS[chart.state.kind].words}${chart.colours ? `, by ${lowerFirst(longName(chart.colours.field))}` : ''}`
    : `↑ ${y ? `${y.name} ${unitOf(y)}` : 'Experiments'}`
  const graphic = [
    text(title, GRID.left, 8, colours.text, { font: `600 12px ${SANS}` }),
    ...legend,
    ...(answer.lines
      ? []
      : [
          {
            type: 'text' as const,
            right: GRID.right,
            top: end + 6,
            silent: true,
            style: { text: `${chart.x.name} ${unitOf(chart.x)} →`, fill: colours.text, font: `600 12px ${SANS}` },
          },
        ]),
    ...lines.map(({ line, isFirst, isLast }, i) =>
      text(
        line,
        GRID.left,
        end + 30 + i * LINE,
        isFirst ? colours.text : colours.text3,
        isLast ? { font: `11px ${MONO}` } : {},
      ),
    ),
  ]
  return {
    height,
    option: {
      ...option,
      backgroundColor: colours.sheet,
      graphic: graphic as never,
      grid: {
        ...grid,
        left: grid.left + (answer.lines ? MARGIN : 0),
        right: grid.right + (answer.lines ? MARGIN : 0),
        outerBoundsMode: 'none',
        top: begin + grid.top - GRID.top,
        height: PLOT_HIGH - 26 - grid.top + GRID.top,
        bottom: undefined,
      } as never,
    },
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
