// A position on an axis that several drawings share: the pointer or the keys set it in one, and all show their values
// there.
import { type KeyboardEvent, type PointerEvent, type ReactNode, type RefObject, useState } from 'react'

import { NOT_RECORDED } from '../format/value'
import { Slot } from '../tray/slot'
import { moved, nearest } from '../ui/cursor'
import css from './compare.module.css'
import { colourOf } from './mark'
import type { SideView } from './model'

export interface Cursor {
  places: number[] // possible positions, in order
  at: number | null // of those
  set: (at: number | null) => void
}

export function useCursor(places: number[]): Cursor {
  const [at, set] = useState<number | null>(null)
  return { places, at: at === null || places.length === 0 ? null : Math.min(at, places.length - 1), set }
}

interface Props {
  host: RefObject<HTMLDivElement | null>
  label: string
  said: string // the whole reading, in words
  cursor: Cursor
  toX: (place: number) => number
  children: ReactNode
}

// For screen readers, a slider whose value is the reading and whose label describes the drawing.
export function CursorArea({ host, label, said, cursor, toX, children }: Props) {
  const { places, at, set } = cursor
  const point = ({ clientX }: PointerEvent) => {
    const from = host.current?.getBoundingClientRect().left ?? 0
    set(nearest(places.map(toX), clientX - from))
  }
  const press = (event: KeyboardEvent) => {
    const to = event.altKey || event.ctrlKey || event.metaKey ? undefined : moved(event.key, at, places.length - 1)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    set(to)
  }
  if (places.length === 0)
    return (
      <div ref={host} className={css.cursor} role="img" aria-label={label}>
        {children}
      </div>
    )
  return (
    <div
      ref={host}
      className={css.cursor}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={places.length - 1}
      aria-valuenow={at ?? 0}
      aria-valuetext={at === null ? 'no position; use the arrow keys to move the cursor' : said}
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={({ pointerType }) => {
        if (pointerType === 'mouse') set(null)
      }}
      onKeyDown={press}
      onBlur={() => set(null)}
    >
      {children}
    </div>
  )
}

interface Spot {
  x: number
  y: number
}

export const CursorLine = ({
  x,
  top,
  bottom,
  spots,
}: {
  x: number
  top: number
  bottom: number
  spots: (Spot | null)[]
}) => (
  <g data-cursor>
    <path d={`M${x} ${top}V${bottom}`} stroke="var(--text-3)" strokeDasharray="3 2" />
    {spots.map(
      (spot, at) =>
        spot && <circle key={at} cx={spot.x} cy={spot.y} r="4.5" fill="none" stroke={colourOf(at)} strokeWidth="2" />,
    )}
  </g>
)

// The reading below a drawing. Without a cursor, an invisible reading keeps its place, so the content below does not
// move.
export const Read = ({
  place,
  texts,
  views,
  isShown,
}: {
  place: string
  texts: (string | null)[]
  views: SideView[]
  isShown: boolean
}) => (
  <p className={css.reading} aria-hidden={!isShown || undefined}>
    <b>{place}</b>
    {views.map(({ letter }, at) => (
      <span key={letter}>
        <Slot letter={letter} />
        {texts[at] ?? NOT_RECORDED}
      </span>
    ))}
  </p>
)

export const saidOf = (place: string, texts: (string | null)[], views: SideView[]) =>
  `${place}: ${views.map(({ letter }, at) => `${letter} ${texts[at] ?? 'no value'}`).join(', ')}`
