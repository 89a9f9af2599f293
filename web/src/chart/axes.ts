// Axes as the drawing takes them: their kind, what they hold, how ticks are written.
import type { XAXisOption, YAXisOption } from 'echarts/types/dist/shared'

import { numberedEdges } from '../format/bin-ticks'
import { COUNTS, type Form, isNumeric, shortNumber } from '../format/number'
import { time } from '../format/time'
import type { Colours } from './colours'
import type { Chart, Named } from './items'
import { binWords, drawnValues } from './items'
import { type LogAxis, logAxis } from './log-ticks'
import { canBeLogIn, sum } from './model'
import { type Names, namesOf } from './names'

const LABEL_MAX = 22
const FROM_ZERO = 0.5

// In single quotes: they come to stand in attributes of an SVG.
export const MONO = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"
export const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"

const TICK_LETTER_PX = 6.7 // of the mono face at 11 px
const TICK_MAX = 10 // letters that have room next to an axis

// What is too long for an axis is its power of ten. `isNarrow`: thousands are short, too.
export function tickWords(value: number, form: Form, isNarrow = false) {
  const words = shortNumber(value, form, isNarrow)
  return words.length <= TICK_MAX ? words : (value * form.scale).toExponential().replace(/^(-?[\d.]{1,5})[\d]*e\+?/, '$1e').replace(/-/g, '−')
}

const clipped = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

function look(colours: Colours, isY: boolean, isFigure: boolean) {
  return {
    axisLine: { show: !isY, lineStyle: { color: colours.axis } },
    axisTick: { show: false },
    axisLabel: { color: colours.text3, fontSize: 11, fontFamily: isFigure ? MONO : SANS, hideOverlap: true, margin: 6 },
    splitLine: { show: isY, lineStyle: { color: colours.grid } },
    minorTick: { show: false },
  }
}

// Zero belongs to the axis where the values come near it, and to bars always.
function domain(least: number, most: number, isZero: boolean, isLog: boolean) {
  if (isLog) return {}
  if (isZero) return { min: Math.min(0, least), max: Math.max(0, most) }
  if (least >= 0 && least < most * FROM_ZERO) return { min: 0 }
  return {}
}

function ofNumbers(axis: Named, colours: Colours, isY: boolean, isLog: boolean, ends: [number, number], isZero: boolean) {
  const [least, most] = ends
  // the top of a bar's axis is the drawing's own, so that its ticks are round
  const { min } = domain(least, most, isZero, isLog) as { min?: number }
  const base = look(colours, isY, true)
  const common = { ...base, scale: true, ...(min !== undefined && { min }), splitNumber: isY ? 4 : 7, axisLabel: { ...base.axisLabel, formatter: (value: number) => tickWords(value, axis.form) } }
  if (!isLog) return { ...common, type: 'value' as const }
  const { min: begin, max: end, ticks: customValues } = logEnds(axis, ends, isY)
  return { ...common, type: 'log' as const, min: begin, max: end, axisTick: { ...base.axisTick, customValues }, axisLabel: { ...common.axisLabel, customValues } }
}

const LOG_TICKS = { x: 8, y: 5 }

// Round in the unit that is shown.
function logEnds({ form: { scale } }: Named, [least, most]: [number, number], isY: boolean): LogAxis {
  const { min, max, ticks } = logAxis(least * scale, most * scale, LOG_TICKS[isY ? 'y' : 'x'])
  return { min: min / scale, max: max / scale, ticks: ticks.map((tick) => tick / scale) }
}

function ofTimes(colours: Colours, isY: boolean, [least, most]: [number, number]) {
  const base = look(colours, isY, true)
  const isDays = most - least > 3 * 86_400_000
  return { ...base, type: 'value' as const, scale: true, splitNumber: isY ? 4 : 5, min: least, max: most, axisLabel: { ...base.axisLabel, formatter: (value: number) => time(new Date(value).toISOString()).slice(...(isDays ? [0, 10] : [5, 16])) } }
}

export function ofKinds(words: string[], colours: Colours, isY: boolean, most = LABEL_MAX) {
  const base = look(colours, isY, false)
  return { ...base, type: 'category' as const, data: words.map((text) => clipped(text, most)), axisLabel: { ...base.axisLabel, color: colours.text2 } }
}

// Below an axis each has its place, flat or slanted.
export function ofNames({ words, rotate, step }: Names, colours: Colours) {
  const base = look(colours, false, false)
  return { ...base, type: 'category' as const, data: words, axisLabel: { ...base.axisLabel, color: colours.text2, rotate, hideOverlap: false, lineHeight: 13, interval: (at: number) => at % step === 0 } }
}

// Names of what stands along the axis, and how many results each has; null: it has none.
export function namesBelow(chart: Chart, wide: number): Names | null {
  const { x, answer, items } = chart
  if (answer.lines || answer.bins?.edges || !x.kinds || isOnNumbers(chart)) return null
  const words = answer.bins ? x.kinds.map((_, at) => binWords(chart, at)) : x.words
  return namesOf(words, answer.groups ? words.map((_, at) => sum(items.filter((item) => item.x === at).map(({ n }) => n))) : null, wide)
}

const ENOUGH = 5 // numbers along an axis

interface Numbered {
  words: string[] // by edge
  customValues: number[] // places of the edges that are numbered
}

// Bins are equally wide on the axis, whatever their edges, which are numbered where there is room.
function ofBins(chart: Chart, colours: Colours, px: number) {
  const edges = chart.answer.bins?.edges ?? []
  const base = look(colours, false, true)
  const [long, short] = [false, true].map((isNarrow) => {
    const words = edges.map((edge) => tickWords(edge, chart.x.form, isNarrow))
    return { words, customValues: numberedEdges(edges, px, (edge) => (words[edges.indexOf(edge)] ?? '').length * TICK_LETTER_PX) }
  }) as [Numbered, Numbered]
  // written as on the other axes, unless that leaves room for few numbers
  const { words, customValues } = long.customValues.length < Math.min(ENOUGH, short.customValues.length) ? short : long
  return { ...base, type: 'value' as const, min: 0, max: Math.max(1, edges.length - 1), axisTick: { show: true, customValues }, axisLabel: { ...base.axisLabel, hideOverlap: false, customValues, formatter: (at: number) => words[at] ?? '' } }
}

// Numbers that stand for themselves are where they belong; a line has them apart as they are.
export const isOnNumbers = ({ state, x, answer }: Chart) => answer.groups !== undefined && state.kind === 'line' && x.kinds !== null && x.kinds.length > 0 && x.kinds.every(({ state: is, value }) => is === 'value' && typeof value === 'number' && Number.isFinite(value))

const WIDE_TIMES = 100 // the server uses the same for axes that are no kinds

// The places of a line that are numbers: the server sends them as kinds, so their scale is chosen here.
function isLogOnNumbers({ state, x }: Chart) {
  const values = (x.kinds ?? []).map(({ value }) => value as number)
  const least = Math.min(...values)
  return least > 0 && (state.logX ?? Math.max(...values) >= least * WIDE_TIMES)
}

export const isLogX = (chart: Chart) => (isOnNumbers(chart) ? isLogOnNumbers(chart) : chart.answer.x?.log === true)

// Whether an axis is logarithmic; null: it has no scale to choose.
export function isLogScale(chart: Chart, axis: 'x' | 'y'): boolean | null {
  const of = axis === 'x' ? chart.x : chart.y
  const hasNumbers = of !== null && (of.kinds ? axis === 'x' && isOnNumbers(chart) : isNumeric(of.field))
  if (!hasNumbers || !canBeLogIn(chart.state.kind, axis)) return null
  return axis === 'x' ? isLogX(chart) : isLogY(chart)
}

// Where an item stands on the axis.
export const xOf = (chart: Chart, x: number) => (isOnNumbers(chart) ? (chart.x.kinds?.[x]?.value as number) : x)

// `px`: how long the axis is.
export function xAxis(chart: Chart, colours: Colours, names: Names | null, px: number): XAXisOption {
  const { x, answer } = chart
  if (answer.bins?.edges) return ofBins(chart, colours, px)
  const own = answer.x
  if (isOnNumbers(chart)) {
    const values = x.kinds!.map(({ value }) => value as number)
    return ofNumbers(x, colours, false, isLogX(chart), [Math.min(...values), Math.max(...values)], false)
  }
  if (!own) return ofKinds([''], colours, false)
  if (names) return ofNames(names, colours)
  const ends: [number, number] = [own.min ?? 0, own.max ?? 1]
  return own.kind === 'time' ? ofTimes(colours, false, ends) : ofNumbers(x, colours, false, own.log, ends, false)
}

function endsOf({ answer, state, items, spread }: Chart): [number, number] {
  const values = answer.marks ? [answer.y?.min ?? 0, answer.y?.max ?? 1] : drawnValues(state, answer, items, spread).filter((at) => at !== null)
  return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1]
}

const isZeroBased = ({ answer, state }: Chart) => answer.bins !== undefined || (state.kind === 'bar' && !state.fromData && !answer.y?.log)
export const isLogY = (chart: Chart) => chart.answer.y?.log === true && endsOf(chart)[0] > 0
const BEGIN_STEPS = 4

// Where the axis of bars begins that does not at zero; null: it does, or nothing has to be said of it.
export function beginOf(chart: Chart): number | null {
  const { answer, state } = chart
  if (state.kind !== 'bar' || !answer.groups || isZeroBased(chart)) return null
  const [least, most] = endsOf(chart)
  if (isLogY(chart) && chart.y) return logEnds(chart.y, [least, most], true).min
  const size = (most - least) / BEGIN_STEPS || Math.abs(most) || 1
  const power = 10 ** Math.floor(Math.log10(size))
  const step = power * ([5, 2].find((times) => times <= size / power) ?? 1)
  const begin = Math.floor(least / step) * step
  return begin === 0 ? null : begin
}

export function yAxis(chart: Chart, colours: Colours): YAXisOption {
  const { y, answer } = chart
  if (y?.kinds) return ofKinds(y.words, colours, true)
  const ends = endsOf(chart)
  if (answer.y?.kind === 'time') return ofTimes(colours, true, ends)
  const axis = y ?? { ...chart.x, kinds: null, form: COUNTS }
  const begin = beginOf(chart)
  const drawn = ofNumbers(axis, colours, true, isLogY(chart), ends, isZeroBased(chart))
  return begin === null ? drawn : { ...drawn, min: begin }
}
