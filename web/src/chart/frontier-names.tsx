// Names of frontiers that share a color: the model at the upper end of each line, with a piece of a line and the mark of its color. A name apart from its line has
// a leader to it. The name under the pointer shows its line.
import { useState } from 'react'

import { useMedia } from '../ui/use-media'
import css from './chart.module.css'
import { type Colours, colourOf } from './colours'
import { stepsThrough } from './draw-scatter'
import { type Chart, frontiersOf, type Item } from './items'
import { kindsInWords } from './kinds'
import type { Scale } from './plot'
import { shapeOf } from './shapes'

const HIGH_PX = 14
const LETTER_PX = 6.2
const GAP_PX = 8
const SWATCH_PX = 17
const MOST = 24 // letters
const PHONE_MOST = 12

export interface FrontierName {
  words: string
  full: string
  at: number // of the frontier
  x: number
  y: number
  isLeft: boolean // of its point
}

type Point = readonly [x: number, y: number]

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

const MARK_PX = 7 // half of a mark, with a gap
const SHIFTS = [-14, -7, 0, 7, 14, -21, 21, -28, 28, -42, 42] // of a name from its point, the best first
const ASIDE = [0, -70, 70] // px of a name from its point, along the axis
const LEADER_FROM = 8 // px

interface Rect {
  from: number
  to: number
  top: number
  bottom: number
}

const isInside = ([x, y]: Point, { from, to, top, bottom }: Rect) => x > from && x < to && y > top && y < bottom

// Whether a level or upright stretch of a line goes through a box.
const crosses = ([x0, y0]: Point, [x1, y1]: Point, { from, to, top, bottom }: Rect) => Math.max(x0, x1) > from && Math.min(x0, x1) < to && Math.max(y0, y1) > top && Math.min(y0, y1) < bottom

// Shapes that names should not cover: marks, and lines by their corners.
interface Obstacles {
  marks?: readonly Point[]
  lines?: readonly (readonly Point[])[]
}

// A name next to the first result of each line, none over another, and over as few marks and lines as the room allows. A name without room is
// left out.
export function placesOfNames(ends: readonly { words: string; x: number; y: number }[], box: Scale['box'], most: number, { marks = [], lines = [] }: Obstacles = {}): FrontierName[] {
  const placed: (FrontierName & { from: number; to: number })[] = []
  ends.map((end, at) => ({ ...end, at })).toSorted((a, b) => a.y - b.y).forEach(({ words: full, x, y, at }) => {
    const words = clip(full, most)
    const wide = words.length * LETTER_PX + GAP_PX + SWATCH_PX
    let best: (typeof placed)[number] | null = null
    let least = Infinity
    for (const [isLeft, aside] of [false, true].flatMap((left) => ASIDE.map((dx) => [left, dx] as const))) {
      const [from, to] = isLeft ? [x + aside - wide, x + aside] : [x + aside, x + aside + wide]
      if (from < box.left || to > box.right) continue
      for (const [order, shift] of SHIFTS.entries()) {
        const top = y + shift
        if (top < box.top + HIGH_PX / 2 || top > box.bottom - HIGH_PX / 2) continue
        if (placed.some((other) => from < other.to && to > other.from && Math.abs(top - other.y) < HIGH_PX)) continue
        const near = { from: from - MARK_PX / 2, to: to + MARK_PX, top: top - MARK_PX - HIGH_PX / 2, bottom: top + MARK_PX + HIGH_PX / 2 }
        const tight = { from: from + 3, to: to - 3, top: top - HIGH_PX / 2, bottom: top + HIGH_PX / 2 }
        const covered = marks.filter((mark) => isInside(mark, near) && !(mark[0] === x && mark[1] === y)).length
        const crossed = lines.filter((line) => line.some((corner, i) => i > 0 && crosses(line[i - 1] as Point, corner, tight))).length
        const cost = ((covered + crossed) * 2 + (isLeft ? 1 : 0) + (aside === 0 ? 0 : 1.5)) * SHIFTS.length + order
        if (cost >= least) continue
        least = cost
        best = { words, full, at, x: x + aside, y: top, isLeft, from, to }
      }
    }
    if (best) placed.push(best)
  })
  return placed.map(({ from: _, to: __, ...name }) => name)
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
  const px = (item: Item | undefined): Point => (item && item.y !== null ? [scale.toPx('x', item.x), scale.toPx('y', item.y)] : [NaN, NaN])
  const stepsOf = (own: number[]) => cornersOf(stepsThrough(own, items, [(item) => px(item)[0], (item) => px(item)[1]]))
  const lines = frontiersOf(chart).map(({ marks, with_untrusted: all, by: at }) => ({ own: marks.length > 1 ? marks : all, all, words: words[at ?? -1] ?? '' })).filter(({ own, words: name }) => own.length > 1 && name !== '')
  const ends = lines.map(({ own, words: name }) => { const [x, y] = px(items[own[0] ?? -1]); return { words: name, x, y } })
  const names = placesOfNames(ends, scale.box, most, { marks: items.filter(({ y }) => y !== null).map(px), lines: lines.flatMap(({ own, all }) => [stepsOf(own), ...(all === own ? [] : [stepsOf(all)])]) })
  const line = shown === null ? undefined : lines[shown]
  const slotOf = (at: number) => items[lines[at]?.own[0] ?? 0]?.slot ?? 0
  return (
    <>
      <svg className={css.over} aria-hidden="true">
        {line && <polyline points={stepsOf(line.own).join(' ')} fill="none" stroke={colourOf(colours, slotOf(shown ?? 0))} strokeWidth={4} opacity={0.6} />}
        {names.map(({ at, x, y, isLeft }) => {
          const { x: fromX, y: fromY } = ends[at] ?? { x, y }
          return Math.hypot(x - fromX, y - fromY) > LEADER_FROM && <line key={at} x1={fromX} y1={fromY} x2={x + (isLeft ? -4 : 4)} y2={y} stroke={colourOf(colours, slotOf(at))} strokeWidth={0.8} opacity={0.6} />
        })}
      </svg>
      {names.map(({ words: name, full, at, x, y, isLeft }) => (
        <span key={at} className={css.frontierName} data-left={isLeft || undefined} style={{ left: x, top: y, color: colourOf(colours, slotOf(at)) }} title={`Frontier of ${full}`} onPointerEnter={() => setShown(at)} onPointerLeave={() => setShown(null)}>
          <svg viewBox="-10 -7 20 14" aria-hidden="true"><path d="M-10 0H10" stroke={colourOf(colours, slotOf(at))} strokeWidth={2} /><path d={shapeOf(slotOf(at))} fill={colourOf(colours, slotOf(at))} /></svg>
          {name}
        </span>
      ))}
    </>
  )
}
