// A chart as the drawing takes it: series of what is drawn, and where each item's middle is, for hit tests.
import type { CustomSeriesOption, LineSeriesOption } from 'echarts/charts'
import type { ComposeOption } from 'echarts/core'
import type { GraphicComponentOption, GridComponentOption } from 'echarts/components'
import type { CustomSeriesRenderItemReturn, XAXisOption, YAXisOption } from 'echarts/types/dist/shared'

import { isLogY, namesBelow, xAxis, xOf, yAxis } from './axes'
import { type Colours, colourOf } from './colours'
import { heatOf } from './heat'
import { boxKeys, type Chart, frontiersOf, isSameFrontier, type Item } from './items'
import { OTHER } from './kinds'
import { parallelOf } from './parallel'
import { isLogAxis, placing } from './hits'
import { MARKS, type MarksShape, STRANDS, type StrandsShape } from './marks'
import { symbolOf } from './shapes'
import { sizingOf } from './sizes'

export type Option = ComposeOption<LineSeriesOption | CustomSeriesOption | GridComponentOption | GraphicComponentOption>
type Series = LineSeriesOption | CustomSeriesOption

export interface Target {
  item: number
  x: number // of the axes
  y: number
  shift: number // of bars beside each other: so many widths from the middle
}

export interface Drawing {
  option: Option
  targets: Target[]
  beside: number // bars in one place; 0: nothing stands beside another
  reach: 'near' | 'across' | 'cell' // what is under the pointer: by its distance, by its place alone, by the cell it is
  brush: 'plane' | 'axis' // what a region is drawn on: both axes, or along one of several
  more: number // height that it needs beyond the usual
  isTraced?: boolean // an item is a line through its targets
  gutters?: number[] // px to the left of each place along the axes, in which no line is drawn
}

export const GRID = { left: 68, right: 24, top: 10, bottom: 22 }
const MARK = 8
const OPACITY = 0.72
const FAINT = 0.4
const CROWDED = 0.45 // of many that are large
const BAR_MAX = 46
const BAR_SHARE = 0.78
const QUIET = { animation: false, silent: true, progressive: 0 } as const

export const barWidth = (band: number, beside: number) => Math.max(1, Math.min(BAR_MAX, (band * BAR_SHARE) / Math.max(1, beside)))

// Beside real ones simulated results are faint; alone nothing has to be told apart.
const isMixed = ({ answer }: Chart) => answer.simulated < answer.count

function style(chart: Chart, colours: Colours, item: Item, opacity: number) {
  const colour = colourOf(colours, item.slot)
  return item.isHollow
    ? { fill: colours.sheet, stroke: colour, lineWidth: 1.3, opacity: 0.95 }
    : { fill: colour, stroke: colours.sheet, lineWidth: 0.5, opacity: item.isSimulated && isMixed(chart) ? FAINT : opacity }
}

const LOOKS_OF_SLOT = 1000 // more than there are shapes

function alike(items: Item[]): Item[][] {
  const looks = new Map<number, Item[]>()
  for (const item of items) {
    const key = ((item.slot + 1) * LOOKS_OF_SLOT + item.shape + 1) * 4 + Number(item.isHollow) * 2 + Number(item.isSimulated)
    const list = looks.get(key)
    if (list) list.push(item)
    else looks.set(key, [item])
  }
  return [...looks.values()]
}

type Place = (item: Item) => number

interface Style {
  fill: string
  stroke: string
  lineWidth: number
  opacity?: number
  lineDash?: number[]
}

// A shape of a scatter, for ECharts and for a film.
export interface Shape {
  type: string
  shape: MarksShape | StrandsShape
  style: Style
  silent: boolean
  z2: number
}

// What looks alike by colour, shape, trusted or not: so many as `perShape` says are one shape.
function marks(chart: Chart, colours: Colours, list: Item[], perShape: number, [x, y]: [Place, Place]): Shape[] {
  const sizing = sizingOf(chart)
  const first = list[0] as Item
  const look = style(chart, colours, first, sizing?.isCrowded ? CROWDED : OPACITY)
  const many = Math.min(perShape, list.length)
  return Array.from({ length: Math.ceil(list.length / many) }, (_, nth) => {
    const own = list.slice(nth * many, (nth + 1) * many)
    const shape: MarksShape = { at: new Float32Array(own.length * 2), sizes: Float32Array.from(own, sizing ? (item) => sizing.wide(sizing.of(item)) : () => (first.shape === OTHER ? 6 : MARK)), slot: first.shape }
    own.forEach((item, i) => { shape.at.set([x(item), y(item)], i * 2) })
    return { type: MARKS, shape, style: look, silent: true, z2: first.slot === OTHER ? 0 : 1 }
  })
}

// In steps: between two of its results a frontier is as good as the worse one.
export function stepsThrough(own: number[], items: Item[], [x, y]: [Place, Place]): StrandsShape {
  return {
    at: Float32Array.from(own.flatMap((at, i) => {
      const [item, before] = [items[at] as Item, items[own[i - 1] ?? at] as Item]
      return [...(i > 0 ? [x(before), y(item)] : []), x(item), y(item)]
    })),
  }
}

// Through trusted results, solid; where other results would be on it, dashed.
function frontier(chart: Chart, colours: Colours, places: [Place, Place]): Shape[] {
  const { items } = chart
  return frontiersOf(chart).flatMap(({ marks: trusted, with_untrusted: all }) => {
    const stroke = colourOf(colours, items[all[0] ?? 0]?.slot ?? 0)
    const line = (own: number[], style: Pick<Style, 'lineWidth' | 'lineDash'>, z2: number): Shape[] => (own.length > 1 ? [{ type: STRANDS, shape: stepsThrough(own, items, places), style: { stroke, fill: 'none', ...style }, silent: true, z2 }] : [])
    return [...(isSameFrontier(trusted, all) ? [] : line(all, { lineWidth: 1.2, lineDash: [4, 3] }, 2)), ...line(trusted, { lineWidth: 1.5 }, 3)]
  })
}

const isThere = ({ y }: Item) => y !== null

export const shapesOf = (chart: Chart, colours: Colours, perShape: number, places: [Place, Place]): Shape[] =>
  [...alike(chart.items.filter(isThere)).flatMap((list) => marks(chart, colours, list, perShape, places)), ...frontier(chart, colours, places)]

// The two corners of the items' places: all that the drawing needs for the ends of its axes.
function cornersOf(items: Item[]): [number, number][] {
  if (items.length === 0) return []
  const corners: [[number, number], [number, number]] = [[Infinity, Infinity], [-Infinity, -Infinity]]
  for (const { x, y } of items) {
    corners[0] = [Math.min(corners[0][0], x), Math.min(corners[0][1], y as number)]
    corners[1] = [Math.max(corners[1][0], x), Math.max(corners[1][1], y as number)]
  }
  return corners
}

// One series, whatever the number of looks, and its first item draws all of them: each series more, and each item that the drawing
// has as its own, costs more than the marks.
function scatter(chart: Chart, colours: Colours, perShape: number, isLog: [boolean, boolean]): Series[] {
  const there = chart.items.filter(isThere)
  const [x0, y0] = [there[0]?.x ?? 0, there[0]?.y ?? 0]
  return [{
    ...QUIET, type: 'custom', z: 3, dimensions: ['x', 'y'], encode: { x: 0, y: 1 }, data: cornersOf(there),
    renderItem: ({ dataIndex }, api) => {
      if (dataIndex > 0) return null
      const places: [Place, Place] = [
        placing(there, ({ x }) => x, isLog[0], (value) => api.coord([value, y0])[0] as number),
        placing(there, ({ y }) => y as number, isLog[1], (value) => api.coord([x0, value])[1] as number),
      ]
      return { type: 'group', children: shapesOf(chart, colours, perShape, places) } as unknown as CustomSeriesRenderItemReturn
    },
  }]
}

const byKind = (chart: Chart) => {
  const kinds = new Map<number, Item[]>()
  for (const item of chart.items) {
    const list = kinds.get(item.kind)
    if (list) list.push(item)
    else kinds.set(item.kind, [item])
  }
  return [...kinds.entries()].sort(([a], [b]) => a - b).map(([, list]) => list)
}

const CAP = 3 // half the width of an error bar's ends
const CAPS = 6 // by which the widest of several lines is wider

// What has no value is a gap: the line ends before it and begins anew behind it. Nothing leads from numbers to what is
// none of them.
function lines(chart: Chart, colours: Colours): Series[] {
  const isNumber = (item: Item) => chart.x.kinds === null || typeof chart.x.kinds[item.x]?.value === 'number' || chart.x.kinds[item.x]?.state === 'range'
  const hasNumbers = chart.items.some(isNumber)
  const kinds = byKind(chart)
  return kinds.flatMap((list, k): Series[] => {
    const first = list[0] as Item
    // error bars go through their points: those of several lines in one place have ends of their own width
    const cap = CAP + CAPS * (1 - k / kinds.length) * Math.min(1, kinds.length - 1)
    const colour = colourOf(colours, first.slot)
    const sorted = list.toSorted((a, b) => a.x - b.x)
    const line = (items: Item[], width: number): LineSeriesOption => ({
      ...QUIET, type: 'line', connectNulls: false, symbol: symbolOf(first.slot), symbolSize: 7, showAllSymbol: true, itemStyle: { color: colour }, lineStyle: { color: colour, width }, z: 3,
      data: items.map((item) => [xOf(chart, item.x), item.y ?? '-']),
    })
    const apart = hasNumbers ? sorted.filter((item) => !isNumber(item)) : []
    const spread = sorted.filter(({ low, high, y }) => y !== null && low !== null && high !== null && high > low)
    return [line(sorted.filter((item) => !apart.includes(item)), 1.5), ...(apart.length ? [line(apart, 0)] : []), whiskers(spread, (item) => xOf(chart, item.x), () => 0, colour, cap)]
  })
}

type Api = Parameters<NonNullable<CustomSeriesOption['renderItem']>>[1]

// The drawing takes a place across only; how wide a bar is follows from how wide a place is.
const bandOf = (api: Api) => Math.abs((api.size?.([1, 0]) as number[] | undefined)?.[0] ?? 0)

function whisker(x: number, low: number, high: number, cap: number, colour: string, ends: [boolean, boolean] = [true, true]) {
  const stroke = { stroke: colour, lineWidth: 1.2, fill: 'none' as const }
  const line = (x1: number, y1: number, x2: number, y2: number) => ({ type: 'line' as const, shape: { x1, y1, x2, y2 }, style: stroke })
  return [line(x, low, x, high), ...[low, high].filter((_, end) => ends[end]).map((y) => line(x - cap, y, x + cap, y))]
}

type Shift = (api: Api) => number

function whiskers(items: Item[], xOfItem: (item: Item) => number, shift: Shift, colour: string, cap = CAP): CustomSeriesOption {
  return {
    ...QUIET, type: 'custom', z: 3, encode: { x: 0, y: [1, 2] }, data: items.map((item) => [xOfItem(item), item.low as number, item.high as number]),
    renderItem: ({ dataIndex, coordSys }, api) => {
      const { openLow, openHigh } = items[dataIndex] as Item
      const area = coordSys as unknown as { y: number; height: number }
      const [x = 0, high = 0] = api.coord([api.value(0), api.value(2)])
      // of a logarithmic axis zero is nowhere
      const low = openLow ? area.y + area.height : (api.coord([api.value(0), api.value(1)])[1] ?? 0)
      return { type: 'group', children: whisker(x + shift(api), low, high, cap, colour, [!openLow, !openHigh]) }
    },
  }
}

const DOT = 4

const lanesOf = ({ beside }: Chart) => Math.max(1, beside.kinds.length)

// So many widths from the middle of a place.
const shiftOf = ({ beside }: Chart, { kind }: Item) => (beside.kinds.length ? beside.kinds.indexOf(kind) - (beside.kinds.length - 1) / 2 : 0)

function bars(chart: Chart, colours: Colours): Series[] {
  const base = chart.state.fromData ? null : 0
  const isDots = isLogY(chart)
  const beside = lanesOf(chart)
  return byKind(chart).flatMap((list): Series[] => {
    const shift = shiftOf(chart, list[0] as Item)
    const there = list.filter(({ y }) => y !== null)
    const colour = colourOf(colours, list[0]?.slot ?? 0)
    const bar: CustomSeriesOption = {
      ...QUIET, type: 'custom', z: 2, encode: { x: 0, y: 1 }, data: there.map(({ x, y }) => [x, y as number]),
      renderItem: ({ coordSys }, api) => {
        const [x = 0, y = 0] = api.coord([api.value(0), api.value(1)])
        const area = coordSys as unknown as { y: number; height: number }
        const width = barWidth(bandOf(api), beside)
        // a length from the end of a logarithmic axis says nothing
        if (isDots) return { type: 'circle', shape: { cx: x + shift * width, cy: y, r: DOT }, style: { fill: colour } }
        const floor = base === null ? area.y + area.height : (api.coord([api.value(0), 0])[1] ?? 0)
        const gap = width > 6 ? 1 : 0
        return { type: 'rect', shape: { x: x + (shift - 0.5) * width + gap / 2, y: Math.min(y, floor), width: width - gap, height: Math.abs(floor - y) }, style: { fill: colour, opacity: 0.82 } }
      },
    }
    return [bar, whiskers(there.filter(({ low, high }) => low !== null && high !== null && high > low), ({ x }) => x, (api) => (beside > 1 ? shift * barWidth(bandOf(api), beside) : 0), isDots ? colour : colours.text)]
  })
}

function boxes(chart: Chart, colours: Colours): Series[] {
  const { groups } = chart.answer
  const [least, most] = boxKeys(chart.spread)
  if (!groups) return []
  return byKind(chart).map((list): CustomSeriesOption => {
    const shift = shiftOf(chart, list[0] as Item)
    const there = list.filter(({ y }) => y !== null)
    const colour = colourOf(colours, list[0]?.slot ?? 0)
    return {
      ...QUIET, type: 'custom', z: 2, encode: { x: 0, y: [1, 2, 3, 4, 5] }, data: there.map(({ x, at }) => [x, ...[least, 'p25' as const, 'p50' as const, 'p75' as const, most].map((key) => groups[key][at] as number)]),
      renderItem: (_, api) => {
        const at = (dim: number) => api.coord([api.value(0), api.value(dim)])
        const width = barWidth(bandOf(api), lanesOf(chart)) * 0.86
        const x = (at(1)[0] ?? 0) + (shift * width) / 0.86
        const [low = 0, first = 0, median = 0, third = 0, high = 0] = [1, 2, 3, 4, 5].map((dim) => at(dim)[1] ?? 0)
        return {
          type: 'group',
          children: [
            ...whisker(x, low, first, width / 5, colour), ...whisker(x, third, high, width / 5, colour),
            { type: 'rect', shape: { x: x - width / 2, y: Math.min(first, third), width, height: Math.max(1, Math.abs(first - third)) }, style: { fill: colour, stroke: colour, lineWidth: 1, fillOpacity: 0.3 } },
            { type: 'line', shape: { x1: x - width / 2, y1: median, x2: x + width / 2, y2: median }, style: { stroke: colours.text, lineWidth: 1.6 } },
          ],
        }
      },
    }
  })
}

function bins(chart: Chart, colours: Colours): Series[] {
  const isKinds = !chart.answer.bins?.edges
  return byKind(chart).map((list): CustomSeriesOption => ({
    ...QUIET, type: 'custom', z: 2, encode: { x: 0, y: [1, 2] }, data: list.map(({ x, low, high }) => [isKinds ? x : x + 0.5, low as number, high as number]),
    renderItem: (_, api) => {
      const [x = 0, low = 0] = api.coord([api.value(0), api.value(1)])
      const high = api.coord([api.value(0), api.value(2)])[1] ?? 0
      const width = isKinds ? barWidth(bandOf(api), 1) : Math.max(1, bandOf(api) - 1)
      return { type: 'rect', shape: { x: x - width / 2, y: high, width, height: low - high }, style: { fill: colourOf(colours, list[0]?.slot ?? 0), opacity: 0.82 } }
    },
  }))
}

function seriesOf(chart: Chart, colours: Colours, perShape: number, isLog: [boolean, boolean]): Series[] {
  if (chart.answer.bins) return bins(chart, colours)
  if (chart.state.kind === 'line') return lines(chart, colours)
  if (chart.state.kind === 'box') return boxes(chart, colours)
  if (chart.state.kind === 'bar') return bars(chart, colours)
  return scatter(chart, colours, perShape, isLog)
}

const widestMark = (chart: Chart) => {
  const sizing = sizingOf(chart)
  return sizing ? Math.max(MARK, sizing.wide(sizing.most)) : MARK
}

// A mark at the end of an axis reaches over it: its labels begin after the widest mark.
function besideMarks<T extends XAXisOption | YAXisOption>(axis: T, room: number): T {
  const { axisLabel } = axis as { axisLabel?: { margin?: number } }
  return { ...axis, axisLabel: { ...axisLabel, margin: (axisLabel?.margin ?? 0) + room } } as T
}

// `wide`: the whole drawing, in pixels. `perShape`: so many marks of one look are one shape; each by itself is what a drawing of paths needs.
export function drawingOf(chart: Chart, colours: Colours, wide: number, perShape = Infinity): Drawing {
  if (chart.answer.grid) return heatOf(chart, colours, wide)
  if (chart.answer.lines) return parallelOf(chart, colours, wide)
  const names = namesBelow(chart, wide - GRID.left - GRID.right)
  const room = chart.answer.marks ? Math.ceil(widestMark(chart) / 2) : 0
  const grid = { ...GRID, left: Math.max(GRID.left, names?.left ?? 0) + room, bottom: (names?.bottom ?? GRID.bottom) + room }
  const isBeside = chart.answer.groups !== undefined && chart.state.kind !== 'line'
  const isBins = chart.answer.bins?.edges
  const targets = chart.items.flatMap((item, at): Target[] => {
    if (item.y === null) return []
    return [{ item: at, x: isBins ? item.x + 0.5 : xOf(chart, item.x), y: item.low !== null && chart.answer.bins ? (item.low + item.y) / 2 : item.y, shift: shiftOf(chart, item) }]
  })
  const [onX, onY] = [besideMarks(xAxis(chart, colours, names, wide - grid.left - grid.right), room), besideMarks(yAxis(chart, colours), room)]
  targets.sort((a, b) => a.x - b.x || a.shift - b.shift || a.y - b.y)
  return {
    targets, beside: isBeside ? lanesOf(chart) : 0, reach: chart.answer.marks ? 'near' : 'across', brush: 'plane', more: grid.bottom - GRID.bottom,
    option: { animation: false, grid: { ...grid, outerBoundsMode: 'none' }, xAxis: onX, yAxis: onY, series: seriesOf(chart, colours, perShape, [isLogAxis(onX), isLogAxis(onY)]) },
  }
}

