// Ticks of the axes of charts, and the text of their numbers.
import { isEven, numberedEdges } from './bin-ticks'
import { type Form, shortNumber } from './number'

export interface Ticks {
  min: number
  max: number
  ticks: number[]
}

const STEPS = [1, 2, 5, 10]
const DIGITS = 12 // beyond them a sum of steps only shows rounding errors

const round = (value: number) => Number(value.toPrecision(DIGITS))

function stepOver(rough: number, isWhole: boolean) {
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * (STEPS.find((times) => times * power >= rough * (1 - 1e-9)) ?? 10)
  return isWhole ? Math.max(1, step) : step
}

const multiples = (first: number, last: number, step: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => round((first + i) * step))

// Returns round ticks of one step around all values, `most` + 1 or fewer. `isWhole`: only integers have a tick.
export function evenTicks(least: number, greatest: number, most: number, isWhole = false): Ticks {
  const half = Math.abs(least) / 2 || 0.5
  const [low, high] = greatest > least ? [least, greatest] : [least === 0 ? 0 : least - half, greatest + half]
  let [step, first, last] = [stepOver(high / most - low / most, isWhole), 0, 0]
  // the smallest and the largest doubles have no round steps
  if (!(step > 0 && Number.isFinite(step) && Number.isFinite(high / step) && Number.isFinite(low / step)))
    return { min: low, max: high, ticks: [low, high] }
  for (;;) {
    ;[first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)]
    if (last - first <= most) break
    step = stepOver(step * 1.5, isWhole)
  }
  const ticks = multiples(first, last, step)
  return { min: ticks[0] as number, max: ticks.at(-1) as number, ticks }
}

// Returns round ticks between two values, without the space outside them.
export function innerTicks(least: number, greatest: number, most: number): number[] {
  if (!(greatest > least)) return [least]
  const step = stepOver(greatest / most - least / most, false)
  return multiples(Math.ceil(least / step - 1e-9), Math.floor(greatest / step + 1e-9), step)
}

// ---- times ----------------------------------------------------------------------------------------------------------

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]
const TIME_STEPS = [
  ...[1, 2, 5, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 4, 7, 14].map((n) => n * DAY),
]
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200]
const MONTH = 30.44 * DAY
const MONDAY = 4 * DAY // the epoch was a Thursday

// Returns round times in UTC between two times, in milliseconds since the epoch, `most` + 1 or fewer.
export function timeTicks(least: number, greatest: number, most: number): number[] {
  if (!(greatest > least)) return [least]
  const rough = (greatest - least) / most
  const step = TIME_STEPS.find((one) => one >= rough)
  if (step) {
    const from = step % (7 * DAY) === 0 ? MONDAY : 0
    const first = Math.ceil((least - from) / step)
    return multiples(first, Math.floor((greatest - from) / step), step).map((at) => at + from)
  }
  const months = MONTHS.find((one) => one * MONTH >= rough) ?? 1200
  const begin = Math.floor((new Date(least).getUTCFullYear() * 12 + new Date(least).getUTCMonth()) / months) * months
  return Array.from({ length: most + 3 }, (_, i) => Date.UTC(2000, begin + i * months - 24_000)).filter(
    (at) => at >= least && at <= greatest,
  )
}

// ---- text -----------------------------------------------------------------------------------------------------------

const LETTERS_MAX = 10 // next to an axis
const MOST_DECIMALS = 12
const WIDE_TIMES = 10 // of the greatest to the least value on a logarithmic axis
const MULTIPLES: [from: number, letter: string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
]

// The decimals of a number, at most those that a thousandth of the axis needs.
function decimalsOf(value: number, span: number) {
  const most = span > 0 ? Math.min(MOST_DECIMALS, Math.max(0, Math.ceil(-Math.log10(span / 1000)))) : MOST_DECIMALS
  return (/[.](\d*?)0*$/.exec(round(value).toFixed(most))?.[1] ?? '').length
}

const powerOfTen = (value: number) =>
  round(value)
    .toExponential()
    .replace(/^(-?[\d.]{1,5})[\d]*e\+?/, '$1e')
    .replace(/-/g, '−')

interface TickLook {
  isLog?: boolean
  isShort?: boolean // thousands have a letter, too
}

// Writes the numbers of one axis alike: one letter for thousands or millions, and the same number of decimals. On a
// logarithmic axis of more than a decade each number is as short as possible. Numbers that are too long become powers
// of ten.
export function tickWords(values: number[], form: Form, { isLog = false, isShort = false }: TickLook = {}): string[] {
  const shown = values.map((value) => value * form.scale)
  const isWide = isLog && Math.max(...shown) > Math.min(...shown) * WIDE_TIMES
  const words = isWide ? values.map((value) => shortNumber(value, form, isShort)) : alike(shown, isShort)
  return words.every((text) => text.length <= LETTERS_MAX)
    ? words
    : isWide
      ? words.map((text, i) => (text.length <= LETTERS_MAX ? text : powerOfTen(shown[i] as number)))
      : shown.map(powerOfTen)
}

function alike(shown: number[], isShort: boolean): string[] {
  const size = Math.max(0, ...shown.map(Math.abs))
  const [step, letter] = MULTIPLES.find(([from]) => size >= from && size < 1e15 && (isShort || from > 1e3)) ?? [1, '']
  const parts = shown.map((value) => value / step)
  const span = Math.max(...parts) - Math.min(...parts)
  const decimals = Math.max(0, ...parts.map((part) => decimalsOf(part, span)))
  return parts.map(
    (part) =>
      `${part.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).replace(/^-/, '−')}${part === 0 ? '' : letter}`,
  )
}

export interface EdgeTicks {
  places: number[] // of the edges that have a number
  words: string[] // of these
}

// Returns the numbers under the edges of bins on an axis of `px` pixels, as many as there is room for.
export function edgeTicks(edges: number[], form: Form, px: number, letterPx: number, isShort: boolean): EdgeTicks {
  const look = { isLog: !isEven(edges), isShort }
  const all = tickWords(edges, form, look)
  const places = numberedEdges(edges, px, (edge) => (all[edges.indexOf(edge)] ?? '').length * letterPx)
  // the other edges may have more decimals
  return {
    places,
    words: tickWords(
      places.map((at) => edges[at] as number),
      form,
      look,
    ),
  }
}
