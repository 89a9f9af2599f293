// Several series on one axis: a line per series with its band. A pointer or the arrow keys move a cursor through all of
// them.
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react'

import type { Field, TrendLine, Trends } from '../api/types'
import { shapeOf } from '../chart/shapes'
import { colourOf } from '../chart/slots'
import { longName } from '../fields/catalogue'
import { count, type Form, showNumber } from '../format/number'
import { evenTicks, tickWords, timeTicks } from '../format/ticks'
import { time } from '../format/time'
import { moved, nearest } from '../ui/cursor'
import { useWidth } from '../ui/use-width'
import type { Flag } from './flags'
import css from './trends.module.css'

const HIGH = 300
const BOX = { left: 52, right: 12, top: 12, bottom: 40 }
const MARKS_MOST = 400 // points of a line that have marks
const LETTER = 6.3
const READ_MOST = 6

const US = 1000 // positions by time are in microseconds

interface Props {
  answer: Trends
  lines: TrendLine[]
  slots: Map<string, number>
  field: Field
  form: Form
  flags: Flag[] // indexes are positions of the axis
  axisName: string
}

interface Placed {
  line: TrendLine
  slot: number
  x: number[] // 0 … 1
}

// By version, the runs of one version are next to each other in its column.
function placesOf({ axis }: Trends, lines: TrendLine[], slots: Map<string, number>) {
  const all = lines.flatMap(({ points }) => points.at)
  const low = all.reduce((a, b) => Math.min(a, b), Infinity)
  const high = all.reduce((a, b) => Math.max(a, b), -Infinity)
  const ranks = new Map(axis.labels.map(({ at }, i) => [at, i]))
  const columns = Math.max(1, axis.labels.length)
  const placed = lines.map((line): Placed => {
    const { at } = line.points
    if (axis.by === 'time')
      return {
        line,
        slot: slots.get(line.key) ?? -1,
        x: at.map((one) => (high > low ? (one - low) / (high - low) : 0.5)),
      }
    const sizes = new Map<number, number>()
    for (const one of at) sizes.set(one, (sizes.get(one) ?? 0) + 1)
    const seen = new Map<number, number>()
    const x = at.map((one) => {
      const nth = seen.get(one) ?? 0
      seen.set(one, nth + 1)
      return ((ranks.get(one) ?? 0) + (nth + 0.5) / (sizes.get(one) ?? 1)) / columns
    })
    return { line, slot: slots.get(line.key) ?? -1, x }
  })
  return { placed, low, high, columns }
}

export function LinesPlot({ answer, lines, slots, field, form, flags, axisName }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 800)
  const [at, setAt] = useState<number | null>(null) // of `stops`
  const { placed, low, high, columns } = useMemo(() => placesOf(answer, lines, slots), [answer, lines, slots])
  const inner = Math.max(1, width - BOX.left - BOX.right)
  const toX = (share: number) => BOX.left + share * inner
  const bottom = HIGH - BOX.bottom
  const axis = useMemo(() => {
    const ends = lines
      .flatMap(({ points }) => [...points.value, ...points.low, ...points.high])
      .filter((one) => one !== null)
    const [least, most] = [
      ends.reduce((a, b) => Math.min(a, b), Infinity),
      ends.reduce((a, b) => Math.max(a, b), -Infinity),
    ]
    return ends.length ? evenTicks(least, most, 5) : evenTicks(0, 1, 5)
  }, [lines])
  const words = tickWords(axis.ticks, form)
  const toY = (value: number) => bottom - ((value - axis.min) / (axis.max - axis.min || 1)) * (bottom - BOX.top)
  const stops = useMemo(
    () =>
      [...new Set(placed.flatMap(({ line, x }) => x.filter((_, i) => line.points.value[i] != null)))].toSorted(
        (a, b) => a - b,
      ),
    [placed],
  )
  const stop = at === null ? undefined : stops[at]
  const read = stop === undefined ? [] : placed.flatMap((one) => readingOf(one, stop))
  const label = read[0] && labelAt(answer, read[0])
  const said =
    read.length === 0
      ? 'no position; use the arrow keys to move the cursor'
      : `${label ?? ''}: ${read.map(({ line, value }) => `${line.label || longName(field)} ${showNumber(value, form)} ${form.unit}`.trim()).join(', ')}`
  const point = ({ clientX }: PointerEvent) => {
    const from = host.current?.getBoundingClientRect().left ?? 0
    if (stops.length) setAt(nearest(stops.map(toX), clientX - from))
  }
  const press = (event: KeyboardEvent) => {
    const to = event.altKey || event.ctrlKey || event.metaKey ? undefined : moved(event.key, at, stops.length - 1)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setAt(to)
  }
  return (
    <>
      <div
        ref={host}
        className={css.plot}
        role="slider"
        tabIndex={0}
        aria-label={`${longName(field)}, ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}; the table has the values`}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, stops.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={said}
        onPointerDown={point}
        onPointerMove={point}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(null)}
        onKeyDown={press}
        onBlur={() => setAt(null)}
      >
        <svg width={width} height={HIGH} viewBox={`0 0 ${width} ${HIGH}`} aria-hidden="true">
          {axis.ticks.map((tick, i) => (
            <g key={tick}>
              <path
                d={`M${BOX.left} ${toY(tick)}H${width - BOX.right}`}
                stroke={i === 0 ? 'var(--axis)' : 'var(--grid)'}
              />
              <text className={css.tick} data-end x={BOX.left - 6} y={toY(tick) + 4}>
                {words[i]}
              </text>
            </g>
          ))}
          {answer.axis.by === 'version' ? (
            <Versions labels={answer.axis.labels} {...{ columns, toX, bottom }} />
          ) : (
            <>
              <Times {...{ low, high, inner, toX, bottom }} />
              <Releases labels={answer.axis.labels} {...{ low, high, toX, bottom }} />
            </>
          )}
          {placed.map(({ line, slot, x }) => (
            <g key={line.key} data-line={line.label}>
              <path d={bandOf(line, x, toX, toY)} fill={colourOf(slot)} opacity={lines.length > 6 ? 0.08 : 0.15} />
              <path
                d={pathOf(line, x, toX, toY)}
                stroke={colourOf(slot)}
                strokeWidth="1.5"
                fill="none"
                strokeLinejoin="round"
              />
              {line.points.value.length <= MARKS_MOST &&
                line.points.value.map((value, i) =>
                  value === null ? null : (
                    <path
                      key={i}
                      d={shapeOf(slot)}
                      transform={`translate(${toX(x[i] ?? 0).toFixed(1)} ${toY(value).toFixed(1)}) scale(.5)`}
                      fill={line.points.outlier[i] ? 'var(--sheet)' : colourOf(slot)}
                      stroke={colourOf(slot)}
                      strokeWidth={line.points.outlier[i] ? 2.4 : 0}
                    />
                  ),
                )}
            </g>
          ))}
          {flags.map(({ index, number, lines: of }) => {
            const share = answer.axis.by === 'version' ? index / columns : high > low ? (index - low) / (high - low) : 0
            if (share < 0 || share > 1) return null
            if (of !== undefined)
              return placed.map((one) => (
                <LineFlag key={`${number} ${one.line.key}`} {...{ one, number, share, toX, toY }} lines={of} />
              ))
            return (
              <g key={number} data-flag={number}>
                <path d={`M${toX(share)} ${bottom}v-17h13v12h-13`} fill="var(--accent-soft)" stroke="var(--accent)" />
                <text className={css.flag} x={toX(share) + 6.5} y={bottom - 8}>
                  {number}
                </text>
              </g>
            )
          })}
          <text className={css.axisName} x={width - BOX.right} y={HIGH - 4}>
            {axisName} →
          </text>
          {stop !== undefined && (
            <g data-cursor>
              <path d={`M${toX(stop)} ${BOX.top}V${bottom}`} stroke="var(--text-3)" strokeDasharray="3 2" />
              {read.map(({ line, slot, value }) => (
                <circle
                  key={line.key}
                  cx={toX(stop)}
                  cy={toY(value)}
                  r="5"
                  fill="none"
                  stroke={colourOf(slot)}
                  strokeWidth="2"
                />
              ))}
            </g>
          )}
        </svg>
      </div>
      <p
        className={css.reading}
        aria-hidden={stop === undefined || undefined}
        data-shown={stop === undefined ? undefined : ''}
      >
        <b>{label ?? 'no position'}</b>
        {read.slice(0, READ_MOST).map(({ line, slot, value }) => (
          <span key={line.key}>
            <SlotMark slot={slot} /> <span className="n">{showNumber(value, form)}</span> {form.unit}
          </span>
        ))}
        {read.length > READ_MOST && <span className="dim">{count(read.length - READ_MOST)} more</span>}
      </p>
    </>
  )
}

export const SlotMark = ({ slot }: { slot: number }) => (
  <svg className={css.slot} viewBox="-6 -6 12 12" aria-hidden="true">
    <path d={shapeOf(slot)} fill={colourOf(slot)} />
  </svg>
)

interface LineFlagProps {
  one: Placed
  number: number
  share: number
  lines: ReadonlySet<string> | null
  toX: Scale
  toY: Scale
}

// An annotation at one line: above its first value that is not before it.
function LineFlag({ one: { line, slot, x }, number, share, lines, toX, toY }: LineFlagProps) {
  const at = x.findIndex((one, i) => one >= share && line.points.value[i] != null)
  const value = line.points.value[at]
  if (value == null || !lines?.has(line.key)) return null
  const [left, top] = [toX(x[at] ?? 0), toY(value) - 5]
  return (
    <g data-flag={number} data-of={line.key}>
      <path
        d={`M${left.toFixed(1)} ${top.toFixed(1)}v-17h13v12h-13`}
        fill="var(--accent-soft)"
        stroke={colourOf(slot)}
      />
      <text className={css.flag} x={left + 6.5} y={top - 8}>
        {number}
      </text>
    </g>
  )
}

interface Read {
  line: TrendLine
  slot: number
  value: number
  i: number
}

function readingOf({ line, slot, x }: Placed, stop: number): Read[] {
  const i = x.indexOf(stop)
  const value = i < 0 ? null : line.points.value[i]
  return value == null ? [] : [{ line, slot, value, i }]
}

function labelAt({ axis }: Trends, { line, i }: Read) {
  const when = line.points.time[i]
  const moment = when === undefined ? '' : time(new Date(when).toISOString())
  const version = axis.by === 'version' ? axis.labels.find(({ at }) => at === line.points.at[i])?.label : undefined
  return [version, moment].filter(Boolean).join(', ')
}

type Scale = (value: number) => number

function pathOf({ points }: TrendLine, x: number[], toX: Scale, toY: Scale) {
  let isOpen = false
  return points.value
    .map((value, i) => {
      if (value === null) {
        isOpen = false
        return ''
      }
      const command = `${isOpen ? 'L' : 'M'}${toX(x[i] ?? 0).toFixed(1)} ${toY(value).toFixed(1)}`
      isOpen = true
      return command
    })
    .join('')
}

// Pieces between neighbors that both have an interval.
function bandOf({ points }: TrendLine, x: number[], toX: Scale, toY: Scale) {
  const at = (i: number, value: number) => `${toX(x[i] ?? 0).toFixed(1)} ${toY(value).toFixed(1)}`
  return points.value
    .map((_, i) => {
      const [a, b, c, d] = [points.low[i], points.low[i + 1], points.high[i + 1], points.high[i]]
      return a == null || b == null || c == null || d == null
        ? ''
        : `M${at(i, a)}L${at(i + 1, b)}L${at(i + 1, c)}L${at(i, d)}Z`
    })
    .join('')
}

interface AxisProps {
  toX: Scale
  bottom: number
}

function Versions({ labels, columns, toX, bottom }: AxisProps & { labels: { label: string }[]; columns: number }) {
  const wide = toX(1 / columns) - toX(0)
  const every = Math.max(
    1,
    Math.ceil((Math.max(0, ...labels.map(({ label }) => label.length)) * LETTER + 8) / Math.max(1, wide)),
  )
  return labels.map(({ label }, i) => (
    <g key={label}>
      <path d={`M${toX(i / columns)} ${bottom}v4`} stroke="var(--axis)" />
      {i % every === 0 && (
        <text className={css.tick} data-middle x={toX((i + 0.5) / columns)} y={bottom + 16}>
          {label}
        </text>
      )}
    </g>
  ))
}

const TICK_EVERY = 96

function Times({ low, high, inner, toX, bottom }: AxisProps & { low: number; high: number; inner: number }) {
  if (!(high > low)) return null
  return timeTicks(low / US, high / US, Math.max(2, Math.floor(inner / TICK_EVERY))).map((tick) => (
    <text key={tick} className={css.tick} data-middle x={toX((tick * US - low) / (high - low))} y={bottom + 16}>
      {new Date(tick)
        .toISOString()
        .slice(0, high - low < 3 * 86_400_000 * US ? 16 : 10)
        .replace('T', ' ')}
    </text>
  ))
}

// By time, where each release first occurs.
function Releases({
  labels,
  low,
  high,
  toX,
  bottom,
}: AxisProps & { labels: { at: number; label: string }[]; low: number; high: number }) {
  let free = -Infinity
  if (!(high > low)) return null
  return labels.map(({ at, label }) => {
    const x = toX((at - low) / (high - low))
    const fits = x > free
    if (fits) free = x + label.length * LETTER + 8
    return (
      <g key={label} data-release={label}>
        <path d={`M${x} ${BOX.top}V${bottom}`} stroke="var(--line-2)" strokeDasharray="2 3" />
        {fits && (
          <text className={css.mark} x={x + 3} y={BOX.top + 8}>
            {label}
          </text>
        )}
      </g>
    )
  })
}
