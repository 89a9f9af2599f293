// Places of names in a drawing: over no mark, no other name and no edge, and over few lines.
const HIGH_PX = 14
const LETTER_PX = 6.2
const PADDING_PX = 6 // of a name, on both sides together
const SWATCH_PX = 17
export const MOST = 24 // letters
export const PHONE_MOST = 12

interface FrontierName {
  words: string
  full: string
  at: number // of the frontier
  x: number
  y: number
  isLeft: boolean // of its point
}

export type Point = readonly [x: number, y: number]

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

export const MARK_PX = 6 // half of a mark, with a gap
export const ASIDE_PX = 10 // of a name from the middle of its mark
const SHIFTS = [-14, -7, 0, 7, 14, -21, 21, -28, 28, -42, 42] // of a name from its point, the best first
const ASIDE = [0, -70, 70] // px of a name from its point, along the axis
export const LEADER_FROM = 8 // px

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

interface Rect {
  from: number
  to: number
  top: number
  bottom: number
}

// Whether a level or upright stretch of a line goes through a box.
const crosses = ([x0, y0]: Point, [x1, y1]: Point, { from, to, top, bottom }: Rect) =>
  Math.max(x0, x1) > from && Math.min(x0, x1) < to && Math.max(y0, y1) > top && Math.min(y0, y1) < bottom

// Shapes that names should not cover: marks, and lines by their corners.
interface Obstacles {
  marks?: readonly (readonly [x: number, y: number, half?: number])[] // half of its size, with a gap
  lines?: readonly (readonly Point[])[]
  wideOf?: (words: string) => number
}

// A name next to the first result of each line: over no mark, no other name and no edge of the plot, and over as few
// lines as the room allows. A name without such a place is left out; the legend has its color.
export function placesOfNames(
  ends: readonly { words: string; x: number; y: number }[],
  box: Box,
  most: number,
  { marks = [], lines = [], wideOf = (words) => words.length * LETTER_PX }: Obstacles = {},
): FrontierName[] {
  const placed: (FrontierName & Rect)[] = []
  ends
    .map((end, at) => ({ ...end, at }))
    .toSorted((a, b) => a.y - b.y)
    .forEach(({ words: full, x, y, at }) => {
      const words = clip(full, most)
      const wide = Math.ceil(wideOf(words)) + PADDING_PX + SWATCH_PX
      let best: (typeof placed)[number] | null = null
      let least = Infinity
      for (const [isLeft, aside] of [false, true].flatMap((left) => ASIDE.map((dx) => [left, dx] as const))) {
        const at0 = x + aside + (isLeft ? -ASIDE_PX : ASIDE_PX)
        const [from, to] = isLeft ? [at0 - wide, at0] : [at0, at0 + wide]
        if (from < box.left || to > box.right) continue
        for (const [order, shift] of SHIFTS.entries()) {
          const rect = { from, to, top: y + shift - HIGH_PX / 2, bottom: y + shift + HIGH_PX / 2 }
          if (rect.top < box.top || rect.bottom > box.bottom) continue
          if (
            placed.some(
              (other) => from < other.to && to > other.from && rect.top < other.bottom && rect.bottom > other.top,
            )
          )
            continue
          if (
            marks.some(
              ([markX, markY, half = MARK_PX]) =>
                markX > from - half && markX < to + half && markY > rect.top - half && markY < rect.bottom + half,
            )
          )
            continue
          const crossed = lines.filter((line) =>
            line.some((corner, i) => i > 0 && crosses(line[i - 1] as Point, corner, rect)),
          ).length
          const cost = (crossed * 2 + (isLeft ? 1 : 0) + (aside === 0 ? 0 : 1.5)) * SHIFTS.length + order
          if (cost >= least) continue
          least = cost
          best = { words, full, at, x: at0, y: y + shift, isLeft, ...rect }
        }
      }
      if (best) placed.push(best)
    })
  return placed.map(({ words, full, at, x, y, isLeft }) => ({ words, full, at, x, y, isLeft }))
}

let ruler: CanvasRenderingContext2D | null | undefined
export function widthOf(words: string) {
  if (ruler === undefined) {
    ruler = document.createElement('canvas').getContext('2d')
    if (ruler) ruler.font = `11px ${getComputedStyle(document.documentElement).getPropertyValue('--sans')}`
  }
  return ruler?.measureText(words).width ?? words.length * LETTER_PX
}
