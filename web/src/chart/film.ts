// Draws the chart in a film (film/film.ts). A canvas above the drawing shows the marks of a scatter, and the drawing
// shows only the axes. The marks look as ECharts draws them, at a fraction of the time. While the film runs, the scales
// do not shrink; they grow if a mark would be outside. Other charts have few shapes, so ECharts draws them.
import type { CustomSeriesOption } from 'echarts/charts'

import type { Colours } from './colours'
import type { ECharts } from './draw'
import { isLogAxis, placing } from './hits'
import type { Chart, Item } from './items'
import { MARKS, type MarksShape, type StrandsShape } from './marks'
import { shapesOf } from './draw-scatter'
import { drawingOf, DRAWINGS, type Option } from './option'
import { blend, spriteOf, spritesOf } from './sprites'

type Ends = [number, number]

export interface Scales {
  key: string // kinds and scales of the axes; a change of them replaces the scales
  x: Ends
  y: Ends
}

export interface Filmed {
  chart: Chart
  colours: Colours
  wide: number
}

export const filmedOf = (chart: Chart, colours: Colours, wide: number): Filmed => ({ chart, colours, wide })

const isPainted = ({ answer, state }: Chart) => Boolean(answer.marks && DRAWINGS[state.kind].isFilmed)

function scalesOf({ answer, x, y }: Chart): Scales {
  const key = [
    answer.x?.field,
    answer.x?.kind,
    answer.x?.log,
    ...(x.kinds ? x.words : []),
    answer.y?.field,
    answer.y?.kind,
    answer.y?.log,
    ...(y?.kinds ? y.words : []),
  ].join('\n')
  return {
    key,
    x: [answer.x?.min ?? Infinity, answer.x?.max ?? -Infinity],
    y: [answer.y?.min ?? Infinity, answer.y?.max ?? -Infinity],
  }
}

const union = (a: Ends, b: Ends): Ends => [Math.min(a[0], b[0]), Math.max(a[1], b[1])]

function grown(held: Scales | null, next: Scales): Scales {
  if (held?.key !== next.key) return next
  const [x, y] = [union(held.x, next.x), union(held.y, next.y)]
  return [...x, ...y].every((end, i) => end === [...held.x, ...held.y][i]) ? held : { key: held.key, x, y }
}

// Only the axes. Two corners without a mark set their ends.
function axesOption({ chart, colours, wide }: Filmed, { x, y }: Scales): Option {
  const { answer } = chart
  const ends = (axis: Chart['answer']['x'], [min, max]: Ends) => (axis ? { ...axis, min, max } : axis)
  const bare = { ...chart, items: [], answer: { ...answer, x: ends(answer.x, x), y: ends(answer.y, y) } } as Chart
  const corners: CustomSeriesOption = {
    type: 'custom',
    silent: true,
    animation: false,
    data: [
      [x[0], y[0]],
      [x[1], y[1]],
    ],
    renderItem: () => null as never,
  }
  return { ...drawingOf(bare, colours, wide).option, series: [corners] }
}

// Returns the scales of the frame.
export function drawFrame(drawing: ECharts, layer: HTMLCanvasElement, filmed: Filmed, held: Scales | null): Scales {
  const { chart, colours, wide } = filmed
  const scales = grown(held, scalesOf(chart))
  if (!isPainted(chart)) {
    drawing.setOption(drawingOf(chart, colours, wide).option, { notMerge: true })
    return scales
  }
  const isEmpty = scales.x[0] > scales.x[1]
  if (scales !== held && !isEmpty) drawing.setOption(axesOption(filmed, scales), { notMerge: true })
  paint(
    layer,
    drawing.getWidth(),
    drawing.getHeight(),
    isEmpty ? [] : shapesOf(chart, colours, Infinity, placesOn(drawing, chart, scales)),
  )
  return scales
}

function placesOn(
  drawing: ECharts,
  { answer }: Chart,
  { x, y }: Scales,
): [(item: Item) => number, (item: Item) => number] {
  const at = (value: Ends) => drawing.convertToPixel({ gridIndex: 0 }, value) as Ends
  const along = (ends: Ends, axis: Chart['answer']['x'], ask: (value: number) => number) =>
    placing(ends, (end) => end, isLogAxis({ type: axis?.log ? 'log' : 'value' }), ask)
  const placeX = along(x, answer.x, (value) => at([value, y[0]])[0])
  const placeY = along(y, answer.y, (value) => at([x[0], value])[1])
  return [(item) => placeX(item.x), (item) => placeY(item.y as number)]
}

// ---- pixels -----------------------------------------------------------------------------------------

type Shape = ReturnType<typeof shapesOf>[number]
type Look = Shape['style']

function pen(context: CanvasRenderingContext2D, { fill, stroke, lineWidth, opacity, lineDash }: Look) {
  context.globalAlpha = opacity ?? 1
  context.fillStyle = fill
  context.strokeStyle = stroke
  context.lineWidth = lineWidth
  context.setLineDash(lineDash ?? [])
}

let ground: ImageData | null = null

function paint(layer: HTMLCanvasElement, width: number, height: number, shapes: Shape[]) {
  const ratio = window.devicePixelRatio
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (layer.width !== wide || layer.height !== high) [layer.width, layer.height] = [wide, high]
  const context = layer.getContext('2d')
  if (!context) return
  if (ground?.width !== wide || ground.height !== high) ground = context.createImageData(wide, high)
  else ground.data.fill(0)
  const marks = shapes.filter(({ type }) => type === MARKS).toSorted((a, b) => a.z2 - b.z2)
  for (const { shape, style } of marks) {
    const { at, sizes, slot } = shape as MarksShape
    const made = spritesOf(slot, style, ratio)
    for (let i = 0; i < sizes.length; i++) {
      const sprite = spriteOf(made, slot, sizes[i] as number, style, ratio)
      blend(
        ground,
        sprite,
        Math.round((at[i * 2] as number) * ratio - sprite.wide / 2),
        Math.round((at[i * 2 + 1] as number) * ratio - sprite.wide / 2),
      )
    }
  }
  context.putImageData(ground, 0, 0)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  for (const { shape, style } of shapes.filter(({ type }) => type !== MARKS)) {
    const { at } = shape as StrandsShape
    pen(context, style)
    context.beginPath()
    for (let i = 0; i < at.length; i += 2) context.lineTo(at[i] as number, at[i + 1] as number)
    context.stroke()
  }
  context.resetTransform()
}
