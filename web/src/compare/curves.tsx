// Percentiles of latencies, all sides on one axis: the whole distribution, dashed where too few requests give no
// interval.
import { type ReactNode, useRef, useState } from 'react'

import type { ComparedFamily } from '../api/types'
import { type Form, formOfUnit, showNumber } from '../format/number'
import { tickWords } from '../format/ticks'
import { NOT_RECORDED } from '../format/value'
import { Slot } from '../tray/slot'
import { Check, IconButton, join } from '../ui/controls'
import { Figure } from '../ui/figure'
import page from '../ui/page.module.css'
import { useWidth } from '../ui/use-width'
import { axisOf, refusedText } from './axis'
import css from './compare.module.css'
import { type Cursor, CursorArea, CursorLine, Read, saidOf, useCursor } from './cursor'
import { colourOf, Mark, MarkPath } from './mark'
import { deviate, type SideView } from './model'

const SHOWN = ['ttft_ms', 'tpot_ms', 'itl_ms', 'e2el_ms']
const HIGH = 236
const BOX = { left: 48, right: 14, top: 10, bottom: 40 }
const LABELLED = [1, 10, 25, 50, 75, 90, 95, 99, 99.9]

// The families of latencies. Their intervals have no end below zero.
export const familiesOf = (families: ComparedFamily[]) =>
  SHOWN.flatMap((key) => families.filter((family) => family.key === key)).map((family) => ({
    ...family,
    sides: family.sides.map((side) => ({
      ...side,
      low: side.low.map((low) => (low === null ? null : Math.max(0, low))),
    })),
  }))
export const formOf = (family: ComparedFamily): Form =>
  formOfUnit(
    family.unit,
    family.sides.flatMap(({ value }) => value),
  )

export const Key = ({ views, children }: { views: SideView[]; children?: ReactNode }) => (
  <span className={css.key}>
    {views.map(({ letter, at, name }) => (
      <span key={letter} title={name}>
        <Slot letter={letter} />
        <Mark at={at} />
        <span className="clip">
          <bdi>{name}</bdi>
        </span>
      </span>
    ))}
    {children}
  </span>
)

export function Curves({
  families,
  views,
  isLog,
  onLog,
}: {
  families: ComparedFamily[]
  views: SideView[]
  isLog: boolean
  onLog: (isLog: boolean) => void
}) {
  const [asTable, setTable] = useState(false)
  const shown = familiesOf(families)
  const isGroup = views.some(({ told }) => told.runs > 1)
  const cursor = useCursor([...new Set(shown.flatMap(({ percentiles }) => percentiles))].sort((a, b) => a - b))
  return (
    <section className={page.block} aria-label="Percentile curves">
      <div className={page.blockHead}>
        <h2>Percentile curves</h2>
        <p>{isGroup && 'A line of a group is the mean over its runs. '}Bands are 95 % CIs. A dashed line has no CI.</p>
        <span className={page.end}>
          <Key views={views} />
          {shown.length > 0 && (
            <Check isSelected={isLog} onChange={onLog}>
              logarithmic
            </Check>
          )}
          <IconButton
            icon="table"
            name={asTable ? 'Show the curves' : 'Show as a table'}
            aria-pressed={asTable}
            onPress={() => setTable(!asTable)}
          />
        </span>
      </div>
      {shown.length === 0 && <p className={css.quiet}>No side has percentiles of TTFT, TPOT, ITL or E2EL.</p>}
      {asTable ? (
        shown.map((family) => <Table key={family.key} family={family} views={views} />)
      ) : (
        <div className={css.curves}>
          {shown.map((family) => (
            <Curve key={family.key} family={family} views={views} isLog={isLog} cursor={cursor} />
          ))}
        </div>
      )}
    </section>
  )
}

interface Point {
  x: number
  y: number
  low: number | null
  high: number | null
  text: string
}

function Curve({
  family,
  views,
  isLog,
  cursor,
}: {
  family: ComparedFamily
  views: SideView[]
  isLog: boolean
  cursor: Cursor
}) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 400)
  const form = formOf(family)
  const places = family.percentiles.map((percentile) => deviate(percentile / 100))
  const [first = 0, last = 1] = [places[0], places.at(-1)]
  const axis = axisOf(
    family.sides.flatMap(({ value }) => value).filter(isThere),
    family.sides.flatMap(({ low, high }) => [...low, ...high]).filter(isThere),
    isLog,
  )
  const toX = (at: number) => BOX.left + ((at - first) / (last - first || 1)) * (width - BOX.left - BOX.right)
  const toY = (value: number) => HIGH - BOX.bottom - axis.share(value) * (HIGH - BOX.top - BOX.bottom)
  const placeX = (percentile: number) => toX(deviate(percentile / 100))
  const points = family.sides.map(({ value, low, high, n }, side) =>
    value.flatMap((one, i): Point[] =>
      one === null
        ? []
        : [
            {
              x: toX(places[i] ?? 0),
              y: toY(one),
              low: low[i] == null ? null : toY(low[i]),
              high: high[i] == null ? null : toY(high[i]),
              text: `${views[side]?.letter ?? ''} p${family.percentiles[i]}: ${showNumber(one, form)} ${form.unit}${low[i] == null || high[i] == null ? '' : ` (${showNumber(low[i], form)} – ${showNumber(high[i], form)})`}, ${n[i]} ${n[i] === 1 ? 'run' : 'runs'}`,
            },
          ],
    ),
  )
  const ticks = tickWords(axis.ticks, form, axis)
  const read = cursor.places[cursor.at ?? cursor.places.length - 1] ?? 0
  const i = family.percentiles.indexOf(read)
  const spots = family.sides.map(({ value }) => (value[i] == null ? null : { x: placeX(read), y: toY(value[i]) }))
  const texts = family.sides.map(({ value }) => (value[i] == null ? null : join(showNumber(value[i], form), form.unit)))
  return (
    <figure>
      <figcaption>
        {family.title}{' '}
        <span>
          {form.unit}, lower is better{isLog && axis.refused > 0 && `. ${refusedText(axis.refused)}`}
        </span>
      </figcaption>
      <CursorArea
        host={host}
        cursor={cursor}
        toX={placeX}
        said={saidOf(`p${read}`, texts, views)}
        label={`${family.label} by percentile, ${views.length} sides; the table has the values`}
      >
        <svg width={width} height={HIGH} viewBox={`0 0 ${width} ${HIGH}`} aria-hidden="true">
          {axis.ticks.map((tick, i) => (
            <g key={tick}>
              <path
                d={`M${BOX.left} ${toY(tick)}H${width - BOX.right}`}
                stroke={tick === 0 ? 'var(--axis)' : 'var(--grid)'}
              />
              <text className={css.tick} data-end x={BOX.left - 6} y={toY(tick) + 4}>
                {ticks[i]}
              </text>
            </g>
          ))}
          {LABELLED.map((percentile) => ({ percentile, x: placeX(percentile) }))
            .filter(({ x }) => x >= BOX.left - 1 && x <= width - BOX.right + 1)
            .map(({ percentile, x }) => (
              <g key={percentile}>
                <path d={`M${x} ${HIGH - BOX.bottom}v3`} stroke="var(--axis)" />
                <text className={css.tick} x={x} y={HIGH - 22}>
                  {percentile}
                </text>
              </g>
            ))}
          <text className={css.tick} x={(BOX.left + width - BOX.right) / 2} y={HIGH - 5}>
            percentile
          </text>
          {points.map((of, at) => (
            <path key={at} d={bandOf(of)} fill={colourOf(at)} opacity=".16" />
          ))}
          {points.map((of, at) => (
            <g key={at}>
              {of.slice(1).map((point, i) => (
                <path
                  key={i}
                  d={`M${of[i]?.x ?? 0} ${of[i]?.y ?? 0}L${point.x} ${point.y}`}
                  stroke={colourOf(at)}
                  strokeWidth="1.5"
                  strokeDasharray={point.low === null ? '2 3' : undefined}
                />
              ))}
            </g>
          ))}
          {points.map((of, at) => (
            <g key={at} data-side={views[at]?.letter}>
              {of.map((point, i) => (
                <g key={i}>
                  <title>{point.text}</title>
                  <MarkPath
                    at={at}
                    x={point.x}
                    y={point.y}
                    look={point.low === null ? 'dashed' : 'filled'}
                    scale={0.7}
                  />
                </g>
              ))}
            </g>
          ))}
          {cursor.at !== null && i >= 0 && (
            <CursorLine x={placeX(read)} top={BOX.top} bottom={HIGH - BOX.bottom} spots={spots} />
          )}
        </svg>
      </CursorArea>
      <Read place={`p${read}`} texts={texts} views={views} isShown={cursor.at !== null} />
    </figure>
  )
}

const isThere = (one: number | null): one is number => one !== null

// Pieces between neighbours that both have an interval.
function bandOf(points: Point[]) {
  return points
    .slice(1)
    .map((b, i) => {
      const a = points[i]
      return !a || a.low === null || a.high === null || b.low === null || b.high === null
        ? ''
        : `M${a.x} ${a.low}L${b.x} ${b.low}L${b.x} ${b.high}L${a.x} ${a.high}Z`
    })
    .join('')
}

function Table({ family, views }: { family: ComparedFamily; views: SideView[] }) {
  const form = formOf(family)
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label={`${family.title} table`}
      aria-description="Scrolls sideways"
    >
      <table className={join(page.rows, css.percentiles)}>
        <thead>
          <tr>
            <th scope="col">
              {family.title} <span className="dim">{form.unit}</span>
            </th>
            {views.map(({ letter }) => (
              <th key={letter} scope="col" className={page.num}>
                {letter}
              </th>
            ))}
            {views.map(({ letter }) => (
              <th key={letter} scope="col" className={page.num}>
                {letter}, 95 % CI
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {family.percentiles.map((percentile, i) => (
            <tr key={percentile}>
              <th scope="row">p{percentile}</th>
              {family.sides.map(({ value }, at) => (
                <td key={at} className={page.num}>
                  {value[i] == null ? NOT_RECORDED : <Figure value={value[i]} form={form} />}
                </td>
              ))}
              {family.sides.map(({ low, high }, at) => (
                <td key={at} className={join(page.num, 'mid')}>
                  {low[i] == null || high[i] == null
                    ? NOT_RECORDED
                    : `${showNumber(low[i], form)} – ${showNumber(high[i], form)}`}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
