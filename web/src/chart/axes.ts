// Axes in the form of ECharts: their kind, range and ticks.
import type { XAXisOption, YAXisOption } from 'echarts/types/dist/shared'

import { COUNTS, isNumeric } from '../format/number'
import { type EdgeTicks, edgeTicks, evenTicks, type Ticks, tickWords, timeTicks } from '../format/ticks'
import { time } from '../format/time'
import { cutWhereAlike } from '../names/cut'
import type { Colours } from './colours'
import type { Chart, Named } from './items'
import { binWords, drawnValues } from './items'
import { KINDS } from './kind-rows'
import { logAxis } from './log-ticks'
import { canBeLogIn, sum } from './model'
import { type Names, namesOf } from './names'

const LABEL_MAX = 22
const FROM_ZERO = 0.5

// In single quotes, because they become attribute values of an SVG.
export const MONO =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"
export const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"

const TICK_LETTER_PX = 6.7 // of the mono face at 11 px

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

// Zero belongs to the axis of bars, and to an axis whose values come near it.
function withZero([least, most]: [number, number], isZero: boolean): [number, number] {
  if (isZero) return [Math.min(0, least), Math.max(0, most)]
  return [least >= 0 && least < most * FROM_ZERO ? 0 : least, most]
}

const TICKS = { x: 8, y: 5 }

interface Scaled {
  isLog: boolean
  ends: [number, number]
  isZero: boolean
}

// The ends and the ticks are round in the unit that is shown.
function ticksOf({ form: { scale }, field }: Named, isY: boolean, { isLog, ends, isZero }: Scaled): Ticks {
  const [least, most] = isLog ? ends : withZero(ends, isZero)
  const count = TICKS[isY ? 'y' : 'x']
  const { min, max, ticks } = isLog
    ? logAxis(least * scale, most * scale, count)
    : evenTicks(least * scale, most * scale, count, field.type === 'count' && scale === 1)
  return { min: min / scale, max: max / scale, ticks: ticks.map((tick) => tick / scale) }
}

// The drawing hands a tick back as it computes it, so the text is that of the nearest one.
function wordsAt({ ticks }: Ticks, words: string[]) {
  return (value: number) =>
    words[
      ticks.reduce(
        (best, tick, i) => (Math.abs(tick - value) < Math.abs((ticks[best] as number) - value) ? i : best),
        0,
      )
    ] ?? ''
}

function ofNumbers(axis: Named, colours: Colours, isY: boolean, scaled: Scaled) {
  const base = look(colours, isY, true)
  const own = ticksOf(axis, isY, scaled)
  const formatter = wordsAt(own, tickWords(own.ticks, axis.form, scaled))
  return {
    ...base,
    type: scaled.isLog ? ('log' as const) : ('value' as const),
    min: own.min,
    max: own.max,
    axisTick: { ...base.axisTick, customValues: own.ticks },
    axisLabel: { ...base.axisLabel, formatter, customValues: own.ticks },
  }
}

// The part of a time that distinguishes the ticks: the date, the time of day, or its seconds.
function timeWords(ticks: number[]): [number, number] {
  if (ticks.length > 1 && ticks.every((tick) => tick % 86_400_000 === 0)) return [0, 10]
  return ticks.every((tick) => tick % 60_000 === 0) || ticks.length < 2 ? [5, 16] : [11, 19]
}

function ofTimes(colours: Colours, isY: boolean, [least, most]: [number, number]) {
  const base = look(colours, isY, true)
  const customValues = timeTicks(least, most, isY ? 4 : 5)
  const part = timeWords(customValues)
  return {
    ...base,
    type: 'value' as const,
    scale: true,
    min: least,
    max: most,
    axisTick: { ...base.axisTick, customValues },
    axisLabel: {
      ...base.axisLabel,
      customValues,
      formatter: (value: number) => time(new Date(Math.round(value)).toISOString(), true).slice(...part),
    },
  }
}

export function ofKinds(words: string[], colours: Colours, isY: boolean, most = LABEL_MAX) {
  const base = look(colours, isY, false)
  return {
    ...base,
    type: 'category' as const,
    data: cutWhereAlike(words, most).map((text) => clipped(text, most)),
    axisLabel: { ...base.axisLabel, color: colours.text2 },
  }
}

// Below an axis each has its place, flat or slanted.
export function ofNames({ words, rotate, step }: Names, colours: Colours) {
  const base = look(colours, false, false)
  return {
    ...base,
    type: 'category' as const,
    data: words,
    axisLabel: {
      ...base.axisLabel,
      color: colours.text2,
      rotate,
      hideOverlap: false,
      lineHeight: 13,
      interval: (at: number) => at % step === 0,
    },
  }
}

// The names along the axis, with how many results each has; null if the axis has no names.
export function namesBelow(chart: Chart, wide: number): Names | null {
  const { x, answer, items } = chart
  if (answer.lines || answer.bins?.edges || !x.kinds || isOnNumbers(chart)) return null
  const words = answer.bins ? x.kinds.map((_, at) => binWords(chart, at)) : x.words.slice(0, x.shown)
  return namesOf(
    words,
    answer.groups ? words.map((_, at) => sum(items.filter((item) => item.x === at).map(({ n }) => n))) : null,
    wide,
  )
}

const ENOUGH = 5 // numbers along an axis

// Bins are equally wide on the axis, whatever their edges, which are numbered where there is room.
function ofBins(chart: Chart, colours: Colours, px: number) {
  const edges = chart.answer.bins?.edges ?? []
  const base = look(colours, false, true)
  const [long, short] = [false, true].map((isShort) => edgeTicks(edges, chart.x.form, px, TICK_LETTER_PX, isShort)) as [
    EdgeTicks,
    EdgeTicks,
  ]
  // written as on the other axes, unless that leaves room for few numbers
  const { words, places: customValues } = long.places.length < Math.min(ENOUGH, short.places.length) ? short : long
  return {
    ...base,
    type: 'value' as const,
    min: 0,
    max: Math.max(1, edges.length - 1),
    axisTick: { show: true, customValues },
    axisLabel: {
      ...base.axisLabel,
      hideOverlap: false,
      customValues,
      formatter: (at: number) => words[customValues.indexOf(at)] ?? '',
    },
  }
}

// Numbers that stand for themselves are where they belong; a line has them apart as they are.
const isOnNumbers = ({ state, x, answer }: Chart) =>
  answer.groups !== undefined &&
  KINDS[state.kind].isLine === true &&
  x.kinds !== null &&
  x.kinds.length > 0 &&
  x.kinds.every(({ state: is, value }) => is === 'value' && typeof value === 'number' && Number.isFinite(value))

const WIDE_TIMES = 100 // the server uses the same for axes of numbers

// The places of a line that are numbers: the server sends them as kinds, so their scale is chosen here.
function isLogOnNumbers({ state, x }: Chart) {
  const values = (x.kinds ?? []).map(({ value }) => value as number)
  const least = Math.min(...values)
  return least > 0 && (state.logX ?? Math.max(...values) >= least * WIDE_TIMES)
}

const isLogX = (chart: Chart) => (isOnNumbers(chart) ? isLogOnNumbers(chart) : chart.answer.x?.log === true)

// Whether an axis is logarithmic; null: it has no scale to choose.
export function isLogScale(chart: Chart, axis: 'x' | 'y'): boolean | null {
  const of = axis === 'x' ? chart.x : chart.y
  const hasNumbers = of !== null && (of.kinds ? axis === 'x' && isOnNumbers(chart) : isNumeric(of.field))
  if (!hasNumbers || !canBeLogIn(chart.state.kind, axis)) return null
  return axis === 'x' ? isLogX(chart) : isLogY(chart)
}

// The position of an item on the axis.
export const xOf = (chart: Chart, x: number) => (isOnNumbers(chart) ? (chart.x.kinds?.[x]?.value as number) : x)

// `px`: how long the axis is.
export function xAxis(chart: Chart, colours: Colours, names: Names | null, px: number): XAXisOption {
  const { x, answer } = chart
  if (answer.bins?.edges) return ofBins(chart, colours, px)
  const own = answer.x
  if (isOnNumbers(chart)) {
    const values = x.kinds!.map(({ value }) => value as number)
    return ofNumbers(x, colours, false, {
      isLog: isLogX(chart),
      ends: [Math.min(...values), Math.max(...values)],
      isZero: false,
    })
  }
  if (!own) return ofKinds([''], colours, false)
  if (names) return ofNames(names, colours)
  const ends: [number, number] = [own.min ?? 0, own.max ?? 1]
  return own.kind === 'time'
    ? ofTimes(colours, false, ends)
    : ofNumbers(x, colours, false, { isLog: own.log, ends, isZero: false })
}

function endsOf({ answer, state, items, spread }: Chart): [number, number] {
  const values = answer.marks
    ? [answer.y?.min ?? 0, answer.y?.max ?? 1]
    : drawnValues(state, answer, items, spread).filter((at) => at !== null)
  return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1]
}

const isZeroBased = ({ answer, state }: Chart) =>
  answer.bins !== undefined || (KINDS[state.kind].isFromZero === true && !state.fromData && !answer.y?.log)
export const isLogY = (chart: Chart) => chart.answer.y?.log === true && endsOf(chart)[0] > 0

const BAR_LEAST = 0.05 // of the range: the lowest bar has a height, too

function scaledY(chart: Chart): Scaled {
  const { state, answer } = chart
  const [least, most] = endsOf(chart)
  const room = KINDS[state.kind].isFromZero && answer.groups && state.fromData ? (most - least) * BAR_LEAST : 0
  const isLog = isLogY(chart)
  return { isLog, ends: [isLog ? least : least - room, most], isZero: isZeroBased(chart) }
}

// Where an axis of bars begins, if not at zero; null if the caption need not say it.
export function beginOf(chart: Chart): number | null {
  const { answer, state, y } = chart
  if (!KINDS[state.kind].isFromZero || !answer.groups || !y || isZeroBased(chart)) return null
  return ticksOf(y, true, scaledY(chart)).min || null
}

// The axis of a histogram's counts.
const countAxis = (x: Named): Named => ({ ...x, field: { ...x.field, type: 'count' }, kinds: null, form: COUNTS })

export function yAxis(chart: Chart, colours: Colours): YAXisOption {
  const { y, answer } = chart
  if (y?.kinds) return ofKinds(y.words, colours, true)
  if (answer.y?.kind === 'time') return ofTimes(colours, true, endsOf(chart))
  return ofNumbers(y ?? countAxis(chart.x), colours, true, scaledY(chart))
}
