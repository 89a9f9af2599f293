// Marks as small pictures. Each look and size of a mark is drawn once; thousands of them are then copied, which costs a browser without
// a GPU a fraction of filling and stroking each path.
import { type Pen, trace } from './shapes'

export interface Look {
  fill: string
  stroke: string
  lineWidth: number
  opacity?: number
}

export interface Sprite {
  pixels: Uint8ClampedArray
  image: ImageBitmap
  wide: number // pixels of the screen, as high as wide
}

const LOOKS_MAX = 200
const looks = new Map<string, Map<number, Sprite>>()

// The sprites of one look by twice their size in pixels of the screen. `ratio`: pixels of the screen per CSS pixel.
export function spritesOf(slot: number, { fill, stroke, lineWidth, opacity = 1 }: Look, ratio: number): Map<number, Sprite> {
  const key = `${slot} ${ratio} ${fill} ${stroke} ${lineWidth} ${opacity}`
  const known = looks.get(key)
  if (known) return known
  if (looks.size >= LOOKS_MAX) looks.clear()
  const made = new Map<number, Sprite>()
  looks.set(key, made)
  return made
}

// `made`: the sprites of that look.
export function spriteOf(made: Map<number, Sprite>, slot: number, size: number, { fill, stroke, lineWidth, opacity = 1 }: Look, ratio: number): Sprite {
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
