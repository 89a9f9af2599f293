// One series: its runs in order, the segments with their medians, and the places of its changes. A pointer or the arrow
// keys move a cursor over the runs; Enter opens the experiment.
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'

import type { Field, Verdict } from '../api/types'
import { longName } from '../fields/catalogue'
import { type Form, showNumber } from '../format/number'
import { evenTicks, tickWords } from '../format/ticks'
import { time } from '../format/time'
import { moved, nearest } from '../ui/cursor'
import { useWidth } from '../ui/use-width'
import { paths } from '../url/paths'
import type { Flag } from './flags'
import { type Change, lookOfChange, monthLabels, runs, shownChanges, sizeText, spansOf, STATE_WORDS } from './model'
import css from './trends.module.css'

const HIGH = 264
const TOP = 24
const BOTTOM = 46
const LEFT = 50
const LETTER = 6.3 // px of a small letter
const NARROW = 620
const RADIUS = 3.4
const FAINT_FROM = 400 // runs from which the marks are smaller

export const LOOK_COLOURS = {
  worse: 'var(--worse)',
  better: 'var(--better)',
  noisy: 'var(--degraded)',
  quiet: 'var(--text-2)',
}

const circle = (x: number, y: number, r: number) =>
  `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`

interface Props {
  verdict: Verdict
  change: Change | undefined // the one that is read
  field: Field
  form: Form
  flags: Flag[]
  axisName: string
}

export function SeriesPlot({ verdict, change, field, form, flags, axisName }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 800)
  const [at, setAt] = useState<number | null>(null)
  const [, navigate] = useLocation()
  const points = verdict.points ?? []
  const segments = verdict.segments ?? []
  const isNarrow = width < NARROW
  const right = isNarrow || !change ? 8 : 96
  const inner = Math.max(1, width - LEFT - right)
  const n = Math.max(1, points.length)
  const edge = (index: number) => LEFT + (index / n) * inner // left of a run
  const toX = (index: number) => edge(index + 0.5)
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const ends = segments.flatMap(({ low, high }) => [low, high]).filter((end): end is number => end != null)
  const all = [...values, ...ends]
  const axis = evenTicks(
    all.reduce((a, b) => Math.min(a, b), Infinity),
    all.reduce((a, b) => Math.max(a, b), -Infinity),
    5,
  )
  const words = tickWords(axis.ticks, form)
  const bottom = HIGH - BOTTOM
  const toY = (value: number) => bottom - ((value - axis.min) / (axis.max - axis.min || 1)) * (bottom - TOP)
  const places = points.flatMap(({ value }, i) => (value === null ? [] : [i]))
  const read = at === null ? undefined : points[at]
  const said = read
    ? [
        `run ${(at as number) + 1}`,
        `${showNumber(read.value as number, form)} ${form.unit}`,
        read.version,
        read.time && time(read.time),
        read.host,
        read.outlier && 'outlier',
      ]
        .filter(Boolean)
        .join(', ')
    : 'no position; use the arrow keys to move the cursor'
  const point = ({ clientX }: PointerEvent) => {
    const from = host.current?.getBoundingClientRect().left ?? 0
    if (places.length) setAt(places[nearest(places.map(toX), clientX - from)] ?? null)
  }
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'Enter' && read) {
      event.preventDefault()
      navigate(paths.experiment(read.id))
      return
    }
    const to = moved(event.key, at === null ? null : places.indexOf(at), places.length - 1)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setAt(to === null ? null : (places[to] ?? null))
  }
  const radius = points.length > FAINT_FROM ? 2 : RADIUS
  const marks = (isOutlier: boolean) =>
    points
      .map(({ value, outlier }, i) =>
        value === null || outlier !== isOutlier ? '' : circle(toX(i), toY(value), radius),
      )
      .join('')
  const gaps = points.map(({ value }, i) => (value === null ? `M${toX(i).toFixed(1)} ${bottom}v-6` : '')).join('')
  const versions = spansOf(points.map(({ version, label }) => version ?? label))
  const months = spansOf(monthLabels(points.map(({ time: when }) => when)))
  const markers = (verdict.hardware_changes ?? []).map(({ index, changes }) => {
    const text = changes.map(({ label, after: value }) => `${label} ${String(value ?? 'not recorded')}`).join(', ')
    const borders = [LEFT, width - right, ...shownChanges(verdict).map((one) => edge(one.index))]
    return { index, text, side: sideFor(text, edge(index), borders) }
  })
  const unnamed = markers.filter(({ side }) => side === null)
  const before = change && segments.findLast((one) => one.to_index < change.index)
  const after = change && segments.find((one) => one.from_index >= change.index)
  return (
    <>
      <div
        ref={host}
        className={css.plot}
        role="slider"
        tabIndex={0}
        aria-label={`${longName(field)} of ${runs(places.length)}, in order; the table has the values`}
        aria-description="Arrow keys move the cursor, Enter opens the experiment"
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, places.length - 1)}
        aria-valuenow={at === null ? 0 : Math.max(0, places.indexOf(at))}
        aria-valuetext={said}
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(null)}
        onDoubleClick={() => read && navigate(paths.experiment(read.id))}
        onKeyDown={press}
        onBlur={() => setAt(null)}
      >
        <svg width={width} height={HIGH} viewBox={`0 0 ${width} ${HIGH}`} aria-hidden="true">
          {axis.ticks.map((tick, i) => (
            <g key={tick}>
              <path d={`M${LEFT} ${toY(tick)}H${width - right}`} stroke={i === 0 ? 'var(--axis)' : 'var(--grid)'} />
              <text className={css.tick} data-end x={LEFT - 6} y={toY(tick) + 4}>
                {words[i]}
              </text>
            </g>
          ))}
          {segments.map(({ from_index: from, to_index: to, low, high }) =>
            low == null || high == null ? null : (
              <rect
                key={from}
                data-band
                x={edge(from)}
                y={toY(high)}
                width={Math.max(1, edge(to + 1) - edge(from) - 1)}
                height={Math.max(1, toY(low) - toY(high))}
                fill="var(--s1)"
                opacity="0.15"
              />
            ),
          )}
          {shownChanges(verdict).map((one) => (
            <ChangeMark
              key={one.index}
              change={one}
              isRead={one === change}
              colour={LOOK_COLOURS[lookOfChange(verdict, one)]}
              text={[one === change ? sizeText(verdict, one, form) : '', one === change ? `at ${one.label}` : ''].join(
                ' ',
              )}
              {...{ edge, bottom, isNarrow, left: LEFT, right: width - right }}
            />
          ))}
          {markers.map(({ index, text, side }, i) => (
            <g key={index} data-marker={index}>
              <path d={`M${edge(index)} ${TOP}V${bottom}`} stroke="var(--text-3)" strokeDasharray="1.5 2.5" />
              {side && (
                <text
                  className={css.mark}
                  data-end={side === 'left' || undefined}
                  x={edge(index) + (side === 'left' ? -5 : 5)}
                  y={TOP + 10 + (i % 3) * 13}
                >
                  {text}
                </text>
              )}
            </g>
          ))}
          {before?.median != null && after && (
            <path
              d={`M${edge(after.from_index)} ${toY(before.median)}H${width - right}`}
              stroke="var(--text-3)"
              strokeDasharray="3 3"
            />
          )}
          {segments.map(({ from_index: from, to_index: to, median }) =>
            median == null ? null : (
              <path
                key={from}
                data-median
                d={`M${edge(from)} ${toY(median)}H${edge(to + 1) - 1}`}
                stroke="var(--s1)"
                strokeWidth="2"
              />
            ),
          )}
          <path d={marks(false)} fill="var(--s1)" opacity="0.72" data-marks />
          <path d={marks(true)} fill="var(--sheet)" stroke="var(--s1)" strokeWidth="1.4" data-outliers />
          {!isNarrow && change && before?.median != null && after?.median != null && (
            <SideLabels
              x={width - right + 8}
              sides={[
                {
                  y: toY(after.median),
                  text: `median ${showNumber(after.median, form)}`,
                  note: runs(change.after.count),
                  isStrong: true,
                },
                {
                  y: toY(before.median),
                  text: `before ${showNumber(before.median, form)}`,
                  note: runs(change.before.count),
                },
              ]}
            />
          )}
          <path d={gaps} stroke="var(--text-3)" strokeWidth="1.5" data-gaps />
          {flags.map(({ index, number }) => (
            <g key={number} data-flag={number}>
              <path d={`M${edge(index)} ${bottom}v-17h13v12h-13`} fill="var(--accent-soft)" stroke="var(--accent)" />
              <text className={css.flag} x={edge(index) + 6.5} y={bottom - 8}>
                {number}
              </text>
            </g>
          ))}
          <AxisRow spans={versions} y={bottom + 15} edge={edge} hasTicks={bottom} />
          <AxisRow spans={months} y={bottom + 30} edge={edge} />
          <text className={css.axisName} x={width - right} y={HIGH - 4}>
            {axisName} →
          </text>
          {read && read.value !== null && (
            <g data-cursor>
              <path d={`M${toX(at as number)} ${TOP}V${bottom}`} stroke="var(--text-3)" strokeDasharray="3 2" />
              <circle
                cx={toX(at as number)}
                cy={toY(read.value)}
                r="5.5"
                fill="none"
                stroke="var(--text)"
                strokeWidth="1.5"
              />
            </g>
          )}
        </svg>
      </div>
      <p className={css.reading} aria-hidden={!read || undefined} data-shown={read ? '' : undefined}>
        {read && read.value !== null ? (
          <>
            <span>
              run <span className="n">{(at as number) + 1}</span>
            </span>
            <b className="n">
              {showNumber(read.value, form)} {form.unit}
            </b>
            {read.version && <span>{read.version}</span>}
            {read.time && <span className="n">{time(read.time)}</span>}
            {read.host && <span className="clip">{read.host}</span>}
            {read.outlier && <span>outlier, kept</span>}
            <span className="dim">Enter opens the experiment</span>
          </>
        ) : (
          'no run'
        )}
      </p>
      {unnamed.length > 0 && (
        <p className={css.none}>
          Dotted {unnamed.length === 1 ? 'line' : 'lines'}:{' '}
          {unnamed.map(({ index, text }) => `from run ${index + 1} on, ${text}`).join('; ')}
        </p>
      )}
    </>
  )
}

const MARK_GAP = 5

// The side of a dotted line on which its label fits between the borders next to it; null: none.
export function sideFor(text: string, x: number, borders: number[]) {
  const wide = text.length * LETTER + 2 * MARK_GAP
  const next = borders.filter((one) => one > x + 1).reduce((a, b) => Math.min(a, b), Infinity)
  const last = borders.filter((one) => one < x - 1).reduce((a, b) => Math.max(a, b), -Infinity)
  return next - x >= wide ? 'right' : x - last >= wide ? 'left' : null
}

interface MarkProps {
  change: Change
  isRead: boolean
  colour: string
  text: string
  edge: (index: number) => number
  bottom: number
  left: number
  right: number
  isNarrow: boolean
}

function ChangeMark({ change, isRead, colour, text, edge, bottom, left, right, isNarrow }: MarkProps) {
  const x = edge(change.index)
  const [from, to] = [edge(change.low_index), edge(change.high_index)]
  const wide = Math.max(6, to - from)
  const start = Math.min(from, x - 3)
  const plausible =
    change.high_index > change.low_index && !isNarrow
      ? `; plausible: runs ${change.low_index + 1} to ${change.high_index + 1}`
      : ''
  const words = isRead ? `${text.trim()}${plausible}` : STATE_WORDS[change.state]
  const isEnd = x + words.length * LETTER > right && x - left > words.length * LETTER
  return (
    <g data-change={change.index} data-read={isRead || undefined}>
      <rect
        x={start}
        y={TOP}
        width={Math.max(wide, x + 3 - start)}
        height={bottom - TOP}
        fill={colour}
        opacity="0.15"
      />
      <path
        d={`M${x} ${TOP - 4}V${bottom}`}
        stroke={colour}
        strokeWidth={isRead ? 2 : 1.2}
        strokeDasharray={isRead ? undefined : '4 2'}
      />
      {isRead && (
        <text className={css.changeName} data-end={isEnd || undefined} x={isEnd ? x - 4 : x + 4} y={TOP - 9}>
          {words}
        </text>
      )}
    </g>
  )
}

interface Side {
  y: number
  text: string
  note: string
  isStrong?: boolean
}
const LINE = 13

// Two labels that do not overlap.
function SideLabels({ x, sides }: { x: number; sides: [Side, Side] }) {
  const [a, b] = sides
  const room = 2 * LINE + 4
  const isAbove = a.y <= b.y
  const gap = Math.abs(a.y - b.y)
  const push = gap < room ? (room - gap) / 2 : 0
  return [
    { ...a, y: a.y + (isAbove ? -push : push) },
    { ...b, y: b.y + (isAbove ? push : -push) },
  ].map(({ y, text, note, isStrong }) => (
    <g key={text}>
      <text className={css.sideName} data-strong={isStrong || undefined} x={x} y={y}>
        {text}
      </text>
      <text className={css.mark} x={x} y={y + LINE}>
        {note}
      </text>
    </g>
  ))
}

interface RowProps {
  spans: { label: string; from: number; to: number }[]
  y: number
  edge: (index: number) => number
  hasTicks?: number // bottom of the plot
}

// Labels under the neighbors that share them, where there is room.
export function AxisRow({ spans, y, edge, hasTicks }: RowProps) {
  let free = -Infinity
  return spans.map(({ label, from, to }) => {
    const [left, right] = [edge(from), edge(to + 1)]
    const wide = label.length * LETTER
    const x = (left + right) / 2
    const fits = wide <= right - left + 8 && x - wide / 2 > free
    if (fits) free = x + wide / 2 + 4
    return (
      <g key={from}>
        {hasTicks !== undefined && <path d={`M${left} ${hasTicks}v4`} stroke="var(--axis)" />}
        {fits && label !== '–' && (
          <text className={css.tick} data-middle x={x} y={y}>
            {label}
          </text>
        )}
      </g>
    )
  })
}

// A small drawing of a series, without axes.
export function MiniPlot({ verdict, label, index }: { verdict: Verdict; label: string; index?: number | undefined }) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 220)
  const points = verdict.points ?? []
  const n = Math.max(1, points.length)
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const low = values.reduce((a, b) => Math.min(a, b), Infinity)
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity)
  const middle = (low + high) / 2
  // half the level at least, so that noise does not look like a change
  const reach = Math.max((high - low) / 2, Math.abs(middle) * 0.12, Number.MIN_VALUE)
  const toX = (i: number) => ((i + 0.5) / n) * width
  const toY = (value: number) => MINI_HIGH / 2 - ((value - middle) / reach) * (MINI_HIGH / 2 - 6)
  return (
    <div ref={host} className={css.mini} role="img" aria-label={label}>
      <svg width={width} height={MINI_HIGH} viewBox={`0 0 ${width} ${MINI_HIGH}`} aria-hidden="true">
        <path d={`M0 ${MINI_HIGH - 0.5}H${width}`} stroke="var(--axis)" />
        {index !== undefined && (
          <path d={`M${(index / n) * width} 0V${MINI_HIGH}`} stroke="var(--text-3)" strokeDasharray="2 3" />
        )}
        {(verdict.segments ?? []).map(({ from_index: from, to_index: to, median }) =>
          median == null ? null : (
            <path
              key={from}
              d={`M${(from / n) * width} ${toY(median)}H${((to + 1) / n) * width}`}
              stroke="var(--s1)"
              strokeWidth="1.5"
            />
          ),
        )}
        <path
          d={points.map(({ value }, i) => (value === null ? '' : circle(toX(i), toY(value), 2.2))).join('')}
          fill="var(--s1)"
          opacity="0.72"
        />
      </svg>
    </div>
  )
}
const MINI_HIGH = 84

const [SPARK_WIDE, SPARK_HIGH] = [76, 34]

// The medians of a series as steps, with the place of its change; of a series that became noisier, its spread.
export function Spark({ verdict, change, colour }: { verdict: Verdict; change: Change | undefined; colour: string }) {
  const n = Math.max(1, verdict.count + verdict.gap_count)
  const toX = (index: number) => (index / n) * SPARK_WIDE
  return (
    <svg className={css.spark} viewBox={`0 0 ${SPARK_WIDE} ${SPARK_HIGH}`} aria-hidden="true">
      <path
        d={change?.state === 'noisier' ? spreadPath(change, toX) : stepsPath(verdict, n, toX)}
        stroke="var(--text-2)"
        strokeWidth="1.4"
        strokeLinejoin="round"
        fill="none"
      />
      {change && (
        <path d={`M${toX(change.index)} 1V${SPARK_HIGH - 1}`} stroke={colour} strokeWidth="1.2" strokeDasharray="2 2" />
      )}
    </svg>
  )
}

function stepsPath(verdict: Verdict, n: number, toX: (index: number) => number) {
  const changes = shownChanges(verdict)
  const steps = [
    ...changes.map(({ index, before }, i) => ({ from: changes[i - 1]?.index ?? 0, to: index, level: before.median })),
    { from: changes.at(-1)?.index ?? 0, to: n, level: changes.at(-1)?.after.median ?? verdict.current.median },
  ].filter((step): step is { from: number; to: number; level: number } => step.level !== null)
  const levels = steps.map(({ level }) => level)
  const [low, high] = [Math.min(...levels), Math.max(...levels)]
  const toY = (level: number) => SPARK_HIGH - 8 - (high > low ? (level - low) / (high - low) : 0.5) * (SPARK_HIGH - 16)
  return steps.map(({ from, to, level }, i) => `${i ? 'L' : 'M'}${toX(from)} ${toY(level)}H${toX(to)}`).join('')
}

const ZIGZAG = 4 // px

function spreadPath({ index, before, after }: Change, toX: (index: number) => number) {
  const most = Math.max(before.spread ?? 0, after.spread ?? 0) || 1
  let path = ''
  for (let x = 0, i = 0; x <= SPARK_WIDE; x += ZIGZAG, i++) {
    const share = ((x < toX(index) ? before.spread : after.spread) ?? 0) / most
    path += `${i ? 'L' : 'M'}${x} ${(SPARK_HIGH / 2 + (i % 2 ? 1 : -1) * share * (SPARK_HIGH / 2 - 5)).toFixed(1)}`
  }
  return path
}
