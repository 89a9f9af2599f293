// A line for each color. A missing value is a gap: the line ends before it and begins again after it.
import type { CustomSeriesOption } from 'echarts/charts'
import type { CustomSeriesRenderItemReturn } from 'echarts/types/dist/shared'

import { xOf } from './axes'
import { byKind, errorBar, hasSpread, QUIET } from './bands'
import { type Colours, colourOf } from './colours'
import { alike, marksOf } from './draw-scatter'
import { gapsOf, piecesOf, splitOf } from './gaps'
import type { Chart, Item } from './items'
import { STRANDS } from './marks'
import type { On } from './option'

const WIDTH = 1.5
const DODGE = 8 // px between two error bars
const DODGE_SHARE = 0.7 // of the space between two places, for all of them

// The least distance of two places, in px of an axis that is `px` long.
function leastDistance(
  places: number[],
  { min, max, isLog }: { min: number; max: number; isLog: boolean },
  px: number,
) {
  const on = isLog ? Math.log : (value: number) => value
  const at = [...new Set(places)]
    .sort((a, b) => a - b)
    .map((place) => ((on(place) - on(min)) / (on(max) - on(min) || 1)) * px)
  return Math.min(px, ...at.slice(1).map((place, i) => place - (at[i] as number)))
}

// The colors whose error bars are next to each other, because some place has several; none if no place has.
function kindsApart({ items }: Chart): number[] {
  const spread = items.filter(hasSpread)
  const kinds = [...new Set(spread.map(({ kind }) => kind))].sort((a, b) => a - b)
  return new Set(spread.map(({ x }) => x)).size < spread.length ? kinds : []
}

export const hasShifts = (chart: Chart) => kindsApart(chart).length > 0

// How many pixels a line is from its place, so that no error bar covers another.
export function lineShifts(
  chart: Chart,
  axis: { min: number; max: number; isLog: boolean },
  px: number,
): (item: Item) => number {
  const kinds = kindsApart(chart)
  if (kinds.length === 0) return () => 0
  const step = Math.min(
    DODGE,
    (leastDistance(
      chart.items.map(({ x }) => xOf(chart, x)),
      axis,
      px,
    ) *
      DODGE_SHARE) /
      kinds.length,
  )
  return ({ kind }) => (kinds.includes(kind) ? (kinds.indexOf(kind) - (kinds.length - 1) / 2) * step : 0)
}

// Each is one series, whose first item draws all of it.
export function lineSeries(chart: Chart, colours: Colours, { perShape, shiftOf }: On): CustomSeriesOption[] {
  const gaps = new Map(gapsOf(chart).map(({ kind, places }) => [kind, places]))
  return byKind(chart).map((list): CustomSeriesOption => {
    const first = list[0] as Item
    const color = colourOf(colours, first.slot)
    const there = list.filter(({ y }) => y !== null)
    const pieces = piecesOf(splitOf(chart, list).along, gaps.get(first.kind) ?? [])
    return {
      ...QUIET,
      type: 'custom',
      z: 3,
      dimensions: ['x', 'y'],
      encode: { x: 0, y: 1 },
      data: list.toSorted((a, b) => a.x - b.x).map(({ x, y }) => [xOf(chart, x), y ?? NaN]),
      renderItem: ({ dataIndex, coordSys }, api) => {
        if (dataIndex > 0) return null
        const at = new Map(
          there.map((item) => {
            const [x = 0, y = 0] = api.coord([xOf(chart, item.x), item.y as number])
            return [item, [x + shiftOf(item), y] as const]
          }),
        )
        const points = pieces.flatMap((piece) =>
          piece.length > 1 ? [...piece.flatMap((item) => at.get(item) ?? []), NaN, NaN] : [],
        )
        const places: [(item: Item) => number, (item: Item) => number] = [
          (item) => at.get(item)?.[0] ?? 0,
          (item) => at.get(item)?.[1] ?? 0,
        ]
        return {
          type: 'group',
          children: [
            {
              type: STRANDS,
              shape: { at: Float32Array.from(points) },
              style: { stroke: color, fill: 'none', lineWidth: WIDTH },
              silent: true,
            },
            ...there
              .filter(hasSpread)
              .flatMap((item) => errorBar(item, xOf(chart, item.x), shiftOf(item), color, api, coordSys)),
            ...alike(there).flatMap((own) => marksOf(chart, colours, own, perShape, places, 1)),
          ],
        } as unknown as CustomSeriesRenderItemReturn
      },
    }
  })
}
