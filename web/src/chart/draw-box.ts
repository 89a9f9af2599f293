// A box for each group: quartiles and median, with whiskers. A group of one result is a mark: it has no quartiles.
import type { CustomSeriesOption } from 'echarts/charts'
import type { CustomSeriesRenderItemReturn } from 'echarts/types/dist/shared'

import { bandOf, barWidth, byKind, lanesOf, QUIET, whisker } from './bands'
import { type Colours, colourOf } from './colours'
import { MARK } from './draw-scatter'
import { boxKeys, type Chart, type Item } from './items'
import { MARKS } from './marks'
import type { On } from './option'

const WIDTH_SHARE = 0.86 // of its lane

export function boxSeries(chart: Chart, colours: Colours, { shiftOf }: On): CustomSeriesOption[] {
  const { groups } = chart.answer
  const [least, most] = boxKeys(chart.spread)
  if (!groups) return []
  const lanes = lanesOf(chart)
  return byKind(chart).map((list): CustomSeriesOption => {
    const there = list.filter(({ y }) => y !== null)
    const color = colourOf(colours, list[0]?.slot ?? 0)
    return {
      ...QUIET,
      type: 'custom',
      z: 2,
      encode: { x: 0, y: [1, 2, 3, 4, 5] },
      data: there.map(({ x, at }) => [
        x,
        ...[least, 'p25' as const, 'p50' as const, 'p75' as const, most].map((key) => groups[key][at] as number),
      ]),
      renderItem: ({ dataIndex }, api) => {
        const item = there[dataIndex] as Item
        const at = (dim: number) => api.coord([api.value(0), api.value(dim)])
        const lane = barWidth(bandOf(api), lanes)
        const width = lane * WIDTH_SHARE
        const x = (at(1)[0] ?? 0) + shiftOf(item) * lane
        const [low = 0, first = 0, median = 0, third = 0, high = 0] = [1, 2, 3, 4, 5].map((dim) => at(dim)[1] ?? 0)
        if (item.n === 1) {
          const shape = { at: Float32Array.of(x, median), sizes: Float32Array.of(MARK), slot: item.shape }
          return {
            type: MARKS,
            shape,
            style: { fill: color, stroke: colours.sheet, lineWidth: 0.5 },
            silent: true,
            z2: 1,
          } as unknown as CustomSeriesRenderItemReturn
        }
        return {
          type: 'group',
          children: [
            ...whisker(x, low, first, width / 5, color),
            ...whisker(x, third, high, width / 5, color),
            {
              type: 'rect',
              shape: {
                x: x - width / 2,
                y: Math.min(first, third),
                width,
                height: Math.max(1, Math.abs(first - third)),
              },
              style: { fill: color, stroke: color, lineWidth: 1, fillOpacity: 0.3 },
            },
            {
              type: 'line',
              shape: { x1: x - width / 2, y1: median, x2: x + width / 2, y2: median },
              style: { stroke: colours.text, lineWidth: 1.6 },
            },
          ],
        }
      },
    }
  })
}
