// Percentile curves of the selected requests. The axis gives each further nine the same room.
import { type KeyboardEvent, memo, useRef, useState } from 'react'

import type { RequestPage } from '../api/types'
import { count, formOfUnit, shortNumber, showNumber } from '../format/number'
import { evenTicks } from '../format/ticks'
import { moved } from '../ui/cursor'
import page from '../ui/page.module.css'
import { useWidth } from '../ui/use-width'
import { Nothing } from '../ui/verdict'
import css from './requests.module.css'

type Curve = NonNullable<RequestPage['curve']>

const HIGH = 150
const BOX = { left: 46, right: 12, top: 8, bottom: 22 }
const NAMES: Record<string, string> = {
  ttft_ms: 'TTFT',
  tpot_ms: 'TPOT',
  itl_ms: 'ITL',
  e2el_ms: 'E2EL',
}
const TICKS = [50, 90, 99, 99.9, 99.99]
const SHOWN = [1, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100] // of the table
const MAX_AFTER = 1.06 // place of the maximum, which has no percentile beyond it

export const nines = (percent: number) => -Math.log10(1 - percent / 100)

const nameOf = (percent: number) => (percent === 0 ? 'min' : percent === 100 ? 'max' : `p${percent}`)

export const Curves = memo(function Curves({ curve }: { curve: Curve }) {
  const [at, setAt] = useState<number | null>(null)
  const { percentiles, metrics } = curve
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const next = moved(event.key, at, percentiles.length - 1)
    if (next === undefined) return
    setAt(next)
    event.preventDefault()
    event.stopPropagation()
  }
  const percent = at === null ? undefined : percentiles[at]
  const said =
    percent === undefined || at === null
      ? 'no position; use the arrow keys to move the cursor'
      : `${nameOf(percent)}: ${metrics
          .map(({ id, values }) => {
            const value = values[at]
            return `${NAMES[id] ?? id} ${value == null ? 'no value' : `${showNumber(value, formOfUnit('ms', values))} ms`}`
          })
          .join(', ')}`
  return (
    <div
      className={css.curves}
      role="slider"
      tabIndex={0}
      aria-label="Percentile curves"
      aria-description="Arrow keys move the cursor"
      aria-valuemin={0}
      aria-valuemax={percentiles.length - 1}
      aria-valuenow={at ?? 0}
      aria-valuetext={said}
      onKeyDown={press}
      onBlur={() => setAt(null)}
      onPointerLeave={() => setAt(null)}
    >
      {metrics.map((metric) => (
        <CurvePlot key={metric.id} {...{ metric, percentiles, at, onAt: setAt }} />
      ))}
    </div>
  )
})

interface PlotProps {
  metric: Curve['metrics'][number]
  percentiles: number[]
  at: number | null
  onAt: (at: number | null) => void
}

function CurvePlot({ metric: { id, count: samples, values }, percentiles, at, onAt }: PlotProps) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 260)
  const numbers = values.filter((value) => value !== null)
  const top = evenTicks(0, Math.max(0, ...numbers), 3).max || 1
  const ends = percentiles.map((percent, i) => (values[i] == null || percent === 100 ? 0 : nines(percent)))
  const last = Math.max(1, ...ends)
  const form = formOfUnit('ms', [...values, top])
  const toX = (percent: number) =>
    BOX.left + (percent === 100 ? 1 : nines(percent) / (last * MAX_AFTER)) * Math.max(1, width - BOX.left - BOX.right)
  const toY = (value: number) => HIGH - BOX.bottom - (value / top) * (HIGH - BOX.top - BOX.bottom)
  const points = percentiles.flatMap((percent, i) => {
    const value = values[i]
    return value == null ? [] : [`${toX(percent).toFixed(1)} ${toY(value).toFixed(1)}`]
  })
  const value = at === null ? null : values[at]
  const percent = at === null ? undefined : percentiles[at]
  const pick = (x: number) =>
    percentiles.reduce((best, _, i) => {
      const distance = (place: number) => Math.abs(toX(percentiles[place] ?? 0) - x)
      return values[i] != null && distance(i) < distance(best) ? i : best
    }, 0)
  return (
    <figure className={css.curve} data-curve={id}>
      <figcaption>
        <b>{NAMES[id] ?? id}</b>{' '}
        <span>
          ms, {count(samples)} {id === 'itl_ms' ? 'gaps' : 'requests'}
        </span>
        <span className={css.value}>
          {percent !== undefined && `${nameOf(percent)} ${value == null ? '–' : showNumber(value, form)}`}
        </span>
      </figcaption>
      <div
        ref={host}
        onPointerMove={({ clientX, currentTarget }) => onAt(pick(clientX - currentTarget.getBoundingClientRect().left))}
      >
        {points.length === 0 ? (
          <p className={css.quiet}>No samples.</p>
        ) : (
          <svg width={width} height={HIGH} viewBox={`0 0 ${width} ${HIGH}`} aria-hidden="true">
            {[0, top / 2, top].map((tick) => (
              <g key={tick}>
                <path
                  d={`M${BOX.left} ${toY(tick)}H${width - BOX.right}`}
                  stroke={tick === 0 ? 'var(--axis)' : 'var(--grid)'}
                />
                {tick !== top / 2 && (
                  <text className={css.tick} data-end x={BOX.left - 6} y={toY(tick) + 4}>
                    {shortNumber(tick, form)}
                  </text>
                )}
              </g>
            ))}
            {TICKS.filter((tick) => nines(tick) <= last).map((tick) => (
              <text key={tick} className={css.tick} x={Math.min(toX(tick), width - 16)} y={HIGH - 6}>
                p{tick}
              </text>
            ))}
            <path d={`M${points.join('L')}`} stroke="var(--s1)" strokeWidth="1.5" fill="none" />
            {percent !== undefined && (
              <path d={`M${toX(percent)} ${BOX.top}V${HIGH - BOX.bottom}`} stroke="var(--text-2)" />
            )}
            {percent !== undefined && value != null && (
              <circle cx={toX(percent)} cy={toY(value)} r="3" fill="var(--s1)" />
            )}
          </svg>
        )}
      </div>
    </figure>
  )
}

export function CurveTable({ curve: { percentiles, metrics } }: { curve: Curve }) {
  const forms = metrics.map(({ values }) => formOfUnit('ms', values))
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label="Percentiles table"
      aria-description="Scrolls sideways"
    >
      <table className={page.rows}>
        <thead>
          <tr>
            <th scope="col">Percentile</th>
            {metrics.map(({ id }) => (
              <th key={id} scope="col" className={page.num}>
                {NAMES[id] ?? id}, ms
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {SHOWN.map((percent) => {
            const at = percentiles.indexOf(percent)
            return (
              <tr key={percent}>
                <th scope="row">{nameOf(percent)}</th>
                {metrics.map(({ id, values }, i) => {
                  const value = values[at]
                  const form = forms[i]
                  return (
                    <td key={id} className={page.num}>
                      {value == null || !form ? <Nothing of={undefined} /> : showNumber(value, form)}
                    </td>
                  )
                })}
              </tr>
            )
          })}
          <tr>
            <th scope="row">Samples</th>
            {metrics.map(({ id, count: samples }) => (
              <td key={id} className={page.num}>
                {count(samples)}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  )
}
