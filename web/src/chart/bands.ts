// Parts of drawings along an axis of groups: which marks are next to each other in one place, error bars, and how wide
// a place is.
import type { CustomSeriesOption } from 'echarts/charts'

import type { Chart, Item } from './items'

export const QUIET = { animation: false, silent: true, progressive: 0 } as const
const BAR_MAX = 46
const BAR_SHARE = 0.78
const CAP = 3 // half the width of an error bar's ends

// The width of each mark, if so many are next to each other in a place.
export const barWidth = (band: number, beside: number) =>
  Math.max(1, Math.min(BAR_MAX, (band * BAR_SHARE) / Math.max(1, beside)))

// Returns the items of each color, in the order of the colors.
export function byKind({ items }: Chart): Item[][] {
  const kinds = new Map<number, Item[]>()
  for (const item of items) {
    const list = kinds.get(item.kind)
    if (list) list.push(item)
    else kinds.set(item.kind, [item])
  }
  return [...kinds.entries()].sort(([a], [b]) => a - b).map(([, list]) => list)
}

export type Api = Parameters<NonNullable<CustomSeriesOption['renderItem']>>[1]

// ECharts passes the width of a place only to the function that draws.
export const bandOf = (api: Api) => Math.abs((api.size?.([1, 0]) as number[] | undefined)?.[0] ?? 0)

// The colors that each place has a value of, in their order.
function kindsByPlace({ items, beside }: Chart): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const { x, y, kind } of items) {
    if (y === null || !beside.kinds.includes(kind)) continue
    const own = places.get(x)
    if (own) own.push(kind)
    else places.set(x, [kind])
  }
  for (const own of places.values()) own.sort((a, b) => a - b)
  return places
}

export const lanesOf = (chart: Chart) => Math.max(1, ...[...kindsByPlace(chart).values()].map(({ length }) => length))

// Returns how many widths an item is from the middle of its place. The marks of each place are centered in it.
export function shiftsOf(chart: Chart): (item: Item) => number {
  const places = kindsByPlace(chart)
  return ({ x, kind }) => {
    const own = places.get(x) ?? []
    return own.includes(kind) ? own.indexOf(kind) - (own.length - 1) / 2 : 0
  }
}

export const hasSpread = ({ y, low, high }: Item) => y !== null && low !== null && high !== null && high > low

export function whisker(
  x: number,
  low: number,
  high: number,
  cap: number,
  color: string,
  ends: [boolean, boolean] = [true, true],
) {
  const stroke = { stroke: color, lineWidth: 1.2, fill: 'none' as const }
  const line = (x1: number, y1: number, x2: number, y2: number) => ({
    type: 'line' as const,
    shape: { x1, y1, x2, y2 },
    style: stroke,
  })
  return [line(x, low, x, high), ...[low, high].filter((_, end) => ends[end]).map((y) => line(x - cap, y, x + cap, y))]
}

// The error bar of an item, `shift` pixels from the middle of its place.
export function errorBar(
  { low, high, openLow, openHigh }: Item,
  place: number,
  shift: number,
  color: string,
  api: Api,
  coordSys: unknown,
) {
  const area = coordSys as { y: number; height: number }
  const [x = 0, top = 0] = api.coord([place, high as number])
  // zero is not on a logarithmic axis
  const bottom = openLow ? area.y + area.height : (api.coord([place, low as number])[1] ?? 0)
  return whisker(x + shift, bottom, top, CAP, color, [!openLow, !openHigh])
}

export function errorBars(items: Item[], shift: (item: Item, api: Api) => number, color: string): CustomSeriesOption {
  const own = items.filter(hasSpread)
  return {
    ...QUIET,
    type: 'custom',
    z: 3,
    encode: { x: 0, y: [1, 2] },
    data: own.map((item) => [item.x, item.low as number, item.high as number]),
    renderItem: ({ dataIndex, coordSys }, api) => {
      const item = own[dataIndex] as Item
      return { type: 'group', children: errorBar(item, item.x, shift(item, api), color, api, coordSys) }
    },
  }
}

const isNumberAt = ({ x }: Chart, at: number) =>
  typeof x.kinds?.[at]?.value === 'number' || x.kinds?.[at]?.state === 'range'

// The first place after the numbers of an axis that is not a number; null: every place is one, or none is.
export function breakOf(chart: Chart): number | null {
  const { x, answer } = chart
  if (!answer.groups || !x.kinds) return null
  const isNumber = x.kinds.slice(0, x.shown).map((_, at) => isNumberAt(chart, at))
  const end = isNumber.lastIndexOf(true) + 1
  return end > 0 && end < isNumber.length ? end : null
}

const BREAK_WIDE = 4
const BREAK_HIGH = 5

// Two strokes through the axis and a dashed line above them: what follows is not on the scale of the numbers.
export function axisBreak(at: number, color: string): CustomSeriesOption {
  return {
    ...QUIET,
    type: 'custom',
    z: 1,
    encode: { x: 0 },
    data: [[at]],
    renderItem: ({ coordSys }, api) => {
      const area = coordSys as unknown as { y: number; height: number }
      const x = (api.coord([at, 0])[0] ?? 0) - bandOf(api) / 2
      const bottom = area.y + area.height
      const line = (x1: number, y1: number, x2: number, y2: number, lineDash?: number[]) => ({
        type: 'line' as const,
        shape: { x1, y1, x2, y2 },
        style: { stroke: color, lineWidth: 1, ...(lineDash && { lineDash }) },
      })
      const stroke = (left: number) =>
        line(left - BREAK_WIDE / 2, bottom + BREAK_HIGH, left + BREAK_WIDE / 2, bottom - BREAK_HIGH)
      return {
        type: 'group',
        children: [
          line(x, area.y, x, bottom - BREAK_HIGH, [2, 4]),
          stroke(x - BREAK_WIDE / 2),
          stroke(x + BREAK_WIDE / 2),
        ],
      }
    },
  }
}
