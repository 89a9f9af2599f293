// A mark for each result, and the frontiers through the best ones.
import type { CustomSeriesOption } from 'echarts/charts'
import type { CustomSeriesRenderItemReturn } from 'echarts/types/dist/shared'

import { MONO } from './axes'
import { QUIET } from './bands'
import { type Colours, colourOf } from './colours'
import { placing } from './hits'
import { type Chart, frontiersOf, isSameFrontier, type Item, stacksOf } from './items'
import { OTHER } from './kinds'
import { MARKS, type MarksShape, STRANDS, type StrandsShape } from './marks'
import type { On } from './option'
import { sizingOf } from './sizes'

export const MARK = 8
const OPACITY = 0.72
const FAINT = 0.4 // of simulated results
const CROWDED = 0.45 // of many that are large

function style(colours: Colours, item: Item, opacity: number) {
  const color = colourOf(colours, item.slot)
  return item.isHollow
    ? { fill: colours.sheet, stroke: color, lineWidth: 1.3, opacity: item.isSimulated ? FAINT : 0.95 }
    : { fill: color, stroke: colours.sheet, lineWidth: 0.5, opacity: item.isSimulated ? FAINT : opacity }
}

const LOOKS_OF_SLOT = 1000 // more than there are shapes

export function alike(items: Item[]): Item[][] {
  const looks = new Map<number, Item[]>()
  for (const item of items) {
    const key =
      ((item.slot + 1) * LOOKS_OF_SLOT + item.shape + 1) * 4 + Number(item.isHollow) * 2 + Number(item.isSimulated)
    const list = looks.get(key)
    if (list) list.push(item)
    else looks.set(key, [item])
  }
  return [...looks.values()]
}

export type Place = (item: Item) => number

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

// Marks that look alike by color, shape, trusted or not: up to `perShape` of them are one shape.
export function marksOf(
  chart: Chart,
  colours: Colours,
  list: Item[],
  perShape: number,
  [x, y]: [Place, Place],
  opacity = OPACITY,
): Shape[] {
  const sizing = sizingOf(chart)
  const first = list[0] as Item
  const look = style(colours, first, sizing?.isCrowded ? CROWDED : opacity)
  const many = Math.min(perShape, list.length)
  return Array.from({ length: Math.ceil(list.length / many) }, (_, nth) => {
    const own = list.slice(nth * many, (nth + 1) * many)
    const shape: MarksShape = {
      at: new Float32Array(own.length * 2),
      sizes: Float32Array.from(
        own,
        sizing ? (item) => sizing.wide(sizing.of(item)) : () => (first.shape === OTHER ? 6 : MARK),
      ),
      slot: first.shape,
    }
    own.forEach((item, i) => {
      shape.at.set([x(item), y(item)], i * 2)
    })
    return { type: MARKS, shape, style: look, silent: true, z2: first.slot === OTHER ? 0 : 1 }
  })
}

// A frontier is a step line: between two results it is as good as the worse one.
export function stepsThrough(own: number[], items: Item[], [x, y]: [Place, Place]): StrandsShape {
  return {
    at: Float32Array.from(
      own.flatMap((at, i) => {
        const [item, before] = [items[at] as Item, items[own[i - 1] ?? at] as Item]
        return [...(i > 0 ? [x(before), y(item)] : []), x(item), y(item)]
      }),
    ),
  }
}

// Solid through trusted results; dashed for the frontier that includes untrusted results.
function frontier(chart: Chart, colours: Colours, places: [Place, Place]): Shape[] {
  const { items } = chart
  return frontiersOf(chart).flatMap(({ marks: trusted, with_untrusted: all }) => {
    const stroke = colourOf(colours, items[all[0] ?? 0]?.slot ?? 0)
    const line = (own: number[], look: Pick<Style, 'lineWidth' | 'lineDash'>, z2: number): Shape[] =>
      own.length > 1
        ? [
            {
              type: STRANDS,
              shape: stepsThrough(own, items, places),
              style: { stroke, fill: 'none', ...look },
              silent: true,
              z2,
            },
          ]
        : []
    return [
      ...(isSameFrontier(trusted, all) ? [] : line(all, { lineWidth: 1.2, lineDash: [4, 3] }, 2)),
      ...line(trusted, { lineWidth: 1.5 }, 3),
    ]
  })
}

const isThere = ({ y }: Item) => y !== null

export const shapesOf = (chart: Chart, colours: Colours, perShape: number, places: [Place, Place]): Shape[] => [
  ...alike(chart.items.filter(isThere)).flatMap((list) => marksOf(chart, colours, list, perShape, places)),
  ...frontier(chart, colours, places),
]

// The two corners of the area of all items, from which ECharts takes the ends of its axes.
function cornersOf(items: Item[]): [number, number][] {
  if (items.length === 0) return []
  const corners: [[number, number], [number, number]] = [
    [Infinity, Infinity],
    [-Infinity, -Infinity],
  ]
  for (const { x, y } of items) {
    corners[0] = [Math.min(corners[0][0], x), Math.min(corners[0][1], y as number)]
    corners[1] = [Math.max(corners[1][0], x), Math.max(corners[1][1], y as number)]
  }
  return corners
}

const STACKS_MAX = 30 // numbers that are drawn

// The number of results at one point, written above it.
function stackLabels(chart: Chart, colours: Colours, [x, y]: [Place, Place]) {
  const stacks = stacksOf(chart)
  if (stacks.length > STACKS_MAX) return []
  return stacks.map((own) => {
    const item = chart.items[own[0] ?? 0] as Item
    return {
      type: 'text',
      style: {
        text: `×${own.length}`,
        x: x(item) + MARK / 2 + 2,
        y: y(item) - MARK / 2,
        fill: colours.text2,
        font: `11px ${MONO}`,
        verticalAlign: 'bottom',
      },
      silent: true,
      z2: 4,
    }
  })
}

// One series whose first item draws all marks, because a series or an item costs more than a mark.
export function scatterSeries(chart: Chart, colours: Colours, { perShape, isLog }: On): CustomSeriesOption[] {
  const there = chart.items.filter(isThere)
  const [x0, y0] = [there[0]?.x ?? 0, there[0]?.y ?? 0]
  return [
    {
      ...QUIET,
      type: 'custom',
      z: 3,
      dimensions: ['x', 'y'],
      encode: { x: 0, y: 1 },
      data: cornersOf(there),
      renderItem: ({ dataIndex }, api) => {
        if (dataIndex > 0) return null
        const places: [Place, Place] = [
          placing(
            there,
            ({ x }) => x,
            isLog[0],
            (value) => api.coord([value, y0])[0] as number,
          ),
          placing(
            there,
            ({ y }) => y as number,
            isLog[1],
            (value) => api.coord([x0, value])[1] as number,
          ),
        ]
        return {
          type: 'group',
          children: [...shapesOf(chart, colours, perShape, places), ...stackLabels(chart, colours, places)],
        } as unknown as CustomSeriesRenderItemReturn
      },
    },
  ]
}

export function stackWords(chart: Chart) {
  const many = stacksOf(chart).length
  return many === 0
    ? ''
    : many > STACKS_MAX
      ? `${many} points have several results each`
      : '×n: n results with equal values'
}
