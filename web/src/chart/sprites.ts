// Marks as small pictures. Each look and size of a mark is drawn once; thousands of them are then copied, which costs a
// browser without a GPU a fraction of filling and stroking each path.
import { type Pen, trace } from './shapes'

export interface Look {
  fill: string
  stroke: string
  lineWidth: number
  opacity?: number
}

interface Sprite {
  pixels: Uint8ClampedArray
  image: ImageBitmap
  wide: number // pixels of the screen, as high as wide
}

const LOOKS_MAX = 200
const looks = new Map<string, Map<number, Sprite>>()

// The sprites of one look by twice their size in pixels of the screen. `ratio`: pixels of the screen per CSS pixel.
export function spritesOf(
  slot: number,
  { fill, stroke, lineWidth, opacity = 1 }: Look,
  ratio: number,
): Map<number, Sprite> {
  const key = `${slot} ${ratio} ${fill} ${stroke} ${lineWidth} ${opacity}`
  const known = looks.get(key)
  if (known) return known
  if (looks.size >= LOOKS_MAX) looks.clear()
  const made = new Map<number, Sprite>()
  looks.set(key, made)
  return made
}

// `made`: the sprites of that look.
export function spriteOf(
  made: Map<number, Sprite>,
  slot: number,
  size: number,
  { fill, stroke, lineWidth, opacity = 1 }: Look,
  ratio: number,
): Sprite {
  const twice = Math.round(size * ratio * 2)
  const known = made.get(twice)
  if (known) return known
  const wide = Math.ceil((twice / 2) * 1.1 + lineWidth * ratio) + 2
  const canvas = new OffscreenCanvas(wide, wide)
  const context = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
  context.globalAlpha = opacity
  context.fillStyle = fill
  context.strokeStyle = stroke
  context.lineWidth = lineWidth * ratio
  context.beginPath()
  trace(context as Pen, slot, wide / 2, wide / 2, twice / 2)
  context.fill()
  context.stroke()
  const sprite = { pixels: context.getImageData(0, 0, wide, wide).data, image: canvas.transferToImageBitmap(), wide }
  made.set(twice, sprite)
  return sprite
}

export interface Sheet {
  canvas: OffscreenCanvas
  context: OffscreenCanvasRenderingContext2D
  ground: ImageData
}

let sheet: Sheet | null = null

// A clear picture of the given size, on which marks are blended before they are copied at once. Each call returns the
// same one.
export function clearSheet(width: number, height: number): Sheet {
  if (sheet?.canvas.width === width && sheet.canvas.height === height) sheet.ground.data.fill(0)
  else {
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
    sheet = { canvas, context, ground: context.createImageData(width, height) }
  }
  return sheet
}

// Blends as a canvas does, with straight alpha.
export function blend(
  { data, width, height }: ImageData,
  { pixels, wide }: Pick<Sprite, 'pixels' | 'wide'>,
  left: number,
  top: number,
) {
  const [fromX, toX] = [Math.max(0, -left), Math.min(wide, width - left)]
  const [fromY, toY] = [Math.max(0, -top), Math.min(wide, height - top)]
  for (let y = fromY; y < toY; y++) {
    let to = ((top + y) * width + left + fromX) * 4
    let from = (y * wide + fromX) * 4
    for (let x = fromX; x < toX; x++, to += 4, from += 4) {
      const alpha = pixels[from + 3] as number
      if (alpha === 0) continue
      const under = ((data[to + 3] as number) * (255 - alpha)) / 255
      const all = alpha + under
      for (let part = 0; part < 3; part++)
        data[to + part] = ((pixels[from + part] as number) * alpha + (data[to + part] as number) * under) / all
      data[to + 3] = all
    }
  }
}
