// A bar for each bin and color: how many results it has.
import type { CustomSeriesOption } from 'echarts/charts'

import { bandOf, barWidth, byKind, QUIET } from './bands'
import { type Colours, colourOf } from './colours'
import type { Chart } from './items'

export function histogramSeries(chart: Chart, colours: Colours): CustomSeriesOption[] {
  const isKinds = !chart.answer.bins?.edges
  return byKind(chart).map(
    (list): CustomSeriesOption => ({
      ...QUIET,
      type: 'custom',
      z: 2,
      encode: { x: 0, y: [1, 2] },
      data: list.map(({ x, low, high }) => [isKinds ? x : x + 0.5, low as number, high as number]),
      renderItem: (_, api) => {
        const [x = 0, low = 0] = api.coord([api.value(0), api.value(1)])
        const high = api.coord([api.value(0), api.value(2)])[1] ?? 0
        const width = isKinds ? barWidth(bandOf(api), 1) : Math.max(1, bandOf(api) - 1)
        return {
          type: 'rect',
          shape: { x: x - width / 2, y: high, width, height: low - high },
          style: { fill: colourOf(colours, list[0]?.slot ?? 0), opacity: 0.82 },
        }
      },
    }),
  )
}
