// The positions of all items on the screen, in arrays of numbers. Finds the item under the pointer, the next item, and
// the items in a rectangle, without the drawing.

export interface Hits {
  x: Float32Array
  y: Float32Array
  count: number
  cell?: [number, number] // half of its width and height, where each hit is one
}

export const NO_HITS: Hits = { x: new Float32Array(0), y: new Float32Array(0), count: 0 }
const REACH = 18

// Returns the nearest item within reach. With `across`, an item at the same place counts, however far away its value
// is. In a heat map, returns the cell under the pointer.
export function nearest({ x, y, count, cell }: Hits, px: number, py: number, across: boolean): number | null {
  if (cell) {
    const at = x.findIndex((cx, i) => Math.abs(cx - px) <= cell[0] && Math.abs((y[i] ?? 0) - py) <= cell[1])
    return at < 0 ? null : at
  }
  let best: number | null = null
  let least = across ? Infinity : REACH * REACH
  for (let i = 0; i < count; i++) {
    const dx = (x[i] ?? 0) - px
    const dy = ((y[i] ?? 0) - py) * (across ? 0.05 : 1)
    const far = dx * dx + dy * dy
    if (far < least) {
      least = far
      best = i
    }
  }
  return best
}

export const isLogAxis = (axis: unknown) => (axis as { type?: string }).type === 'log'

// Returns the positions of values on an axis. Asks the drawing for the ends only, because asking for each value is
// slow.
export function placing<T>(
  list: T[],
  measure: (one: T) => number,
  onLog: boolean,
  ask: (value: number) => number,
): (one: T) => number {
  const on = onLog ? Math.log : (value: number) => value
  let [least, most] = [Infinity, -Infinity]
  for (const one of list) {
    least = Math.min(least, measure(one))
    most = Math.max(most, measure(one))
  }
  const begin = ask(least)
  const step = most > least ? (ask(most) - begin) / (on(most) - on(least)) : 0
  return (one) => begin + (on(measure(one)) - on(least)) * step
}

export interface Box {
  x: [number, number]
  y: [number, number]
}

// From two corners, whichever.
export const boxOf = (from: [number, number], to: [number, number]): Box => ({
  x: [Math.min(from[0], to[0]), Math.max(from[0], to[0])],
  y: [Math.min(from[1], to[1]), Math.max(from[1], to[1])],
})

// Rounds a range outwards, to a thousandth of its width, so that it is readable and still contains every value.
export function outwards([low, high]: [number, number]): [number, number] {
  const step = 10 ** Math.floor(Math.log10((high - low) / 200 || 1))
  const round = (value: number, way: (n: number) => number) => Number((way(value / step) * step).toPrecision(12))
  return high > low ? [round(low, Math.floor), round(high, Math.ceil)] : [low, high]
}
