// Requests in lanes on the time axis of the timeline: when each was sent, got its first chunk and ended, and where its
// tokens stalled. The arrow keys go from request to request, Enter marks one, a drag or + and − change the shown time.
import { type KeyboardEvent, type PointerEvent, useCallback, useMemo, useRef, useState } from 'react'

import { count } from '../format/number'
import { innerTicks } from '../format/ticks'
import { rangeWithin, zoomed } from '../series/lanes'
import { secondsText } from '../series/lanes-plot'
import { moved } from '../ui/cursor'
import { useWidth } from '../ui/use-width'
import { endOf, type Lanes, rowHigh, shapesOf, spanAt, textOf } from './requests-lanes'
import css from './requests.module.css'

const LEFT = 8
const RIGHT = 8
const AXIS_HIGH = 26
const TICK_EVERY = 90
const DRAG_FROM = 5 // px; a shorter drag is a click
const NEAR = 6 // px
const STEP = 0.5

interface Props {
  lanes: Lanes
  range: [number, number] // shown, in seconds
  bounds: [number, number]
  marked: number | null
  isZoomed: boolean
  isBusy: boolean
  onRange: (range: [number, number] | null) => void
  onMark: (index: number | null) => void
}

export function LanePlot({ lanes, range, bounds, marked, isZoomed, isBusy, onRange, onMark }: Props) {
  const drawing = useRef<HTMLDivElement>(null)
  const width = useWidth(drawing, 800)
  const [at, setAt] = useState<number | null>(null)
  const [drag, setDrag] = useState<[number, number] | null>(null)
  const [from, to] = range
  const inner = Math.max(1, width - LEFT - RIGHT)
  const toX = useCallback((seconds: number) => LEFT + ((seconds - from) / (to - from)) * inner, [from, to, inner])
  const toSeconds = (x: number) => from + (Math.min(Math.max(x - LEFT, 0), inner) / inner) * (to - from)
  const spans = lanes.requests
  const high = rowHigh(lanes.lane_count)
  const whole = Math.max(high, lanes.lane_count * high)
  const shapes = useMemo(() => shapesOf(spans, toX, high, LEFT, width - RIGHT), [spans, toX, high, width])
  const current = at === null ? null : (spans[Math.min(at, spans.length - 1)] ?? null)
  const chosen = spans.find(({ index }) => index === marked) ?? null
  const thick = Math.max(1, high * 0.66)
  const place = ({ clientX, clientY }: PointerEvent) => {
    const box = drawing.current?.getBoundingClientRect()
    return [clientX - (box?.left ?? 0), clientY - (box?.top ?? 0)] as const
  }
  const under = (event: PointerEvent) => {
    const [x, y] = place(event)
    const found = spanAt(spans, Math.floor(y / high), toSeconds(x), (NEAR / inner) * (to - from))
    return found ? spans.indexOf(found) : null
  }
  const down = (event: PointerEvent<HTMLDivElement>) => {
    const [x, y] = place(event)
    if (event.button !== 0 || event.pointerType === 'touch' || x < 0 || x > width || y > whole) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag([x, x])
  }
  const move = (event: PointerEvent) => {
    setAt(under(event))
    setDrag((start) => start && [start[0], place(event)[0]])
  }
  const up = (event: PointerEvent) => {
    if (drag && Math.abs(drag[1] - drag[0]) >= DRAG_FROM) {
      const [low, far] = drag.map(toSeconds).toSorted((a, b) => a - b) as [number, number]
      onRange(rangeWithin([low, far], bounds))
    } else {
      const found = under(event)
      const span = found === null ? null : spans[found]
      if (span) onMark(span.index === marked ? null : span.index)
    }
    setDrag(null)
  }
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const factor = { '+': STEP, '=': STEP, '-': 1 / STEP, '−': 1 / STEP }[event.key]
    const next = moved(event.key, at, spans.length - 1)
    if (factor !== undefined) {
      const wanted = zoomed(range, current?.start_s ?? (from + to) / 2, factor, bounds)
      onRange(wanted[0] <= bounds[0] && wanted[1] >= bounds[1] ? null : wanted)
    } else if (next !== undefined && spans.length > 0) setAt(next)
    else if (event.key === 'Enter' && current) onMark(current.index === marked ? null : current.index)
    else if (event.key === 'Escape' && isZoomed) onRange(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const brushed = drag && Math.abs(drag[1] - drag[0]) >= DRAG_FROM ? drag.toSorted((a, b) => a - b) : null
  const frame = (span: (typeof spans)[number], color: string) => (
    <rect
      x={Math.max(toX(span.start_s), LEFT) - 1.5}
      y={span.lane * high - 1}
      width={Math.max(2, Math.min(toX(endOf(span)), width - RIGHT) - Math.max(toX(span.start_s), LEFT)) + 3}
      height={high + 2}
      fill="none"
      stroke={color}
      strokeWidth="1.5"
    />
  )
  return (
    <div
      className={css.lanes}
      role="slider"
      tabIndex={0}
      aria-label="Requests in lanes"
      aria-description="Arrow keys go from request to request, Enter marks one, + and − zoom, Escape shows all"
      aria-busy={isBusy}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, spans.length - 1)}
      aria-valuenow={at === null ? 0 : Math.min(at, Math.max(0, spans.length - 1))}
      aria-valuetext={current ? textOf(current) : `${count(spans.length)} requests; use the arrow keys`}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => setDrag(null)}
      onPointerLeave={() => !drag && setAt(null)}
      onDoubleClick={() => onRange(null)}
      onKeyDown={press}
      onBlur={() => setAt(null)}
    >
      <div ref={drawing}>
        <svg width={width} height={whole} viewBox={`0 0 ${width} ${whole}`} aria-hidden="true">
          <defs>
            <pattern id="failed" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="5" height="5" fill="var(--sheet)" />
              <path d="M1.25 0V5" stroke="var(--limited)" strokeWidth="2.5" />
            </pattern>
          </defs>
          {brushed && (
            <rect
              x={brushed[0]}
              y="0"
              width={(brushed[1] ?? 0) - (brushed[0] ?? 0)}
              height={whole}
              fill="var(--accent)"
              opacity="0.18"
            />
          )}
          <path data-part="send" d={shapes.send} stroke="var(--text-3)" strokeWidth={thick} />
          <path data-part="wait" d={shapes.wait} stroke="var(--s2)" strokeWidth={thick} />
          <path data-part="tokens" d={shapes.tokens} stroke="var(--s1)" strokeWidth={thick} opacity="0.55" />
          <path data-part="failed" d={shapes.failed} stroke="url(#failed)" strokeWidth={thick} />
          <path data-part="stalls" d={shapes.stalls} stroke="var(--degraded)" strokeWidth={Math.max(2, high * 0.9)} />
          {chosen && frame(chosen, 'var(--accent)')}
          {current && frame(current, 'var(--text)')}
        </svg>
      </div>
      <svg width={width} height={AXIS_HIGH} viewBox={`0 0 ${width} ${AXIS_HIGH}`} aria-hidden="true">
        <path d={`M${LEFT} 0.5H${width - RIGHT}`} stroke="var(--axis)" />
        {innerTicks(from, to, Math.max(2, Math.floor(inner / TICK_EVERY))).map((tick) => (
          <text key={tick} className={css.tick} x={Math.min(Math.max(toX(tick), 16), width - 20)} y="16">
            {String(tick).replace('-', '−')} s
          </text>
        ))}
      </svg>
      <p className={css.reading} aria-hidden="true">
        {current ? textOf(current) : `${secondsText(from, to - from)} to ${secondsText(to, to - from)}`}
      </p>
    </div>
  )
}
