// A chart as options of ECharts: how each kind is drawn, and the middle of each item, for hit tests.
import type { CustomSeriesOption } from 'echarts/charts'
import type { ComposeOption } from 'echarts/core'
import type { GraphicComponentOption, GridComponentOption } from 'echarts/components'
import type { XAXisOption, YAXisOption } from 'echarts/types/dist/shared'

import type { ChartKind } from '../url/chart'
import { namesBelow, xAxis, xOf, yAxis } from './axes'
import { axisBreak, breakOf, lanesOf, shiftsOf } from './bands'
import type { Colours } from './colours'
import { barSeries } from './draw-bar'
import { boxSeries } from './draw-box'
import { histogramSeries } from './draw-histogram'
import { hasShifts, lineSeries, lineShifts } from './draw-line'
import { MARK, scatterSeries, stackWords } from './draw-scatter'
import { heatOf, heatWords } from './heat'
import { isLogAxis } from './hits'
import type { Chart, Item } from './items'
import { KINDS } from './kind-rows'
import { SPREAD_WORDS, STAT_WORDS } from './model'
import { parallelOf, parallelWords } from './parallel'
import { sizingOf } from './sizes'

export type Option = ComposeOption<CustomSeriesOption | GridComponentOption | GraphicComponentOption>

export interface Target {
  item: number
  x: number // of the axes
  y: number
  shift: number // from the middle of its place: widths of a bar, or pixels if nothing is next to another
}

export interface Drawing {
  option: Option
  targets: Target[]
  beside: number // bars in one place; 0: nothing is next to another
  reach: 'near' | 'across' | 'cell' // what is under the pointer: by its distance, by its place alone, by the cell it is
  brush: 'plane' | 'axis' // what a region is drawn on: both axes, or along one of several
  more: number // height that it needs beyond the usual
  // an item is a line through axes: where they are, and px to the left of each without a line
  lines?: { places: number[]; gutters: number[] }
}

// The options of a drawing on the axes x and y.
export interface On {
  perShape: number // marks of one look that are one shape
  isLog: [x: boolean, y: boolean]
  shiftOf: (item: Item) => number // as in Target
}

type KindDrawing = {
  caption: (chart: Chart) => string // what its figures are; '': nothing to say
  isFilmed?: true // a film paints its marks (film.ts)
} & (
  | { series: (chart: Chart, colours: Colours, on: On) => CustomSeriesOption[] }
  | { whole: (chart: Chart, colours: Colours, wide: number) => Drawing }
) // on the axes x and y, or by itself

const lineWords = (chart: Chart) =>
  chart.answer.groups ? `${groupWords(chart)}${hasShifts(chart) ? ', next to each other where lines meet' : ''}` : ''
const groupWords = ({ state, spread }: Chart) =>
  `${STAT_WORDS[state.stat]}${spread === 'none' ? '' : `; error bars: ${SPREAD_WORDS[spread]}`}`

// How each kind is drawn; all else about it is its row in kind-rows.ts.
export const DRAWINGS: Record<ChartKind, KindDrawing> = {
  scatter: { series: scatterSeries, caption: stackWords, isFilmed: true },
  line: { series: lineSeries, caption: lineWords },
  bar: { series: barSeries, caption: groupWords },
  box: {
    series: boxSeries,
    caption: ({ spread }) =>
      `Box: quartiles and median; whiskers: ${spread === 'range' ? 'minimum to maximum' : 'p5 to p95'}`,
  },
  histogram: { series: histogramSeries, caption: () => '' },
  heat: { whole: heatOf, caption: heatWords },
  parallel: { whole: parallelOf, caption: parallelWords },
}

export const GRID = { left: 68, right: 24, top: 10, bottom: 22 }

const widestMark = (chart: Chart) => {
  const sizing = sizingOf(chart)
  return sizing ? Math.max(MARK, sizing.wide(sizing.most)) : MARK
}

// Labels keep clear of the widest mark, because a mark at the end of an axis extends beyond it.
function besideMarks<T extends XAXisOption | YAXisOption>(axis: T, room: number): T {
  const { axisLabel } = axis as { axisLabel?: { margin?: number } }
  return { ...axis, axisLabel: { ...axisLabel, margin: (axisLabel?.margin ?? 0) + room } } as T
}

// An axis of places: integers, with half a place at each end.
function endsOfAxis(axis: XAXisOption) {
  const { type, data, min, max } = axis as { type?: string; data?: unknown[]; min?: number; max?: number }
  return type === 'category'
    ? { min: -0.5, max: (data?.length ?? 1) - 0.5, isLog: false }
    : { min: min ?? 0, max: max ?? 1, isLog: type === 'log' }
}

// `wide`: the whole drawing, in pixels. `perShape`: so many marks of one look are one shape; a drawing of paths needs
// one shape per mark.
export function drawingOf(chart: Chart, colours: Colours, wide: number, perShape = Infinity): Drawing {
  const row = DRAWINGS[chart.state.kind]
  if ('whole' in row) return row.whole(chart, colours, wide)
  const names = namesBelow(chart, wide - GRID.left - GRID.right)
  const room = chart.answer.marks ? Math.ceil(widestMark(chart) / 2) : 0
  const grid = {
    ...GRID,
    left: Math.max(GRID.left, names?.left ?? 0) + room,
    bottom: (names?.bottom ?? GRID.bottom) + room,
  }
  const px = wide - grid.left - grid.right
  const [onX, onY] = [besideMarks(xAxis(chart, colours, names, px), room), besideMarks(yAxis(chart, colours), room)]
  const { isBeside, isLine } = KINDS[chart.state.kind]
  const shiftOf = isBeside ? shiftsOf(chart) : isLine ? lineShifts(chart, endsOfAxis(onX), px) : () => 0
  const isBins = chart.answer.bins?.edges
  const targets = chart.items.flatMap((item, at): Target[] => {
    if (item.y === null) return []
    return [
      {
        item: at,
        x: isBins ? item.x + 0.5 : xOf(chart, item.x),
        y: item.low !== null && chart.answer.bins ? (item.low + item.y) / 2 : item.y,
        shift: shiftOf(item),
      },
    ]
  })
  targets.sort((a, b) => a.x - b.x || a.shift - b.shift || a.y - b.y)
  const apart = breakOf(chart)
  const series = row.series(chart, colours, { perShape, isLog: [isLogAxis(onX), isLogAxis(onY)], shiftOf })
  return {
    targets,
    beside: isBeside && chart.answer.groups ? lanesOf(chart) : 0,
    reach: chart.answer.marks ? 'near' : 'across',
    brush: 'plane',
    more: grid.bottom - GRID.bottom,
    option: {
      animation: false,
      grid: { ...grid, outerBoundsMode: 'none' },
      xAxis: onX,
      yAxis: onY,
      series: [...series, ...(apart === null ? [] : [axisBreak(apart, colours.axis)])],
    },
  }
}
