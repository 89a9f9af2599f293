// Registers only the parts of ECharts that the charts use.
import { CustomChart } from 'echarts/charts'
import { GraphicComponent, GridComponent } from 'echarts/components'
import { type ECharts, init, use } from 'echarts/core'
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers'

import type { Option } from './option'

use([CustomChart, GridComponent, GraphicComponent, CanvasRenderer, SVGRenderer])

export type { ECharts }

export const open = (element: HTMLElement) => init(element, null, { renderer: 'canvas' })

export function svgOf(option: Option, width: number, height: number) {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  chart.setOption(option)
  const text = chart.renderToSVGString()
  chart.dispose()
  return text
}

const PNG_SCALE = 2

export async function pngOf(option: Option, width: number, height: number, ground: string): Promise<Blob> {
  const element = document.createElement('div')
  const chart = init(element, null, { renderer: 'canvas', width, height, devicePixelRatio: PNG_SCALE })
  chart.setOption(option)
  const canvas = chart.renderToCanvas({ pixelRatio: PNG_SCALE, backgroundColor: ground })
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  chart.dispose()
  if (!blob) throw new Error('the browser could not create the picture')
  return blob
}
