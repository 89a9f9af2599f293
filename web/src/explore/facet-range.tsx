// A range with its histogram: two thumbs that move by bins, and two inputs for the same bounds. The histogram shows
// what the other filters leave; grey is outside the choice.
import { type RefObject, useEffect, useRef } from 'react'
import { Slider, SliderThumb, SliderTrack } from 'react-aria-components'

import type { Facet } from '../api/types'
import { longName } from '../fields/catalogue'
import { film, useFacetNow } from '../film/film'
import { type Ends, endsOf, withEnds } from '../filter/range'
import { RangeInputs, useEnds } from '../filter/range-inputs'
import { boundText, type Form, formOfScale, plainNumber } from '../format/number'
import { edgeTicks } from '../format/ticks'
import type { FacetProps } from './facet'
import css from './filter-panel.module.css'

const PX = 252
const HIGH = 40
const LETTER_PX = 6.7 // of the mono face at 11 px
const NEAR = 3 // positions whose answers are requested before a drag

export function NumberRange({ field, facet, choice, onChoose }: FacetProps & { facet: Facet }) {
  const { edges, counts } = facet.histogram ?? { edges: [], counts: [] }
  const form = formOfScale(field, edges)
  const own = endsOf(choice)
  const [ends, setEnds, flush, drop] = useEnds(own, (next) => {
    if (next[0] === own[0] && next[1] === own[1]) return film.stop()
    film.release()
    onChoose(withEnds(choice, next), { typing: field.id })
  })
  const seek = (next: Ends, following: Ends[], isHeld: boolean) => {
    setEnds(next, isHeld)
    film.seek(
      field.id,
      withEnds(choice, next),
      following.map((one) => withEnds(choice, one)),
    )
  }
  const prepare = (following: Ends[]) =>
    film.prepare(
      field.id,
      following.map((one) => withEnds(choice, one)),
    )
  const cancel = () => {
    drop()
    film.stop()
  }
  const name = longName(field)
  return (
    <div className={css.range}>
      {counts.length > 0 && (
        <Histogram id={field.id} name={name} edges={edges} counts={counts} ends={ends} form={form} />
      )}
      {counts.length > 0 && (
        <Thumbs
          name={name}
          edges={edges}
          ends={ends}
          form={form}
          onNear={prepare}
          onSeek={seek}
          onEnd={flush}
          onCancel={cancel}
        />
      )}
      {counts.length > 0 && <Ticks id={field.id} edges={edges} form={form} />}
      <RangeInputs name={name} field={field} ends={ends} onChange={setEnds} onDone={flush} />
    </div>
  )
}

function Histogram({
  id,
  name,
  ends,
  form,
  ...own
}: {
  id: string
  name: string
  edges: number[]
  counts: number[]
  ends: Ends
  form: Form
}) {
  const { edges, counts } = useFacetNow(id, null, (facet) => facet.histogram ?? null) ?? own
  const most = Math.max(1, ...counts)
  const width = PX / counts.length
  const isChosen = ends[0] !== null || ends[1] !== null
  const chosen = !isChosen
    ? 'all'
    : `${ends[0] === null ? '' : `from ${boundText(ends[0], form)} `}${ends[1] === null ? '' : `up to ${boundText(ends[1], form)}`}`
  return (
    <svg
      viewBox={`0 0 ${PX} ${HIGH}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Histogram of ${name}, ${plainNumber(edges[0] ?? 0, form)} to ${plainNumber(edges.at(-1) ?? 0, form)} ${form.unit}. Chosen: ${chosen}.`}
    >
      {counts.map((n, i) => {
        // the accent marks the chosen bins; without a choice no bin is outside
        const inside =
          isChosen &&
          (ends[1] === null || (edges[i] ?? 0) <= ends[1]) &&
          (ends[0] === null || (edges[i + 1] ?? 0) >= ends[0])
        const high = n ? Math.max(1.5, (n / most) * HIGH) : 0
        return (
          <rect
            key={i}
            x={i * width + 0.5}
            y={HIGH - high}
            width={Math.max(1, width - 1)}
            height={high}
            fill={`var(--${inside ? 'accent' : 'mark-quiet'})`}
          />
        )
      })}
    </svg>
  )
}

// The numbers under the edges of bins, within the ends of the axis.
function Ticks({ id, form, ...own }: { id: string; edges: number[]; form: Form }) {
  const edges = useFacetNow(id, null, (facet) => facet.histogram?.edges ?? null) ?? own.edges
  const last = edges.length - 1
  const { places, words } = edgeTicks(edges, form, PX, LETTER_PX, true)
  return (
    <div className={`n-11 ${css.ticks ?? ''}`} aria-hidden="true">
      {places.map((i, at) => {
        const text = words[at] ?? ''
        return (
          <span
            key={i}
            style={{ left: `clamp(${text.length / 2}ch, ${(i / last) * 100}%, calc(100% - ${text.length / 2}ch))` }}
          >
            {text}
          </span>
        )
      })}
    </div>
  )
}

// The nearest edge: a typed bound may be between two edges.
export function edgeOf(edges: number[], value: number) {
  if (value === Infinity) return edges.length - 1
  let best = 0
  edges.forEach((edge, i) => {
    if (Math.abs(edge - value) < Math.abs((edges[best] ?? 0) - value)) best = i
  })
  return best
}

// The positions that a thumb may take after `at`: those ahead of it, then those it passed.
function placesFrom(at: number, way: 1 | -1, least: number, most: number) {
  const places: number[] = []
  for (const step of [way, -way]) for (let to = at + step; to >= least && to <= most; to += step) places.push(to)
  return places
}

// Tells a pointer drag from arrow keys. Escape cancels the drag; later moves of the same press are ignored.
function useDrag(
  area: RefObject<HTMLElement | null>,
  onNear: (x: number) => void,
  onStart: (x: number) => void,
  onCancel: () => void,
) {
  const by = useRef<'keys' | 'pointer' | 'cancelled'>('keys')
  const latest = useRef({ onNear, onStart, onCancel })
  latest.current = { onNear, onStart, onCancel }
  useEffect(() => {
    const element = area.current
    const near = ({ clientX, buttons }: PointerEvent) => {
      if (buttons === 0) latest.current.onNear(clientX)
    }
    const start = ({ button, clientX }: PointerEvent) => {
      if (button !== 0) return
      by.current = 'pointer'
      latest.current.onStart(clientX)
    }
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || by.current !== 'pointer') return
      event.preventDefault()
      event.stopPropagation()
      by.current = 'cancelled'
      latest.current.onCancel()
    }
    element?.addEventListener('pointerenter', near)
    element?.addEventListener('pointerdown', start, { capture: true })
    window.addEventListener('keydown', press, { capture: true })
    return () => {
      element?.removeEventListener('pointerenter', near)
      element?.removeEventListener('pointerdown', start, { capture: true })
      window.removeEventListener('keydown', press, { capture: true })
    }
  }, [area])
  return by
}

interface ThumbsProps {
  name: string
  edges: number[]
  ends: Ends
  form: Form
  onNear: (following: Ends[]) => void // the pointer is on the slider, and may press
  onSeek: (ends: Ends, following: Ends[], isHeld: boolean) => void // held: onEnd or onCancel follows
  onEnd: () => void
  onCancel: () => void
}

function Thumbs({ name, edges, ends, form, onNear, onSeek, onEnd, onCancel }: ThumbsProps) {
  const last = edges.length - 1
  const low = ends[0] === null ? 0 : edgeOf(edges, ends[0])
  const high = ends[1] === null ? last : Math.max(low, edgeOf(edges, ends[1]))
  // a thumb that was not moved keeps what was typed
  const endsAt = (from: number, to: number): Ends => [
    from === low ? ends[0] : from === 0 ? null : (edges[from] ?? null),
    to === high ? ends[1] : to === last ? null : (edges[to] ?? null),
  ]
  const area = useRef<HTMLDivElement>(null)
  // the positions of the thumb that is nearer to the pointer come first
  const near = (x: number) => {
    const { left = 0, width = 1 } = area.current?.getBoundingClientRect() ?? {}
    const isHigh = ((x - left) / width) * last * 2 > low + high
    const ofLow = placesFrom(low, 1, 0, high).map((from) => endsAt(from, high))
    const ofHigh = placesFrom(high, -1, low, last).map((to) => endsAt(low, to))
    return isHigh ? [...ofHigh, ...ofLow] : [...ofLow, ...ofHigh]
  }
  const by = useDrag(
    area,
    (x) => onNear(near(x).slice(0, NEAR)),
    (x) => onSeek(ends, near(x), true),
    onCancel,
  )
  const move = (value: number | number[]) => {
    if (by.current === 'cancelled') return
    const [from = 0, to = last] = value as number[]
    const following =
      from !== low
        ? placesFrom(from, from > low ? 1 : -1, 0, to).map((next) => endsAt(next, to))
        : placesFrom(to, to > high ? 1 : -1, from, last).map((next) => endsAt(from, next))
    onSeek(endsAt(from, to), following, by.current === 'pointer')
  }
  const end = () => {
    if (by.current === 'pointer') onEnd()
    by.current = 'keys'
  }
  return (
    <div ref={area}>
      <Slider
        aria-label={`Range of ${name}`}
        className={css.slider ?? ''}
        minValue={0}
        maxValue={last}
        step={1}
        value={[low, high]}
        onChange={move}
        onChangeEnd={end}
      >
        <SliderTrack className={css.track ?? ''}>
          {() => (
            <>
              {(ends[0] !== null || ends[1] !== null) && (
                <span
                  className={css.fill}
                  style={{ left: `${(low / last) * 100}%`, right: `${100 - (high / last) * 100}%` }}
                />
              )}
              {[
                ['from', low],
                ['to', high],
              ].map(([end, at], i) => (
                <SliderThumb
                  key={end}
                  index={i}
                  aria-label={`${name}, ${end ?? ''} ${plainNumber(edges[Number(at)] ?? 0, form)} ${form.unit}`}
                  className={css.thumb ?? ''}
                />
              ))}
            </>
          )}
        </SliderTrack>
      </Slider>
    </div>
  )
}
