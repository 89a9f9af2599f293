// The configurations over two metrics, and a third one as the size of their marks: a frontier per group, limits as
// lines that can be dragged, and names that cover nothing. The pointer or the arrow keys choose a configuration, a
// click or Enter opens it.
import { type KeyboardEvent, memo, type PointerEvent, type ReactNode, useMemo, useRef, useState } from 'react'

import type { BaselineLine, Field } from '../api/types'
import { ASIDE_PX, LEADER_FROM, PHONE_MOST, placesOfNames, widthOf } from '../chart/name-places'
import { shapeOf, trace } from '../chart/shapes'
import { colourOf } from '../chart/slots'
import { longName } from '../fields/catalogue'
import { type Form, showNumber } from '../format/number'
import { evenTicks, tickWords } from '../format/ticks'
import { shortName } from '../planner/model'
import { moved } from '../ui/cursor'
import { useWidth } from '../ui/use-width'
import type { ParetoLimit, Way } from '../url/pareto'
import { BASELINE_COLOR, BASELINE_HALF, BaselineMarks } from './baseline-marks'
import { LimitLine } from './limit-line'
import { type Configuration, type Corner, endOf, type Group, isNotable, membershipText, runs, stairs } from './model'
import css from './pareto.module.css'

const BOX = { left: 56, right: 20, top: 34, bottom: 40 }
const NEAR_PX = 28
const NAMES_MOST = 40
const SINGLE_MOST = 200 // configurations with a mark each
const NAME_LETTERS = 32
const NARROW_PX = 400

export interface Axis {
  field: Field
  form: Form
  way: Way
}

export interface Scale {
  box: { left: number; right: number; top: number; bottom: number }
  toX: (value: number) => number
  toY: (value: number) => number
  fromX: (px: number) => number
  fromY: (px: number) => number
}

interface Props {
  axes: [Axis, Axis, ...Axis[]]
  groups: Group[]
  all: Configuration[]
  kept: ReadonlyMap<number, boolean | null>
  limits: ParetoLimit[] // of the two metrics
  earlier: Corner[][] // frontiers to compare with
  baselines: BaselineLine[] // of public results, in gray
  high: number // px
  aside?: Configuration[] // drawn next to a plot of these, which share its y axis: no lines, and names of pins alone
  opened: number | null // `at` of a configuration
  letterOf: (configuration: Configuration) => string | undefined // of its pin
  onOpen: (configuration: Configuration) => void
  onLimit: (limit: ParetoLimit, value: number, isMoving: boolean) => void
}

// From zero, unless the values are far from it.
function ticksOf(values: number[], most: number) {
  const known = values.filter(Number.isFinite)
  if (known.length === 0) return evenTicks(0, 1, most)
  const [low, high] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))]
  return evenTicks(low >= 0 && low < high * 0.6 ? 0 : low, high, most)
}

const OUTSIDE_PX = 24

// Positions of values that the axes leave out are a little outside of them.
const within = (px: number, low: number, high: number) => Math.min(high + OUTSIDE_PX, Math.max(low - OUTSIDE_PX, px))

const path = (corners: Corner[], { toX, toY }: Scale) =>
  corners.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${toX(x).toFixed(1)} ${toY(y).toFixed(1)}`).join('')

export function Plot({
  axes,
  groups,
  all,
  kept,
  limits,
  earlier,
  baselines,
  high,
  aside,
  opened,
  letterOf,
  onOpen,
  onLimit,
}: Props) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 800)
  const [at, setAt] = useState<number | null>(null) // of `all`
  const isAside = aside !== undefined
  const [x, y, z] = axes
  const ends = useMemo(() => {
    const of = (dimension: 0 | 1, mean: (one: Configuration) => number) => {
      const some = dimension === 1 && aside ? aside : all
      const on = some.filter(({ point }) => point.frontier)
      const means = some.map(mean)
      const end = endOf(means)
      const own = [
        ...means,
        ...on.flatMap(({ point }) => [point.values[dimension]?.low ?? NaN, point.values[dimension]?.high ?? NaN]),
        ...(aside && dimension === 0 ? [] : earlier.flatMap((line) => line.map((corner) => corner[dimension]))),
      ].filter((value) => Math.abs(value) <= end)
      return [
        ...own,
        ...(aside && dimension === 0
          ? []
          : baselines.flatMap(({ points }) => points.map((point) => (dimension === 0 ? point.x : point.y)))),
      ]
    }
    return [
      ticksOf(
        of(0, (one) => one.x),
        width < NARROW_PX ? 4 : 7,
      ),
      ticksOf(
        of(1, (one) => one.y),
        5,
      ),
    ] as const
  }, [all, aside, earlier, baselines, width])
  const scale = useMemo((): Scale => {
    const [ex, ey] = ends
    const box = {
      left: BOX.left,
      right: Math.max(BOX.left + 40, width - BOX.right),
      top: BOX.top,
      bottom: high - BOX.bottom,
    }
    const [wide, tall] = [box.right - box.left, box.bottom - box.top]
    const [spanX, spanY] = [ex.max - ex.min || 1, ey.max - ey.min || 1]
    return {
      box,
      toX: (value) => within(box.left + ((value - ex.min) / spanX) * wide, box.left, box.right),
      toY: (value) => within(box.bottom - ((value - ey.min) / spanY) * tall, box.top, box.bottom),
      fromX: (px) => ex.min + ((px - box.left) / wide) * spanX,
      fromY: (px) => ey.min + ((box.bottom - px) / tall) * spanY,
    }
  }, [ends, width, high])
  const { toX, toY } = scale
  const lines = useMemo(() => (isAside ? [] : linesOf(all, groups, axes, ends)), [isAside, all, groups, axes, ends])
  const names = useMemo(
    () =>
      namesOf(
        all,
        groups,
        lines.map(({ line }) => line),
        isAside ? [] : baselines,
        scale,
        letterOf,
        isAside,
      ),
    [isAside, all, groups, lines, baselines, scale, letterOf],
  )
  const read = at === null ? undefined : all[at]
  const open = opened === null ? undefined : all.find((one) => one.at === opened)
  const valueText = (one: Configuration) =>
    [
      one.full,
      one.group.label,
      `${longName(x.field)} ${showNumber(one.x, x.form)} ${x.form.unit}`.trim(),
      `${longName(y.field)} ${showNumber(one.y, y.form)} ${y.form.unit}`.trim(),
      z && one.z !== null && `${longName(z.field)} ${showNumber(one.z, z.form)} ${z.form.unit}`.trim(),
      membershipText(one.point),
      one.point.knee && 'knee',
      limits.length > 0 && kept.get(one.at) === false && 'beyond a limit',
      runs(one.point.ids.length),
    ]
      .filter(Boolean)
      .join(', ')
  const near = ({ clientX, clientY }: PointerEvent) => {
    const from = host.current?.getBoundingClientRect()
    if (!from) return null
    const [px, py] = [clientX - from.left, clientY - from.top]
    let [best, least] = [null as number | null, NEAR_PX]
    all.forEach((one, i) => {
      const by = Math.hypot(toX(one.x) - px, toY(one.y) - py)
      if (by < least) [best, least] = [i, by]
    })
    return best
  }
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'Enter' && read) {
      event.preventDefault()
      return onOpen(read)
    }
    const to = moved(event.key, at, all.length - 1)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    setAt(to)
  }
  return (
    <div className={css.plotHost}>
      <div
        ref={host}
        className={css.plot}
        role="slider"
        tabIndex={0}
        aria-label={`${longName(y.field)} over ${longName(x.field)}${isAside ? ', a limit' : '; the table has the values'}`}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, all.length - 1)}
        aria-valuenow={at ?? 0}
        aria-valuetext={read ? valueText(read) : 'no configuration; use the arrow keys to choose one'}
        onPointerMove={(event) => setAt(near(event))}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(null)}
        onPointerDown={(event) => {
          const found = near(event)
          const one = found === null ? undefined : all[found]
          setAt(found)
          if (one && event.button === 0) onOpen(one)
        }}
        onKeyDown={press}
        onBlur={() => setAt(null)}
      >
        <svg width={width} height={high} viewBox={`0 0 ${width} ${high}`} aria-hidden="true">
          <Drawing
            {...{ axes, ends, scale, lines, names, all, kept, limits, high }}
            earlier={isAside ? [] : earlier}
            baselines={isAside ? [] : baselines}
          />
          {[open, read].map(
            (one, i) =>
              one && (
                <g key={i} data-read={i === 1 || undefined}>
                  <Whiskers one={one} scale={scale} />
                  <circle cx={toX(one.x)} cy={toY(one.y)} r="9" fill="none" stroke="var(--text)" strokeWidth="1.6" />
                </g>
              ),
          )}
        </svg>
      </div>
      {(isAside ? limits.filter(({ field }) => field === x.field.id) : limits).map((limit) => (
        <LimitLine key={`${limit.field} ${limit.op}`} {...{ limit, axes, scale }} onMove={onLimit} />
      ))}
    </div>
  )
}

interface Line {
  group: Group
  line: Corner[]
  band: [low: Corner[], high: Corner[]] | null // of the 95 % intervals of its points
}

type Ends = readonly [ReturnType<typeof evenTicks>, ReturnType<typeof evenTicks>]

function linesOf(all: Configuration[], groups: Group[], [x, y]: Props['axes'], ends: Ends): Line[] {
  const worst: Corner = [x.way === 'higher' ? ends[0].min : ends[0].max, y.way === 'higher' ? ends[1].min : ends[1].max]
  return groups.map((group) => {
    const on = all.filter((one) => one.group === group && one.point.frontier)
    const corners = (side: 'worse' | 'better' | 'mean') => {
      const end = (value: Configuration['point']['values'][number] | undefined, way: Way) =>
        (side === 'mean' ? null : (side === 'worse') === (way === 'higher') ? value?.low : value?.high) ??
        value?.mean ??
        0
      return stairs(
        on.map(({ point: { values } }): Corner => [end(values[0], x.way), end(values[1], y.way)]),
        [x.way, y.way],
        worst,
      )
    }
    const hasBand = on.some(({ point }) => point.values[0]?.low != null)
    return { group, line: corners('mean'), band: hasBand ? [corners('worse'), corners('better')] : null }
  })
}

type DrawingProps = Pick<Props, 'axes' | 'all' | 'kept' | 'limits' | 'earlier' | 'baselines'> & {
  ends: Ends
  scale: Scale
  lines: Line[]
  names: PlacedName[]
  high: number
}

// All but the marks of the pointer, which moves often.
const Drawing = memo(function Drawing(props: DrawingProps) {
  const { axes, ends, scale, lines, names, all, kept, limits, earlier, baselines, high } = props
  const [x, y] = axes
  const { box, toX, toY } = scale
  const inside = all.filter(
    ({ x: atX, y: atY }) =>
      toX(atX) <= box.right + 1 && toX(atX) >= box.left - 1 && toY(atY) >= box.top - 1 && toY(atY) <= box.bottom + 1,
  )
  const isCrowded = all.length > SINGLE_MOST
  const crowd = isCrowded ? inside.filter(({ point }) => !isNotable(point)) : []
  const single = isCrowded ? inside.filter(({ point }) => isNotable(point)) : inside
  const sizeOf = sizesOf(all)
  const xWords = tickWords(ends[0].ticks, x.form)
  const yWords = tickWords(ends[1].ticks, y.form)
  return (
    <>
      {ends[1].ticks.map((tick, i) => (
        <g key={tick}>
          <path d={`M${box.left} ${toY(tick)}H${box.right}`} stroke={i === 0 ? 'var(--axis)' : 'var(--grid)'} />
          <text className={css.tick} data-end x={box.left - 6} y={toY(tick) + 4}>
            {yWords[i]}
          </text>
        </g>
      ))}
      {ends[0].ticks.map((tick, i) => (
        <g key={tick}>
          <path d={`M${toX(tick)} ${box.bottom}v4`} stroke="var(--axis)" />
          <text className={css.tick} data-middle x={toX(tick)} y={box.bottom + 16}>
            {xWords[i]}
          </text>
        </g>
      ))}
      <Feasible {...{ limits, axes, scale }} />
      {lines.map(
        ({ group, band }) =>
          band && (
            <path
              key={group.at}
              d={`${path(band[0] ?? [], scale)}${path((band[1] ?? []).toReversed(), scale).replace('M', 'L')}Z`}
              fill={colourOf(group.slot)}
              opacity="0.14"
            />
          ),
      )}
      <BaselineMarks lines={baselines} scale={scale} />
      {earlier.map((line, i) => (
        <path key={i} d={path(line, scale)} fill="none" stroke="var(--text-3)" strokeDasharray="5 3" data-earlier />
      ))}
      {lines.map(({ group, line }) => (
        <path
          key={group.at}
          d={path(line, scale)}
          fill="none"
          stroke={colourOf(group.slot)}
          strokeWidth="1.6"
          data-frontier={group.full}
        />
      ))}
      <Crowd all={crowd} kept={kept} scale={scale} sizeOf={sizeOf} />
      {single.toReversed().map((one) => (
        <Mark key={one.at} one={one} scale={scale} size={sizeOf(one)} isOut={kept.get(one.at) === false} />
      ))}
      {names.map(({ x: nx, y: ny, fromX, fromY, color, isStrong, words, isLeft }) => (
        <g key={`${color} ${words} ${fromX} ${fromY}`}>
          {Math.hypot(nx - fromX, ny - fromY) > ASIDE_PX + LEADER_FROM && (
            <path d={`M${fromX} ${fromY}L${nx} ${ny}`} stroke={color} strokeWidth="0.8" opacity="0.6" />
          )}
          <text
            className={css.name}
            data-strong={isStrong || undefined}
            data-end={isLeft || undefined}
            x={nx}
            y={ny + 4}
          >
            {words}
          </text>
        </g>
      ))}
      <text className={css.axisName} x={4} y={13}>
        {y.way === 'higher' ? '↑' : '↓'} better: {longName(y.field)} {y.form.unit}
      </text>
      <text className={css.axisName} data-end x={box.right} y={high - 4}>
        {longName(x.field)} {x.form.unit}, better {x.way === 'higher' ? '→' : '←'}
      </text>
    </>
  )
})

const [QUIET_PX, QUIET_OPACITY] = [6, 0.55]
const [SIZE_LEAST, SIZE_MOST] = [0.55, 1.7]

// Factors of the size of a mark: its area grows with the third metric, and all are 1 without one.
function sizesOf(all: Configuration[]): (one: Configuration) => number {
  const known = all.flatMap(({ z }) => z ?? [])
  const end = endOf(known)
  const shown = known.filter((value) => Math.abs(value) <= end)
  if (shown.length === 0) return () => 1
  const [low, high] = [shown.reduce((a, b) => Math.min(a, b)), shown.reduce((a, b) => Math.max(a, b))]
  return ({ z }) => {
    if (z === null || high <= low) return 1
    const share = Math.min(1, Math.max(0, (z - low) / (high - low)))
    return Math.sqrt(SIZE_LEAST ** 2 + share * (SIZE_MOST ** 2 - SIZE_LEAST ** 2))
  }
}

// The outline of a shape as the text of a path.
function outline(slot: number, x: number, y: number, size: number) {
  const parts: string[] = []
  // toFixed() takes most of the time of a thousand marks
  const at = (px: number, py: number) => `${Math.round(px * 10) / 10} ${Math.round(py * 10) / 10}`
  trace(
    {
      moveTo: (px, py) => parts.push(`M${at(px, py)}`),
      lineTo: (px, py) => parts.push(`L${at(px, py)}`),
      arc: (px, py, radius) =>
        parts.push(
          `A${radius} ${radius} 0 1 1 ${at(px - radius, py)}A${radius} ${radius} 0 1 1 ${at(px + radius, py)}z`,
        ),
      closePath: () => parts.push('z'),
    },
    slot,
    x,
    y,
    size,
  )
  return parts.join('')
}

// Many configurations off the frontier: one path per group, because an element for each takes long to draw.
function Crowd({
  all,
  kept,
  scale,
  sizeOf,
}: Pick<DrawingProps, 'all' | 'kept' | 'scale'> & { sizeOf: (one: Configuration) => number }) {
  const looks = Map.groupBy(all, (one) => `${one.group.slot} ${kept.get(one.at) === false}`)
  return [...looks].map(([look, some]) => {
    const [slot, isOut] = [some[0]?.group.slot ?? 0, look.endsWith('true')]
    return (
      <path
        key={look}
        data-points={some.length}
        d={some.map((one) => outline(slot, scale.toX(one.x), scale.toY(one.y), QUIET_PX * sizeOf(one))).join('')}
        fill={isOut ? 'var(--sheet)' : colourOf(slot)}
        stroke={colourOf(slot)}
        strokeWidth={isOut ? 1.2 : 0}
        opacity={QUIET_OPACITY}
      />
    )
  })
}

const ROUND = 7.2

// A ring marks the membership: a full one is surely on the frontier, a dashed one perhaps.
function Mark({
  one,
  scale: { toX, toY },
  size,
  isOut,
}: {
  one: Configuration
  scale: Scale
  size: number
  isOut: boolean
}) {
  const { point, group } = one
  const color = colourOf(group.slot)
  const isQuiet = !isNotable(point)
  return (
    <g
      transform={`translate(${toX(one.x).toFixed(1)} ${toY(one.y).toFixed(1)})`}
      data-point={one.id}
      data-membership={point.membership}
      opacity={isQuiet ? QUIET_OPACITY : 1}
    >
      <path
        d={shapeOf(group.slot)}
        transform={`scale(${((isQuiet ? 0.6 : 0.85) * size).toFixed(2)})`}
        fill={isOut ? 'var(--sheet)' : color}
        stroke={color}
        strokeWidth={isOut ? 2 : 0}
      />
      {(point.membership === 'surely' || point.membership === 'perhaps') && (
        <circle
          r={ROUND * Math.max(0.75, size)}
          fill="none"
          stroke={color}
          strokeWidth="1.1"
          {...(point.membership === 'perhaps' && { strokeDasharray: '2.4 2.2' })}
        />
      )}
    </g>
  )
}

function Whiskers({ one: { point, x, y }, scale: { toX, toY } }: { one: Configuration; scale: Scale }) {
  const [vx, vy] = point.values
  return (
    <path
      d={[
        vx && vx.low !== null && vx.high !== null && `M${toX(vx.low)} ${toY(y)}H${toX(vx.high)}`,
        vy && vy.low !== null && vy.high !== null && `M${toX(x)} ${toY(vy.low)}V${toY(vy.high)}`,
      ]
        .filter(Boolean)
        .join('')}
      stroke="var(--text)"
    />
  )
}

// The part of the plot within all limits of its metrics.
function Feasible({
  limits,
  axes: [x, y],
  scale,
}: {
  limits: ParetoLimit[]
  axes: Props['axes']
  scale: Scale
}): ReactNode {
  if (limits.length === 0) return null
  const area = { ...scale.box }
  for (const { field, op, value } of limits) {
    if (field === x.field.id) {
      const px = Math.min(scale.box.right, Math.max(scale.box.left, scale.toX(value)))
      if (op === '<=') area.right = Math.min(area.right, px)
      else area.left = Math.max(area.left, px)
    } else if (field === y.field.id) {
      const px = Math.min(scale.box.bottom, Math.max(scale.box.top, scale.toY(value)))
      if (op === '<=') area.top = Math.max(area.top, px)
      else area.bottom = Math.min(area.bottom, px)
    }
  }
  return (
    <rect
      data-feasible
      x={area.left}
      y={area.top}
      width={Math.max(0, area.right - area.left)}
      height={Math.max(0, area.bottom - area.top)}
      fill="var(--accent-soft)"
    />
  )
}

interface PlacedName {
  words: string
  x: number
  y: number
  fromX: number
  fromY: number
  isLeft: boolean
  isStrong: boolean // of a group
  color: string // of its mark
}

// First the pins and the groups, then baselines, then the frontiers from the knee on, as long as there is room.
function namesOf(
  all: Configuration[],
  groups: Group[],
  lines: Corner[][],
  baselines: BaselineLine[],
  scale: Scale,
  letterOf: Props['letterOf'],
  isAside: boolean,
): PlacedName[] {
  const { box, toX, toY } = scale
  const isNarrow = box.right - box.left < NARROW_PX
  const own = all.filter(({ point }) => isNotable(point))
  const firsts = groups.flatMap((group) => own.find((one) => one.group === group) ?? [])
  const nameOf = (one: Configuration, words: string, isStrong: boolean) => ({
    words,
    isStrong,
    x: toX(one.x),
    y: toY(one.y),
    color: colourOf(one.group.slot),
  })
  const named = [
    ...(groups.length > 1 && !isAside ? firsts.map((one) => nameOf(one, one.group.label, true)) : []),
    ...all.flatMap((one) => {
      const letter = letterOf(one)
      return letter ? [nameOf(one, letter, true)] : []
    }),
    ...baselines.flatMap((line) => {
      const last = line.points.findLast(({ frontier }) => frontier)
      return last
        ? [{ words: shortName(line), isStrong: false, x: toX(last.x), y: toY(last.y), color: BASELINE_COLOR }]
        : []
    }),
    ...(isAside ? [] : own)
      .filter(({ point }) => point.frontier)
      .toSorted((a, b) => Number(b.point.knee) - Number(a.point.knee))
      .map((one) => nameOf(one, `${one.name}${one.point.knee ? ' (knee)' : ''}`, false)),
  ].slice(0, isNarrow ? NAMES_MOST / 4 : all.length > SINGLE_MOST ? NAMES_MOST / 2 : NAMES_MOST)
  const places = placesOfNames(named, box, isNarrow ? PHONE_MOST : NAME_LETTERS, {
    wideOf: widthOf,
    marks: [
      ...all.map((one) => [toX(one.x), toY(one.y)] as const),
      ...baselines.flatMap(({ points }) => points.map(({ x, y }) => [toX(x), toY(y), BASELINE_HALF] as const)),
    ],
    lines: lines.map((line) => line.map(([x, y]) => [toX(x), toY(y)] as const)),
  })
  return places.flatMap(({ words, at, x, y, isLeft }) => {
    const found = named[at]
    return found ? [{ ...found, words, x, y, isLeft, fromX: found.x, fromY: found.y }] : []
  })
}
