// Parallel axes: each result is a line through its value of each field, broken where a value is missing. A middle axis
// is a column as wide as its labels: lines end at its left edge and continue at its right edge, so none crosses a
// label.
import type { CustomSeriesOption } from 'echarts/charts'
import type { CustomSeriesRenderItemReturn } from 'echarts/types/dist/shared'

import { shortName } from '../fields/catalogue'
import { AXES_MIN } from '../url/chart'
import { innerTicks, tickWords } from '../format/ticks'
import { time } from '../format/time'
import { arrow, count } from '../format/number'
import { MONO, SANS } from './axes'
import { type Colours, colourOf } from './colours'
import type { Axis, Chart, Item } from './items'
import { unitOf } from './items'
import { STRANDS } from './marks'
import type { Drawing, Target } from './option'

const SIDE = 64 // room for the outermost titles
const LEFT_MAX = 170 // and for the first axis' values
const NARROW = 90 // axes nearer to each other have shorter names and figures
const SIDE_NARROW = 48
const LEFT_SHARE = 0.28
const TOP = 28 // and a line for each of a title
const TITLE_HIGH = 13
const TITLE_WIDE = 6.2
const BOTTOM = 28
const TICK_HIGH = 14
const CHAR_WIDE = 6.6 // of a figure
const NAME_WIDE = 7 // of a letter of a name
const USUAL_HIGH = 238
const MORE_MAX = 120
const TICKS = 4
const WHOLE_MAX = 12 // distinct numbers that are all labeled at their axis
const QUIET = { type: 'custom', animation: false, silent: true, progressive: 0 } as const

// From the bottom, 0, to the top, 1.
export function shareOn({ kinds, least, most }: Axis, at: number) {
  if (kinds) return (at + 0.5) / kinds.length
  return most > least ? (at / 2 - least / 2) / (most / 2 - least / 2) : 0.5
}

export function valueOn({ least, most }: Axis, share: number) {
  return most > least ? least * (1 - share) + most * share : least
}

// The places along an axis that lie between two shares of it.
export const kindsBetween = (axis: Axis, [low, high]: [number, number]) =>
  (axis.kinds ?? []).filter((_, at) => shareOn(axis, at) >= low && shareOn(axis, at) <= high)

// Per axis, the place where each line crosses it; NaN if it does not.
const crossings = ({ axes, answer, items }: Chart) =>
  axes.map((axis, i) => {
    const places = answer.lines?.at[i]
    return Float64Array.from(items, ({ at }) => {
      const value = places?.[at] ?? null
      return value === null ? NaN : shareOn(axis, value)
    })
  })

// More lines are fainter: places where many overlap are still dark.
const opacityOf = (count: number) => (count <= 60 ? 0.8 : count <= 400 ? 0.5 : count <= 1500 ? 0.28 : 0.16)

const PATHS_MAX = 400 // shapes of their own: beyond, several lines of one look are one

// Groups lines into shapes, by the first line of each. Lines that follow each other in time are in different shapes, so
// that overlapping lines still become darker.
function bundles(items: Item[]): Map<number, number[]> {
  const looks = new Map<string, number[]>()
  items.forEach((item, at) => {
    const look = `${item.slot} ${item.isHollow} ${item.isSimulated} ${item.n > 1}`
    const own = looks.get(look)
    if (own) own.push(at)
    else looks.set(look, [at])
  })
  const size = Math.ceil(items.length / PATHS_MAX)
  const all = new Map<number, number[]>()
  for (const own of looks.values()) {
    const count = Math.ceil(own.length / size)
    for (let first = 0; first < count; first++)
      all.set(
        own[first] ?? 0,
        own.filter((_, i) => i % count === first),
      )
  }
  return all
}

const THIN = 1 // a stroke of one pixel is painted far faster than one that is a little wider
const WIDE = 2.2
const ALONE = 4 // to each side, of a place between two gaps

// The axes in pixels: where each is, where they begin and how high they are.
interface Frame {
  xs: number[]
  bottom: number
  high: number
  gutters: number[] // to the left of each axis
}

// From axis `first` to before `end` without a gap. A wide line is two thin ones next to each other.
function piece(
  points: number[],
  [first, end]: [number, number],
  heights: number[],
  { xs, gutters }: Frame,
  isDouble: boolean,
) {
  const leaves = (i: number): [number, number] => [xs[i] as number, heights[i] as number]
  const enters = (i: number): [number, number] => [(xs[i] as number) - (gutters[i] ?? 0), heights[i] as number]
  if (end - first === 1) {
    const [[x0, y], [x1]] = [enters(first), leaves(first)]
    if (x0 === x1) points.push(x0 - ALONE, y, x1 + ALONE, y, NaN, NaN)
    else points.push(x0 - ALONE, y, x0, y, NaN, NaN, x1, y, x1 + ALONE, y, NaN, NaN)
  } else if (!isDouble) {
    points.push(...leaves(first))
    for (let i = first + 1; i < end; i++)
      points.push(...enters(i), ...(gutters[i] ? [NaN, NaN, ...(i < end - 1 ? leaves(i) : [])] : []))
    points.push(NaN, NaN)
  } else {
    for (let i = first + 1; i < end; i++) {
      const [[x0, y0], [x1, y1]] = [leaves(i - 1), enters(i)]
      const half = (WIDE - THIN) / 2 / Math.hypot(x1 - x0, y1 - y0)
      const [dx, dy] = [(y0 - y1) * half, (x1 - x0) * half]
      points.push(x0 + dx, y0 + dy, x1 + dx, y1 + dy, NaN, NaN, x0 - dx, y0 - dy, x1 - dx, y1 - dy, NaN, NaN)
    }
  }
}

export function strandsOf(lines: number[], shares: Float64Array[], frame: Frame, isDouble: boolean): Float32Array {
  const points: number[] = []
  for (const line of lines) {
    const heights = shares.map((own) => frame.bottom - (own[line] as number) * frame.high)
    let first = 0
    for (let i = 0; i <= heights.length; i++) {
      if (i < heights.length && !Number.isNaN(heights[i])) continue
      if (i > first) piece(points, [first, i], heights, frame, isDouble)
      first = i + 1
    }
  }
  return Float32Array.from(points)
}

function lines(
  chart: Chart,
  colours: Colours,
  shares: Float64Array[],
  { gutters, places }: Layout,
): CustomSeriesOption {
  const { items } = chart
  const opacity = opacityOf(items.length)
  const bundled = bundles(items)
  const isMany = items.length > PATHS_MAX
  // the first number locates the line, and its places follow, so that the drawing can return them
  const wide = 2 + shares.length
  const data = new Float64Array(items.length * wide)
  items.forEach((_, line) => {
    const own = shares.map((share) => share[line] as number)
    const begin = Math.max(
      0,
      own.findIndex((share) => !Number.isNaN(share)),
    )
    data.set([places[begin] as number, own[begin] || 0, ...own], line * wide)
  })
  const shape = (frame: Frame, own: number[], item: Item) => {
    const isWide = item.n > 1
    const at = strandsOf(own, shares, frame, isWide && isMany)
    const look = {
      stroke: colourOf(colours, item.slot),
      fill: 'none',
      lineWidth: isMany ? THIN : isWide ? WIDE : 1.2,
      opacity: item.isSimulated ? opacity / 2 : opacity,
      ...(item.isHollow && { lineDash: [5, 3] }),
    }
    return { type: STRANDS, shape: { at }, style: look, silent: true }
  }
  return {
    ...QUIET,
    z: 2,
    dimensions: Array.from({ length: wide }, (_, i) => `d${i}`),
    encode: { x: 0, y: 1 },
    data,
    // the first draws all: one by one they would cost the drawing more than what is seen of them
    renderItem: ({ dataIndex }, api) => {
      if (dataIndex > 0) return null
      const [bottom = 0, top = 0] = [api.coord([0, 0])[1], api.coord([0, 1])[1]]
      const frame = { xs: places.map((at) => api.coord([at, 0])[0] ?? 0), bottom, high: bottom - top, gutters }
      return {
        type: 'group',
        children: [...bundled].map(([first, own]) => shape(frame, own, items[first] as Item)),
      } as unknown as CustomSeriesRenderItemReturn
    },
  }
}

interface Tick {
  share: number
  words: string
}

// Round in the unit that is shown.
const roundTicks = ({ least, most, form: { scale } }: Axis) =>
  innerTicks(least * scale, most * scale, TICKS).map((tick) => tick / scale)

// A few distinct numbers are all labeled, as far as their labels fit above each other.
function ownTicks(axis: Axis, values: (number | null)[], high: number): number[] {
  const own = [...new Set(values)].filter((value) => value !== null).sort((a, b) => a - b)
  if (own.length > WHOLE_MAX) return roundTicks(axis)
  let last = -Infinity
  return own.filter((value) => {
    const at = shareOn(axis, value) * high
    const fits = at - last >= TICK_HIGH
    if (fits) last = at
    return fits
  })
}

function ticksOf(axis: Axis, values: (number | null)[], high: number, isNarrow: boolean): Tick[] {
  const room = Math.max(2, Math.floor(high / TICK_HIGH))
  if (axis.kinds) {
    const step = Math.ceil(axis.kinds.length / room)
    return axis.words.map((words, at) => ({ share: shareOn(axis, at), words })).filter((_, at) => at % step === 0)
  }
  const day = (value: number) => time(new Date(value).toISOString()).slice(0, 10)
  if (axis.field.type === 'time')
    return [0, 0.5, 1]
      .map((share) => ({ share, words: day(valueOn(axis, share)) }))
      .slice(0, axis.most > axis.least ? 3 : 1)
  const ticks = ownTicks(axis, values, high)
  const words = tickWords(ticks, axis.form, { isShort: isNarrow })
  return ticks.map((value, i) => ({ share: shareOn(axis, value), words: words[i] as string }))
}

// The first axis has its values at its left, where nothing else is.
const leftOf = ({ axes: [first] }: Chart, wide: number) =>
  Math.min(
    LEFT_MAX,
    Math.max(SIDE, wide * LEFT_SHARE),
    Math.max(SIDE, ...(first?.words ?? []).map((words) => words.length * NAME_WIDE + 16)),
  )

interface Layout {
  left: number
  right: number
  isNarrow: boolean
  titles: string[][]
  lines: number // of the highest title
  gutters: number[] // px to the left of each axis, for its labels
  places: number[] // px of each axis from the first
}

const LABEL_SIDE = 5
const GUTTER_MAX = 150
const RUN_LEAST = 40 // px between two axes in which lines can be followed

// The px that the labels of each middle axis need. Those of the first axis are at its left and those of the last at its
// right, where no line is.
function guttersOf({ axes, answer }: Chart, isNarrow: boolean): number[] {
  return axes.map((axis, at) => {
    if (at === 0 || at === axes.length - 1) return 0
    const labels = ticksOf(axis, answer.lines?.at[at] ?? [], USUAL_HIGH, isNarrow)
    return Math.ceil(
      Math.min(
        GUTTER_MAX,
        Math.max(0, ...labels.map(({ words }) => words.length)) * (axis.kinds ? NAME_WIDE : CHAR_WIDE) + LABEL_SIDE * 2,
      ),
    )
  })
}

const sum = (list: number[]) => list.reduce((all, one) => all + one, 0)

// Lines have the same room between all axes; where that is too little, labels get less.
export function placesOf(wanted: number[], wide: number): Pick<Layout, 'gutters' | 'places'> {
  const runs = Math.max(1, wanted.length - 1)
  const share = Math.min(1, Math.max(0, wide - runs * RUN_LEAST) / Math.max(1, sum(wanted)))
  const gutters = wanted.map((own) => Math.floor(own * share))
  const run = (wide - sum(gutters)) / runs
  let at = 0
  return { gutters, places: gutters.map((own, i) => (at += i === 0 ? 0 : own + run)) }
}

// By whole words, the last line cut.
export function linesOfTitle(text: string, letters: number, most: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && (`${last} ${word}`.length <= letters || lines.length === most))
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => (line.length > letters ? `${line.slice(0, Math.max(2, letters - 1))}…` : line))
}

const TITLE_LINES = 2
const TITLE_LINES_NARROW = 3

function layoutOf(chart: Chart, wide: number): Layout {
  const { axes } = chart
  const left = leftOf(chart, wide)
  const isNarrow = (wide - left - SIDE) / Math.max(1, axes.length - 1) < NARROW
  const right = isNarrow ? SIDE_NARROW : SIDE
  const { gutters, places } = placesOf(guttersOf(chart, isNarrow), wide - left - right)
  const run = (places[1] ?? 0) - (gutters[1] ?? 0)
  const most = isNarrow ? TITLE_LINES_NARROW : TITLE_LINES
  const titles = axes.map((axis, at) => {
    const room = at === 0 ? left - 4 : at === axes.length - 1 ? right + run / 2 - 8 : (gutters[at] ?? 0) + run - 6
    const letters = Math.floor(room / TITLE_WIDE)
    const long = linesOfTitle(axis.name, letters, most)
    return long.some((line) => line.endsWith('…')) ? linesOfTitle(shortName(axis.field), letters, most) : long
  })
  return { left, right, isNarrow, titles, lines: Math.max(1, ...titles.map(({ length }) => length)), gutters, places }
}

// How many axes from the given one on have the room that their lines and labels need; two at least.
export function axesThatFit(chart: Chart, from: number, wide: number): number {
  for (let end = chart.axes.length; end > from + AXES_MIN; end--) {
    const part = partOf(chart, from, end)
    const room = wide - leftOf(part, wide) - SIDE_NARROW
    if (sum(guttersOf(part, true)) + (part.axes.length - 1) * RUN_LEAST <= room) return end - from
  }
  return Math.min(AXES_MIN, chart.axes.length - from)
}

// The chart with some of its axes. Its items stay the same ones.
export function partOf(chart: Chart, from: number, end: number): Chart {
  const { answer, axes } = chart
  if (!answer.lines || (from === 0 && end >= axes.length)) return chart
  return {
    ...chart,
    axes: axes.slice(from, end),
    answer: { ...answer, lines: { ...answer.lines, at: answer.lines.at.slice(from, end) } },
  }
}

const clip = (text: string, wide: number) =>
  text.length * NAME_WIDE <= wide ? text : `${text.slice(0, Math.max(2, Math.floor(wide / NAME_WIDE) - 1)).trimEnd()}…`

function stems(
  chart: Chart,
  colours: Colours,
  { left, right, isNarrow, titles, gutters, places }: Layout,
): CustomSeriesOption {
  const { axes, answer } = chart
  return {
    ...QUIET,
    z: 5,
    encode: { x: 0, y: 1 },
    data: places.map((at) => [at, 0]),
    renderItem: ({ dataIndex }, api) => {
      const axis = axes[dataIndex] as Axis
      const [x = 0, bottom = 0] = api.coord([places[dataIndex] as number, 0])
      const top = api.coord([0, 1])[1] ?? 0
      const before = api.coord([places[dataIndex - 1] ?? 0, 0])[0] ?? 0
      const align = dataIndex === 0 || dataIndex === axes.length - 1 ? ('right' as const) : ('center' as const)
      const gutter = gutters[dataIndex] ?? 0
      const side = align === 'center' ? x - gutter / 2 : dataIndex === 0 ? x : x + right - 4
      const text = (words: string, left: number, y: number, more: object) => ({
        type: 'text' as const,
        style: { text: words, x: left, y, verticalAlign: 'middle' as const, ...more },
      })
      const stem = (at: number) => ({
        type: 'line' as const,
        shape: { x1: at, y1: top, x2: at, y2: bottom },
        style: { stroke: colours.axis, lineWidth: 1 },
      })
      const all = [unitOf(axis), arrow(axis.field)].filter(Boolean).join(' ')
      const unit = align === 'center' && all.length * CHAR_WIDE > x - before ? arrow(axis.field) : all
      const title = titles[dataIndex] ?? []
      // the outer axes have their values where no line is
      const isLast = dataIndex === axes.length - 1 && dataIndex > 0
      const room = dataIndex === 0 ? left - 10 : isLast ? right - 8 : gutter - LABEL_SIDE * 2 + 1
      return {
        type: 'group',
        children: [
          // a middle axis is a column: it ends the lines at its left and begins them at its right
          ...(gutter
            ? [
                {
                  type: 'rect' as const,
                  shape: { x: x - gutter, y: top, width: gutter, height: bottom - top },
                  style: { fill: colours.grid, opacity: 0.6 },
                },
                stem(x - gutter),
              ]
            : []),
          stem(x),
          ...title.map((line, i) =>
            text(line, side, top - TITLE_HIGH - 3 - (title.length - i) * TITLE_HIGH, {
              fill: colours.text,
              font: `500 11px ${SANS}`,
              align,
            }),
          ),
          ...(unit ? [text(unit, side, top - 16, { fill: colours.text3, font: `11px ${SANS}`, align })] : []),
          ...ticksOf(axis, answer.lines?.at[dataIndex] ?? [], bottom - top, isNarrow).map(({ share, words }) =>
            text(
              axis.kinds ? clip(words, room) : words,
              isLast ? x + LABEL_SIDE : x - LABEL_SIDE,
              bottom - (bottom - top) * share,
              { fill: colours.text2, font: `11px ${axis.kinds ? SANS : MONO}`, align: isLast ? 'left' : 'right' },
            ),
          ),
          ...(axis.gaps > 0
            ? [
                text(`– ${count(axis.gaps)}`, x - gutter / 2, bottom + 18, {
                  fill: colours.text3,
                  font: `11px ${MONO}`,
                  align: 'center',
                }),
              ]
            : []),
        ],
      }
    },
  }
}

export const parallelWords = ({ axes }: Chart) =>
  axes.some(({ gaps }) => gaps > 0) ? '– below an axis: experiments without a value on it' : ''

export function parallelOf(chart: Chart, colours: Colours, wide: number): Drawing {
  const { axes, items } = chart
  const layout = layoutOf(chart, wide)
  const { places } = layout
  const top = TOP + layout.lines * TITLE_HIGH
  const names = Math.max(0, ...axes.map(({ kinds }) => kinds?.length ?? 0))
  const shares = crossings(chart)
  const targets = shares.flatMap((own, axis) => {
    const there = Uint32Array.from(items.keys()).filter((line) => !Number.isNaN(own[line]))
    there.sort((a, b) => (own[a] as number) - (own[b] as number))
    return Array.from(there, (item): Target => ({ item, x: places[axis] as number, y: own[item] as number, shift: 0 }))
  })
  const hidden = { type: 'value' as const, show: false, min: 0, splitLine: { show: false } }
  return {
    targets,
    beside: 0,
    reach: 'near',
    brush: 'axis',
    more: Math.max(0, Math.min(MORE_MAX, names * TICK_HIGH + top + BOTTOM - USUAL_HIGH)),
    lines: layout,
    option: {
      animation: false,
      grid: { left: layout.left, right: layout.right, top, bottom: BOTTOM, outerBoundsMode: 'none' },
      xAxis: { ...hidden, max: Math.max(1, places.at(-1) ?? 1) },
      yAxis: { ...hidden, max: 1 },
      series: [lines(chart, colours, shares, layout), stems(chart, colours, layout)],
    },
  }
}
