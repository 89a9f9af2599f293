// Names of frontiers that share a color: the model at the upper end of each line, with a piece of a line and the mark
// of its color. A name apart from its line has a leader to it. The name under the pointer shows its line.
import { useState } from 'react'

import { useMedia } from '../ui/use-media'
import css from './chart.module.css'
import { type Colours, colourOf } from './colours'
import { stepsThrough } from './draw-scatter'
import { type Chart, frontiersOf, type Item } from './items'
import { kindsInWords } from './kinds'
import type { Scale } from './plot'
import { shapeOf } from './shapes'
import { sizingOf } from './sizes'

const HIGH_PX = 14
const LETTER_PX = 6.2
const PADDING_PX = 6 // of a name, on both sides together
const SWATCH_PX = 17
const MOST = 24 // letters
const PHONE_MOST = 12

interface FrontierName {
  words: string
  full: string
  at: number // of the frontier
  x: number
  y: number
  isLeft: boolean // of its point
}

type Point = readonly [x: number, y: number]

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

const MARK_PX = 6 // half of a mark, with a gap
const ASIDE_PX = 10 // of a name from the middle of its mark
const SHIFTS = [-14, -7, 0, 7, 14, -21, 21, -28, 28, -42, 42] // of a name from its point, the best first
const ASIDE = [0, -70, 70] // px of a name from its point, along the axis
const LEADER_FROM = 8 // px

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
  box: Scale['box'],
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
function widthOf(words: string) {
  if (ruler === undefined) {
    ruler = document.createElement('canvas').getContext('2d')
    if (ruler) ruler.font = `11px ${getComputedStyle(document.documentElement).getPropertyValue('--sans')}`
  }
  return ruler?.measureText(words).width ?? words.length * LETTER_PX
}

export const hasFrontierNames = ({ answer }: Chart) => Boolean(answer.frontier_by && answer.frontier?.length)

function cornersOf({ at }: { at: Float32Array }): Point[] {
  return Array.from({ length: at.length / 2 }, (_, i) => [at[i * 2] as number, at[i * 2 + 1] as number] as const)
}

export function FrontierNames({ chart, colours, scale }: { chart: Chart; colours: Colours; scale: Scale }) {
  const [shown, setShown] = useState<number | null>(null)
  const most = useMedia('(max-width: 640px)') ? PHONE_MOST : MOST
  const { answer, items } = chart
  const by = answer.frontier_by
  if (!by) return null
  const words = kindsInWords({ id: by.field } as never, by.kinds)
  const px = (item: Item | undefined): Point =>
    item && item.y !== null ? [scale.toPx('x', item.x), scale.toPx('y', item.y)] : [NaN, NaN]
  const sizing = sizingOf(chart)
  const stepsOf = (own: number[]) => cornersOf(stepsThrough(own, items, [(item) => px(item)[0], (item) => px(item)[1]]))
  const lines = frontiersOf(chart)
    .map(({ marks, with_untrusted: all, by: at }) => ({
      own: marks.length > 1 ? marks : all,
      all,
      words: words[at ?? -1] ?? '',
    }))
    .filter(({ own, words: name }) => own.length > 1 && name !== '')
  const ends = lines.map(({ own, words: name }) => {
    const [x, y] = px(items[own[0] ?? -1])
    return { words: name, x, y }
  })
  const names = placesOfNames(ends, scale.box, most, {
    wideOf: widthOf,
    marks: items
      .filter(({ y }) => y !== null)
      .map((item) => [...px(item), sizing ? sizing.wide(sizing.of(item)) / 2 + 2 : MARK_PX] as const),
    lines: lines.flatMap(({ own, all }) => [stepsOf(own), ...(all === own ? [] : [stepsOf(all)])]),
  })
  const line = shown === null ? undefined : lines[shown]
  const slotOf = (at: number) => items[lines[at]?.own[0] ?? 0]?.slot ?? 0
  return (
    <>
      <svg className={css.over} aria-hidden="true">
        {line && (
          <polyline
            points={stepsOf(line.own).join(' ')}
            fill="none"
            stroke={colourOf(colours, slotOf(shown ?? 0))}
            strokeWidth={4}
            opacity={0.6}
          />
        )}
        {names.map(({ at, x, y }) => {
          const { x: fromX, y: fromY } = ends[at] ?? { x, y }
          return (
            Math.hypot(x - fromX, y - fromY) > ASIDE_PX + LEADER_FROM && (
              <line
                key={at}
                x1={fromX}
                y1={fromY}
                x2={x}
                y2={y}
                stroke={colourOf(colours, slotOf(at))}
                strokeWidth={0.8}
                opacity={0.6}
              />
            )
          )
        })}
      </svg>
      {names.map(({ words: name, full, at, x, y, isLeft }) => (
        <span
          key={at}
          className={css.frontierName}
          data-left={isLeft || undefined}
          style={{ left: x, top: y, color: colourOf(colours, slotOf(at)) }}
          title={`Frontier of ${full}`}
          onPointerEnter={() => setShown(at)}
          onPointerLeave={() => setShown(null)}
        >
          <svg viewBox="-10 -7 20 14" aria-hidden="true">
            <path d="M-10 0H10" stroke={colourOf(colours, slotOf(at))} strokeWidth={2} />
            <path d={shapeOf(slotOf(at))} fill={colourOf(colours, slotOf(at))} />
          </svg>
          {name}
        </span>
      ))}
    </>
  )
}
