// A bar for each group, from zero, with its error bar. On a logarithmic axis, which has no zero, a dot.
import type { CustomSeriesOption } from 'echarts/charts'

import { isLogY } from './axes'
import { type Api, bandOf, barWidth, byKind, errorBars, lanesOf, QUIET } from './bands'
import { type Colours, colourOf } from './colours'
import type { Chart, Item } from './items'
import type { On } from './option'

const DOT = 4

export function barSeries(chart: Chart, colours: Colours, { shiftOf }: On): CustomSeriesOption[] {
  const base = chart.state.fromData ? null : 0
  const isDots = isLogY(chart)
  const lanes = lanesOf(chart)
  const shift = (item: Item, api: Api) => (lanes > 1 ? shiftOf(item) * barWidth(bandOf(api), lanes) : 0)
  return byKind(chart).flatMap((list): CustomSeriesOption[] => {
    const there = list.filter(({ y }) => y !== null)
    const color = colourOf(colours, list[0]?.slot ?? 0)
    const bar: CustomSeriesOption = {
      ...QUIET,
      type: 'custom',
      z: 2,
      encode: { x: 0, y: 1 },
      data: there.map(({ x, y }) => [x, y as number]),
      renderItem: ({ dataIndex, coordSys }, api) => {
        const item = there[dataIndex] as Item
        const [x = 0, y = 0] = api.coord([item.x, item.y as number])
        const area = coordSys as unknown as { y: number; height: number }
        const width = barWidth(bandOf(api), lanes)
        const middle = x + shift(item, api)
        if (isDots) return { type: 'circle', shape: { cx: middle, cy: y, r: DOT }, style: { fill: color } }
        const floor = base === null ? area.y + area.height : (api.coord([item.x, 0])[1] ?? 0)
        const gap = width > 6 ? 1 : 0
        return {
          type: 'rect',
          shape: {
            x: middle - width / 2 + gap / 2,
            y: Math.min(y, floor),
            width: width - gap,
            height: Math.abs(floor - y),
          },
          style: { fill: color, opacity: 0.82 },
        }
      },
    }
    return [bar, errorBars(there, shift, isDots ? color : colours.text)]
  })
}
