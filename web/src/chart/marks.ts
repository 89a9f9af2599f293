// Draws many marks of one look as one shape of ECharts, because a shape costs more than a mark.
import { graphic } from 'echarts/core'

import { type Pen, trace } from './shapes'
import { blend, clearSheet, spriteOf, spritesOf } from './sprites'

export interface MarksShape {
  at: Float32Array // x and y of each
  sizes: Float32Array // of each
  slot: number
}

const COPIED_FROM = 50 // of fewer each is drawn by itself, between pixels, too
const BLENDED_FROM = 300 // of more, one copy of all costs less than a copy of each
const NO_PLACES = new Float32Array(0)
const Shape = graphic.extendShape({ shape: {}, buildPath() {} })
type Given = Parameters<InstanceType<typeof Shape>['buildPath']>[0]

// Fills and strokes each mark separately, so that overlapping marks become darker: on a canvas, in its current style.
// Other callers, such as an SVG or a hit test, get one path through all marks.
class Marks extends Shape {
  private canvas: CanvasRenderingContext2D | null = null

  override getDefaultShape(): MarksShape {
    return { at: NO_PLACES, sizes: NO_PLACES, slot: 0 }
  }

  private draw(pen: Pen, before: () => void, after: () => void) {
    const { at, sizes, slot } = this.shape as MarksShape
    for (let i = 0; i < sizes.length; i++) {
      before()
      trace(pen, slot, at[i * 2] as number, at[i * 2 + 1] as number, sizes[i] as number)
      after()
    }
  }

  override buildPath(path: Given) {
    this.canvas = 'getContext' in path ? (path.getContext() ?? null) : path
    if (!this.canvas)
      this.draw(
        path,
        () => {},
        () => {},
      )
  }

  // Copies pictures of the marks if nothing rotates or scales them. They are at whole pixels, as in a film.
  private copy(canvas: CanvasRenderingContext2D) {
    const { at, sizes, slot } = this.shape as MarksShape
    const { a: ratio, b, c, d, e, f } = canvas.getTransform()
    const { fillStyle: fill, strokeStyle: stroke, lineWidth, globalAlpha: opacity } = canvas
    if (
      sizes.length < COPIED_FROM ||
      b !== 0 ||
      c !== 0 ||
      ratio !== d ||
      typeof fill !== 'string' ||
      typeof stroke !== 'string'
    )
      return false
    const look = { fill, stroke, lineWidth, opacity }
    const made = spritesOf(slot, look, ratio)
    canvas.save()
    canvas.resetTransform()
    canvas.globalAlpha = 1
    const sheet = sizes.length < BLENDED_FROM ? null : clearSheet(canvas.canvas.width, canvas.canvas.height)
    for (let i = 0; i < sizes.length; i++) {
      const sprite = spriteOf(made, slot, sizes[i] as number, look, ratio)
      const [left, top] = [
        Math.round((at[i * 2] as number) * ratio + e - sprite.wide / 2),
        Math.round((at[i * 2 + 1] as number) * ratio + f - sprite.wide / 2),
      ]
      if (sheet) blend(sheet.ground, sprite, left, top)
      else canvas.drawImage(sprite.image, left, top)
    }
    if (sheet) {
      sheet.context.putImageData(sheet.ground, 0, 0)
      canvas.drawImage(sheet.canvas, 0, 0)
    }
    canvas.restore()
    return true
  }

  override afterBrush() {
    const { canvas } = this
    if (!canvas) return
    const [isFilled, isEdged] = [this.hasFill(), this.hasStroke()]
    if (isFilled && isEdged && this.copy(canvas)) return
    this.draw(
      canvas,
      () => canvas.beginPath(),
      () => {
        if (isFilled) canvas.fill()
        if (isEdged) canvas.stroke()
      },
    )
  }
}

export interface StrandsShape {
  at: Float32Array // x and y of each place in order; NaN after the last place of a line
}

class Strands extends Shape {
  override getDefaultShape(): StrandsShape {
    return { at: NO_PLACES }
  }

  override buildPath(path: Given) {
    const { at } = this.shape as StrandsShape
    for (let i = 0; i < at.length; i += 2) {
      if (Number.isNaN(at[i])) continue
      if (i === 0 || Number.isNaN(at[i - 2])) path.moveTo(at[i] as number, at[i + 1] as number)
      else path.lineTo(at[i] as number, at[i + 1] as number)
    }
  }
}

export const MARKS = 'marks'
export const STRANDS = 'strands'
graphic.registerShape(MARKS, Marks)
graphic.registerShape(STRANDS, Strands)
