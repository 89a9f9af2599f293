// Reads what a screenshot shows.
import { inflateSync } from 'node:zlib'

export interface Picture {
  width: number
  height: number
  at: (x: number, y: number) => number // the color as 0xRRGGBB
}

const paeth = (a: number, b: number, c: number) => {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
}

// Decodes a PNG as Chromium writes it: 8 bits per channel, RGB or RGBA, not interlaced.
export function decode(png: Buffer): Picture {
  const [width, height, depth, type] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]]
  if (depth !== 8 || (type !== 2 && type !== 6)) throw new Error(`PNG of depth ${depth} and type ${type}`)
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const raw = inflateSync(Buffer.concat(parts))
  const step = type === 6 ? 4 : 3
  const stride = width * step
  const out = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]
    for (let i = 0; i < stride; i++) {
      const left = i >= step ? (out[y * stride + i - step] as number) : 0
      const up = y > 0 ? (out[(y - 1) * stride + i] as number) : 0
      const corner = y > 0 && i >= step ? (out[(y - 1) * stride + i - step] as number) : 0
      const base =
        filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : filter === 4
                ? paeth(left, up, corner)
                : 0
      out[y * stride + i] = (raw[y * (stride + 1) + 1 + i] as number) + base
    }
  }
  return { width, height, at: (x, y) => out.readUIntBE(y * stride + x * step, 3) }
}

const INK_STEP = 2 // lines and letters are wider than a pixel, or longer than two

// Returns the share of pixels between two rows that do not have the most frequent color there, of every second one of
// each row.
export function inkOf({ width, at }: Picture, from: number, to: number) {
  const counts = new Map<number, number>()
  let all = 0
  for (let y = from; y < to; y++) {
    for (let x = y % INK_STEP; x < width; x += INK_STEP) {
      const color = at(x, y)
      counts.set(color, (counts.get(color) ?? 0) + 1)
      all++
    }
  }
  return 1 - Math.max(...counts.values()) / all
}
