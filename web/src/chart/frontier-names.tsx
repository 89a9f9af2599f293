// Names of frontiers that share a color: the model at the upper end of each line. The name under the pointer shows its line.
import { useState } from 'react'

import { useMedia } from '../ui/use-media'
import css from './chart.module.css'
import { type Colours, colourOf } from './colours'
import { type Chart, frontiersOf, type Item } from './items'
import { kindsInWords } from './kinds'
import { stepsThrough } from './option'
import type { Scale } from './plot'

const HIGH_PX = 14
const LETTER_PX = 6.2
const GAP_PX = 8
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

const clip = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

const MARK_PX = 7 // half of a mark, with a gap
const SHIFTS = [-14, -7, 0, 7, 14, -21, 21, -28, 28] // of a name from its point, the best first

// A name next to the first result of each line, none over another, and over as few marks as the room allows. A name without room is
// left out.
export function placesOfNames(ends: readonly { words: string; x: number; y: number }[], box: Scale['box'], most: number, marks: readonly (readonly [number, number])[] = []): FrontierName[] {
  const placed: (FrontierName & { from: number; to: number })[] = []
  ends.map((end, at) => ({ ...end, at })).toSorted((a, b) => a.y - b.y).forEach(({ words: full, x, y, at }) => {
    const words = clip(full, most)
    const wide = words.length * LETTER_PX + GAP_PX
    let best: (typeof placed)[number] | null = null
    let least = Infinity
    for (const isLeft of [false, true]) {
      const [from, to] = isLeft ? [x - wide, x] : [x, x + wide]
      if (from < box.left || to > box.right) continue
      for (const [order, shift] of SHIFTS.entries()) {
        const top = y + shift
        if (top < box.top + HIGH_PX / 2 || top > box.bottom - HIGH_PX / 2) continue
        if (placed.some((other) => from < other.to && to > other.from && Math.abs(top - other.y) < HIGH_PX)) continue
        const covered = marks.filter(([left, high]) => left > from - MARK_PX / 2 && left < to + MARK_PX && Math.abs(high - top) < MARK_PX + HIGH_PX / 2 && !(left === x && high === y)).length
        const cost = covered * SHIFTS.length * 2 + order + (isLeft ? SHIFTS.length : 0)
        if (cost >= least) continue
        least = cost
        best = { words, full, at, x, y: top, isLeft, from, to }
      }
    }
    if (best) placed.push(best)
  })
  return placed.map(({ from: _, to: __, ...name }) => name)
}

export const hasFrontierNames = ({ answer }: Chart) => Boolean(answer.frontier_by && answer.frontier?.length)

export function FrontierNames({ chart, colours, scale }: { chart: Chart; colours: Colours; scale: Scale }) {
  const [shown, setShown] = useState<number | null>(null)
  const most = useMedia('(max-width: 640px)') ? PHONE_MOST : MOST
  const { answer, items } = chart
  const by = answer.frontier_by
  if (!by) return null
  const words = kindsInWords({ id: by.field } as never, by.kinds)
  const lines = frontiersOf(chart).map(({ marks, with_untrusted: all, by: at }) => ({ own: marks.length > 1 ? marks : all, words: words[at ?? -1] ?? '' })).filter(({ own, words: name }) => own.length > 1 && name !== '')
  const px = (item: Item | undefined): [number, number] => (item && item.y !== null ? [scale.toPx('x', item.x), scale.toPx('y', item.y)] : [NaN, NaN])
  const names = placesOfNames(lines.map(({ own, words: name }) => { const [x, y] = px(items[own[0] ?? -1]); return { words: name, x, y } }), scale.box, most, items.filter(({ y }) => y !== null).map(px))
  const line = shown === null ? undefined : lines[shown]
  const colorOf = (own: number[]) => colourOf(colours, items[own[0] ?? 0]?.slot ?? 0)
  const steps = line && stepsThrough(line.own, items, [(item) => px(item)[0], (item) => px(item)[1]]).at
  return (
    <>
      {line && steps && <svg className={css.over} aria-hidden="true"><polyline points={steps.join(' ')} fill="none" stroke={colorOf(line.own)} strokeWidth={4} opacity={0.6} /></svg>}
      {names.map(({ words: name, full, at, x, y, isLeft }) => (
        <span key={at} className={css.frontierName} data-left={isLeft || undefined} style={{ left: x, top: y, color: colorOf(lines[at]?.own ?? []) }} title={`Frontier of ${full}`} onPointerEnter={() => setShown(at)} onPointerLeave={() => setShown(null)}>{name}</span>
      ))}
    </>
  )
}
