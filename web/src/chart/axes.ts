// Axes as the drawing takes them: their kind, what they hold, how ticks are written.
import type { XAXisOption, YAXisOption } from 'echarts/types/dist/shared'

import type { Form } from '../format/number'
import { time } from '../format/time'
import type { Colours } from './colours'
import type { Chart, Named } from './items'
import { binWords } from './items'
import { plain } from './kinds'

const LABEL_MAX = 22
const FEW_DECADES = 20
const FROM_ZERO = 0.5

// In single quotes: they come to stand in attributes of an SVG.
export const MONO = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"
export const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"

const TICK_MAX = 10 // letters that have room beside an axis

// What is too long for an axis stands by its power of ten.
export function tickWords(value: number, form: Form) {
  const words = plain(value, form)
  return words.length <= TICK_MAX ? words : (value * form.scale).toExponential().replace(/^(-?[\d.]{1,5})[\d]*e\+?/, '$1e').replace(/-/g, '−')
}

const clipped = (text: string) => (text.length > LABEL_MAX ? `${text.slice(0, LABEL_MAX - 1)}…` : text)

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
  return isLog ? { ...common, type: 'log' as const, logBase: most / least < FEW_DECADES ? 2 : 10 } : { ...common, type: 'value' as const }
}

function ofTimes(colours: Colours, isY: boolean, [least, most]: [number, number]) {
  const base = look(colours, isY, true)
  const isDays = most - least > 3 * 86_400_000
  return { ...base, type: 'value' as const, scale: true, splitNumber: isY ? 4 : 5, min: least, max: most, axisLabel: { ...base.axisLabel, formatter: (value: number) => time(new Date(value).toISOString()).slice(...(isDays ? [0, 10] : [5, 16])) } }
}

export function ofKinds(words: string[], colours: Colours, isY: boolean) {
  const base = look(colours, isY, false)
  return { ...base, type: 'category' as const, data: words.map(clipped), axisLabel: { ...base.axisLabel, color: colours.text2 } }
}

// Bins are as wide as each other, whatever their edges: those stand between them.
function ofBins(chart: Chart, colours: Colours) {
  const edges = chart.answer.bins?.edges ?? []
  const base = look(colours, false, true)
  return { ...base, type: 'value' as const, min: 0, max: Math.max(1, edges.length - 1), interval: Math.ceil(edges.length / 16), axisLabel: { ...base.axisLabel, formatter: (at: number) => (edges[at] === undefined ? '' : plain(edges[at], chart.x.form)) } }
}

// Numbers that stand for themselves are where they belong; a line has them apart as they are.
export const isOnNumbers = ({ state, x, answer }: Chart) => answer.groups !== undefined && state.kind === 'line' && x.kinds !== null && x.kinds.length > 0 && x.kinds.every(({ state: is, value }) => is === 'value' && typeof value === 'number' && Number.isFinite(value))

const isLogX = (chart: Chart) => (isOnNumbers(chart) ? chart.state.logX && chart.x.kinds!.every(({ value }) => (value as number) > 0) : chart.answer.x?.log === true)

// Where an item stands on the axis.
export const xOf = (chart: Chart, x: number) => (isOnNumbers(chart) ? (chart.x.kinds?.[x]?.value as number) : x)

export function xAxis(chart: Chart, colours: Colours): XAXisOption {
  const { x, answer } = chart
  if (answer.bins?.edges) return ofBins(chart, colours)
  const own = answer.x
  if (isOnNumbers(chart)) {
    const values = x.kinds!.map(({ value }) => value as number)
    return ofNumbers(x, colours, false, isLogX(chart), [Math.min(...values), Math.max(...values)], false)
  }
  if (!own) return ofKinds([''], colours, false)
  if (x.kinds) return ofKinds(answer.bins ? x.kinds.map((_, at) => binWords(chart, at)) : x.words, colours, false)
  const ends: [number, number] = [own.min ?? 0, own.max ?? 1]
  return own.kind === 'time' ? ofTimes(colours, false, ends) : ofNumbers(x, colours, false, own.log, ends, false)
}

export function yAxis(chart: Chart, colours: Colours): YAXisOption {
  const { y, answer, state, items } = chart
  if (y?.kinds) return ofKinds(y.words, colours, true)
  const values = answer.marks ? [answer.y?.min ?? 0, answer.y?.max ?? 1] : items.flatMap(({ y: at, low, high }) => [at, low, high]).filter((at): at is number => at !== null)
  const ends: [number, number] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1]
  if (answer.y?.kind === 'time') return ofTimes(colours, true, ends)
  const axis = y ?? { ...chart.x, kinds: null, form: { unit: '', scale: 1, decimals: 0 } }
  const isZero = answer.bins !== undefined || (state.kind === 'bar' && !state.fromData && !answer.y?.log)
  return ofNumbers(axis, colours, true, answer.y?.log === true && ends[0] > 0, ends, isZero)
}
