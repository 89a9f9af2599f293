// The lanes of a timeline on one time axis: a pointer or the arrow keys move one cursor through all of them, and a drag
// or + and − change the shown time. The server sends about one bin per two pixels, so a line has at most that many
// points.
import { type KeyboardEvent, type PointerEvent, useCallback, useMemo, useRef, useState } from 'react'

import { type Form, formOfUnit, shortNumber, showNumber } from '../format/number'
import { innerTicks } from '../format/ticks'
import { join } from '../ui/controls'
import { moved, nearest } from '../ui/cursor'
import { useWidth } from '../ui/use-width'
import { type Lane, type LaneLine, type Mark, type Phase, rangeWithin, sourceOf, zoomed } from './lanes'
import css from './lanes-plot.module.css'
import { bandPath, linePath, sampleAt } from './samples'

const HIGH = 64
const BOX = { left: 44, right: 6, top: 10, bottom: 6 }
const PHASES_HIGH = 30
const AXIS_HIGH = 26
const TICK_EVERY = 90
const LETTER = 6.2 // px of a small letter
const CHIP = 60 // px: the time at the cursor
const DRAG_FROM = 5 // px; a shorter drag is a click
const STEP = 0.5 // of a zoom by key
const DASHES = [undefined, '5 3', '2 3']

const colourOf = (at: number) => `var(--s${at + 1})`

interface Props {
  lanes: Lane[]
  range: [number, number] // shown, in seconds
  asked?: [number, number] // the range that loads; a zoom continues from it
  bounds: [number, number] // of the recording
  run: [number, number] | null // measured
  phases: Phase[]
  mark: Mark | null
  isZoomed: boolean
  isBusy: boolean
  isLive?: boolean // without a cursor, the latest values are shown
  isExpected?: boolean // the axis ends where the run is expected to
  onRange: (range: [number, number] | null) => void
}

export const secondsText = (seconds: number, width: number) => {
  const decimals = Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(Math.max(width, 1e-3)))))
  return `${seconds.toFixed(decimals).replace('-', '−')} s`
}

interface Reading {
  number: string
  range: string // smallest and largest sample, if they differ
}

function valueText(line: LaneLine, at: number, form: Form): Reading | null {
  const value = line.values[at]
  if (value == null) return null
  const [low, high] = [line.sampled.min[at] ?? value, line.sampled.max[at] ?? value]
  return {
    number: showNumber(value, form),
    range: high > low ? `${showNumber(low, form)}–${showNumber(high, form)}` : '',
  }
}

const textOf = (reading: Reading | null | undefined, form: Form | undefined) =>
  reading ? join(reading.number, form?.unit) : 'no value'

// The times at which any line has a sample.
const placesOf = (lanes: Lane[]) =>
  [
    ...new Set(lanes.flatMap(({ lines }) => lines.flatMap(({ t, values }) => t.filter((_, i) => values[i] != null)))),
  ].toSorted((a, b) => a - b)

const formOf = ({ lines, unit, top }: Lane) =>
  formOfUnit(
    unit,
    [...lines.flatMap(({ values }) => values), top].filter((one) => one !== null),
  )

export function LanesPlot({
  lanes,
  range,
  asked,
  bounds,
  run,
  phases,
  mark,
  isZoomed,
  isBusy,
  isLive,
  isExpected,
  onRange,
}: Props) {
  const host = useRef<HTMLDivElement>(null)
  const drawing = useRef<HTMLDivElement>(null)
  const width = useWidth(drawing, 800)
  const [at, setAt] = useState<number | null>(null) // seconds: positions change with the shown time
  const [drag, setDrag] = useState<[number, number] | null>(null) // px
  const [from, to] = range
  const inner = width - BOX.left - BOX.right
  const toX = useCallback((seconds: number) => BOX.left + ((seconds - from) / (to - from)) * inner, [from, to, inner])
  const toSeconds = (x: number) =>
    from + (Math.min(Math.max(x - BOX.left, 0), inner) / Math.max(1, inner)) * (to - from)
  const places = useMemo(() => placesOf(lanes), [lanes])
  const index = at === null || places.length === 0 ? null : nearest(places, at)
  const cursor = index === null ? null : (places[index] ?? null)
  const forms = useMemo(() => lanes.map(formOf), [lanes])
  const latest = isLive ? (places.at(-1) ?? null) : null
  const readAt = cursor ?? latest
  const readings = lanes.map(({ lines }, lane) =>
    lines.map((line) => (readAt === null ? null : valueText(line, sampleAt(line, readAt), forms[lane] as Form))),
  )
  // both the server and the load generator have 'Memory'
  const isShared = (title: string) => lanes.filter((lane) => lane.title === title).length > 1
  const said =
    cursor === null
      ? 'no position; use the arrow keys to move the cursor'
      : `${secondsText(cursor, to - from)}: ${lanes
          .flatMap(({ title, lines }, lane) =>
            lines.map(
              ({ name, sampled }, i) =>
                `${join(title, name || (isShared(title) && sourceOf(sampled)))} ${textOf(readings[lane]?.[i], forms[lane])}`,
            ),
          )
          .join(', ')}`

  const xOf = ({ clientX }: PointerEvent) => clientX - (drawing.current?.getBoundingClientRect().left ?? 0)
  const down = (event: PointerEvent<HTMLDivElement>) => {
    const x = xOf(event)
    // text of titles and readings can be selected
    if (event.button !== 0 || event.pointerType === 'touch' || x < 0 || x > width) return
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrag([x, x])
  }
  const move = (event: PointerEvent) => {
    const x = xOf(event)
    setAt(toSeconds(x))
    setDrag((start) => start && [start[0], x])
  }
  const up = () => {
    if (drag && Math.abs(drag[1] - drag[0]) >= DRAG_FROM) {
      const ends = drag.map(toSeconds).toSorted((a, b) => a - b)
      onRange(rangeWithin([ends[0] as number, ends[1] as number], bounds))
    }
    setDrag(null)
  }
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const factor = { '+': STEP, '=': STEP, '-': 1 / STEP, '−': 1 / STEP }[event.key]
    const next = moved(event.key, index, places.length - 1)
    if (factor !== undefined) {
      const base = asked ?? range
      const wanted = zoomed(base, cursor ?? (base[0] + base[1]) / 2, factor, bounds)
      onRange(wanted[0] <= bounds[0] && wanted[1] >= bounds[1] ? null : wanted)
    } else if (next !== undefined && places.length > 0) setAt(next === null ? null : (places[next] ?? null))
    else if (event.key === 'Escape' && isZoomed) onRange(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const shade = run && [Math.max(toX(run[0]), BOX.left), Math.min(toX(run[1]), width - BOX.right)]
  const chosen = drag && Math.abs(drag[1] - drag[0]) >= DRAG_FROM ? drag.map((x) => toX(toSeconds(x))) : null
  const background = (high: number) => (
    <>
      {shade && shade[1] !== undefined && shade[0] !== undefined && shade[1] > shade[0] && (
        <rect x={shade[0]} y="0" width={shade[1] - shade[0]} height={high} fill="var(--accent-soft)" opacity="0.6" />
      )}
      {mark && toX(mark.to) > BOX.left && toX(mark.from) < width - BOX.right && (
        <rect
          data-mark={mark.index}
          x={Math.max(toX(mark.from), BOX.left)}
          y="0"
          width={Math.max(1.5, Math.min(toX(mark.to), width - BOX.right) - Math.max(toX(mark.from), BOX.left))}
          height={high}
          fill="var(--s2)"
          opacity="0.28"
        />
      )}
      {chosen && (
        <rect
          x={Math.min(...chosen)}
          y="0"
          width={Math.abs((chosen[1] ?? 0) - (chosen[0] ?? 0))}
          height={high}
          fill="var(--accent)"
          opacity="0.18"
        />
      )}
    </>
  )
  const visible = phases.filter((phase) => toX(phase.to) > BOX.left + 1 && toX(phase.from) < width - BOX.right - 1)
  const chip = Math.min(Math.max(toX(cursor ?? from), BOX.left + CHIP / 2), width - CHIP / 2)
  const ticks = innerTicks(from, to, Math.max(2, Math.floor(inner / TICK_EVERY)))
  return (
    <div
      ref={host}
      className={css.area}
      role="slider"
      tabIndex={0}
      aria-label={`Timeline of ${lanes.map(({ title }) => title).join(', ')}`}
      aria-description="Arrow keys move the cursor, + and − zoom, Escape shows the whole recording"
      aria-orientation="horizontal"
      aria-busy={isBusy}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, places.length - 1)}
      aria-valuenow={index ?? 0}
      aria-valuetext={said}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => setDrag(null)}
      onPointerLeave={({ pointerType }) => {
        if (pointerType === 'mouse' && !drag) setAt(null)
      }}
      onDoubleClick={() => onRange(null)}
      onKeyDown={press}
      onBlur={() => setAt(null)}
    >
      <div className={css.lane}>
        <div className={css.head}>
          {visible.length > 0 && <b>{isLive ? 'Phases' : 'Startup'}</b>}
          {visible.length > 0 && !isLive && <span>each bar ends at its event</span>}
        </div>
        <div ref={drawing}>
          <svg width={width} height={PHASES_HIGH} viewBox={`0 0 ${width} ${PHASES_HIGH}`} aria-hidden="true">
            {visible.map((phase, i) => (
              <PhaseBar key={`${phase.name} ${i}`} {...{ phase, toX, width, i, isLive }} />
            ))}
            {run && shade && shade[0] !== undefined && shade[1] !== undefined && shade[1] > shade[0] && (
              <g data-run>
                <path d={`M${shade[0]} 25H${shade[1]}`} stroke="var(--accent)" strokeWidth="3" />
                {shade[1] - shade[0] > LETTER * 22 && (
                  <text className={css.tick} data-middle x={(shade[0] + shade[1]) / 2} y="17">
                    {isLive ? 'measured so far' : 'measured run'}, {secondsText(run[1] - run[0], run[1] - run[0])}
                  </text>
                )}
              </g>
            )}
            {isExpected && latest !== null && toX(latest) < width - BOX.right && toX(latest) >= BOX.left && (
              <path
                data-expected
                d={`M${toX(latest) + 2} 25H${width - BOX.right}`}
                stroke="var(--accent-line)"
                strokeWidth="3"
                strokeDasharray="2 3"
              />
            )}
          </svg>
        </div>
        <div className={css.read}>
          {mark && cursor === null && <p>request #{mark.index}</p>}
          {cursor !== null && <p>at {secondsText(cursor, to - from)}</p>}
          {cursor === null && latest !== null && <p>latest</p>}
        </div>
      </div>
      {lanes.map((lane, i) => (
        <LanePlot
          key={lane.lines[0]?.key ?? lane.title}
          lane={lane}
          form={forms[i] as Form}
          readings={readings[i] ?? []}
          {...{ toX, width, cursor, background }}
        />
      ))}
      <div className={css.lane}>
        <div className={css.head} />
        <svg width={width} height={AXIS_HIGH} viewBox={`0 0 ${width} ${AXIS_HIGH}`} aria-hidden="true">
          {ticks.map((tick) => (
            <text key={tick} className={css.tick} data-middle x={toX(tick)} y="16">
              {String(tick).replace('-', '−')} s
            </text>
          ))}
          {cursor !== null && (
            <g>
              <rect className={css.chip} x={chip - CHIP / 2} y="3" width={CHIP} height="18" rx="3" />
              <text className={css.chipText} x={chip} y="16">
                {secondsText(cursor, to - from)}
              </text>
            </g>
          )}
        </svg>
      </div>
    </div>
  )
}

interface PhaseProps {
  phase: Phase
  toX: (seconds: number) => number
  width: number
  i: number
  isLive: boolean | undefined
}

function PhaseBar({ phase, toX, width, i, isLive }: PhaseProps) {
  const [left, right] = [Math.max(toX(phase.from), BOX.left), Math.min(toX(phase.to), width - BOX.right)]
  if (right - left < 1) return null
  return (
    <g data-phase={phase.name}>
      <title>{`${isLive ? '' : 'until: '}${phase.name}, ${secondsText(phase.to - phase.from, phase.to - phase.from)}`}</title>
      <path
        d={`M${left} 25H${Math.max(left + 1, right - 1)}`}
        stroke={i % 2 ? 'var(--line-3)' : 'var(--text-3)'}
        strokeWidth="3"
      />
      {right - left > phase.name.length * LETTER + 6 && (
        <text className={css.tick} data-middle x={(left + right) / 2} y="17">
          {phase.name}
        </text>
      )}
    </g>
  )
}

interface LaneProps {
  lane: Lane
  form: Form
  readings: (Reading | null)[]
  toX: (seconds: number) => number
  width: number
  cursor: number | null
  background: (high: number) => React.ReactNode
}

// A share above 1 stays in the lane.
function yOf(value: number, top: number) {
  const bottom = HIGH - BOX.bottom
  return bottom - Math.min(Math.max(value / top, 0), 1.1) * (bottom - BOX.top)
}

function LanePlot({ lane: { title, note, lines, top }, form, readings, toX, width, cursor, background }: LaneProps) {
  const toY = useCallback((value: number) => yOf(value, top), [top])
  const paths = useMemo(
    () =>
      lines.map((line) => ({
        band: bandPath(line, line.sampled.min, line.sampled.max, toX, toY),
        line: linePath(line, toX, toY),
      })),
    [lines, toX, toY],
  )
  return (
    <div className={css.lane} data-lane={title}>
      <div className={css.head}>
        <b title={lines.map(({ sampled }) => sampled.text).join('\n')}>
          {title} <span>{form.unit}</span>
        </b>
        <span>{note}</span>
      </div>
      <svg width={width} height={HIGH} viewBox={`0 0 ${width} ${HIGH}`} aria-hidden="true">
        {background(HIGH)}
        {[0, top / 2, top].map((tick) => (
          <path
            key={tick}
            d={`M${BOX.left} ${toY(tick)}H${width - BOX.right}`}
            stroke={tick === 0 ? 'var(--axis)' : 'var(--grid)'}
          />
        ))}
        {[0, top].map((tick) => (
          <text key={tick} className={css.tick} data-end x={BOX.left - 6} y={toY(tick) + 4}>
            {tick === 0 || tick * form.scale > 1e-6 ? shortNumber(tick, form) : ''}
          </text>
        ))}
        {lines.map((line, i) => (
          <g key={line.key} data-series={line.key}>
            <path d={paths[i]?.band} fill={colourOf(i)} opacity="0.22" data-band />
            <path
              d={paths[i]?.line}
              stroke={colourOf(i)}
              strokeDasharray={DASHES[i]}
              strokeWidth="1.5"
              strokeLinecap="round"
              fill="none"
            />
          </g>
        ))}
        {cursor !== null && <path data-cursor d={`M${toX(cursor)} 0V${HIGH}`} stroke="var(--text-2)" />}
      </svg>
      <div className={css.read}>
        {lines.map((line, i) => {
          const reading = readings[i]
          const isOne = lines.length === 1
          if (!reading && isOne) return null
          return (
            <p key={line.key}>
              {!isOne && <i style={{ color: colourOf(i) }} data-dash={i > 0 || undefined} />}
              {!isOne && <small>{line.name}</small>}
              {reading && <span>{isOne ? textOf(reading, form) : reading.number}</span>}
              {isOne && reading?.range && <small>{reading.range}</small>}
            </p>
          )
        })}
      </div>
    </div>
  )
}
