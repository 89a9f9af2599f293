// One shape per color, in a box from -5 to 5: a color and its shape always occur together, so that color is not the
// only code.
export const SHAPES = [
  'M5 0A5 5 0 1 1-5 0A5 5 0 1 1 5 0z', // circle
  'M-4.3-4.3H4.3V4.3H-4.3z', // square
  'M0-5L5 4H-5z', // triangle
  'M0-5.2L5.2 0 0 5.2-5.2 0z', // diamond
  'M0 5L5-4H-5z', // triangle, down
  'M-1.7-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5V-1.7H-1.7z', // plus
  'M-5-1.9H5V1.9H-5z', // bar
  'M0-2.4L2.6-5 5-2.6 2.4 0 5 2.6 2.6 5 0 2.4-2.6 5-5 2.6-2.4 0-5-2.6-2.6-5z', // cross
] as const
const OTHER_SHAPE = 'M3 0A3 3 0 1 1-3 0A3 3 0 1 1 3 0z'

export const shapeOf = (slot: number) => SHAPES[slot] ?? OTHER_SHAPE

export interface Pen {
  moveTo: (x: number, y: number) => unknown
  lineTo: (x: number, y: number) => unknown
  arc: (x: number, y: number, radius: number, from: number, to: number) => unknown
  closePath: () => unknown
}

const FULL = 10 // a shape's own width
const isRound = (slot: number) => SHAPES[slot] === undefined || slot === 0
const corners = SHAPES.map((_, slot) => (isRound(slot) ? [] : cornersOf(slot)))

// A shape around a place, so wide.
export function trace(pen: Pen, slot: number, x: number, y: number, size: number) {
  if (isRound(slot)) {
    pen.moveTo(x + size / 2, y)
    pen.arc(x, y, size / 2, 0, Math.PI * 2)
    return
  }
  const scale = size / FULL
  const own = corners[slot] as [number, number][]
  for (let i = 0; i < own.length; i++) {
    const [dx, dy] = own[i] as [number, number]
    if (i === 0) pen.moveTo(x + dx * scale, y + dy * scale)
    else pen.lineTo(x + dx * scale, y + dy * scale)
  }
  pen.closePath()
}

// The corners of a shape that has no round ones.
export function cornersOf(slot: number): [number, number][] {
  const corners: [number, number][] = []
  let at: [number, number] = [0, 0]
  for (const [, command, rest = ''] of shapeOf(slot).matchAll(/([MLHV])([^MLHVz]*)/g)) {
    const numbers = (rest.match(/-?\d+(\.\d+)?/g) ?? []).map(Number)
    const step = command === 'H' || command === 'V' ? 1 : 2
    for (let i = 0; i < numbers.length; i += step) {
      const [a = 0, b = 0] = numbers.slice(i)
      at = command === 'H' ? [a, at[1]] : command === 'V' ? [at[0], a] : [a, b]
      corners.push(at)
    }
  }
  return corners
}
