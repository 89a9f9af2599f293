// Names of frontiers that share a color: the model at the upper end of each line, with a piece of a line and the mark
// of its color. A name apart from its line has a leader to it. The name under the pointer shows its line.
import { useState } from 'react'

import { useMedia } from '../ui/use-media'
import css from './chart.module.css'
import { type Colours, colourOf } from './colours'
import { stepsThrough } from './draw-scatter'
import { type Chart, frontiersOf, type Item } from './items'
import { kindsInWords } from './kinds'
import { ASIDE_PX, LEADER_FROM, MARK_PX, MOST, PHONE_MOST, placesOfNames, type Point, widthOf } from './name-places'
import type { Scale } from './plot'
import { shapeOf } from './shapes'
import { sizingOf } from './sizes'

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
