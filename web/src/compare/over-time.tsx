// Telemetry of all sides during the load, on one axis from the start of the measured runs.
import { useRef, useState } from 'react'

import { causeOf } from '../api/client'
import { useSeries } from '../api/queries'
import type { Experiment, SeriesBins } from '../api/types'
import { type Form, formOfUnit, showNumber } from '../format/number'
import { tickWords } from '../format/ticks'
import { gapAfter, type Line, linePath, sampleAt } from '../series/samples'
import { Check, join, Note, Select } from '../ui/controls'
import page from '../ui/page.module.css'
import { useWidth } from '../ui/use-width'
import { axisOf, refusedText } from './axis'
import css from './compare.module.css'
import { Key } from './curves'
import { CursorArea, CursorLine, Read, saidOf, useCursor } from './cursor'
import { colourOf } from './mark'
import { type SideView, ticksTo } from './model'

const HIGH = 220
const BOX = { left: 56, right: 14, top: 10, bottom: 24 }
const FIRST = ['load in_flight', 'gpu utilization', 'gpu power_w', 'server_metrics kv_cache_usage']
const SOURCES: Record<string, string> = {
  load: 'load',
  gpu: 'GPU',
  host: 'host',
  server: 'server',
  client: 'client',
  server_metrics: 'server’s metrics',
}

type Sampled = SeriesBins['series'][number]
const keyOf = ({ source, name }: Sampled) => `${source} ${name}`
const wordsOf = ({ source, text }: Sampled) => `${SOURCES[source] ?? source}: ${text}`

// The measured interval by the clock of the time series; null if the document does not record it.
function measuredOf(experiment: Experiment | undefined) {
  const [from, to] = ['begin', 'end'].map((end) => experiment?.fields[`series.measured_${end}_ns`]?.value)
  return experiment && typeof from === 'number' && typeof to === 'number' && to > from
    ? { id: experiment.id, from, to }
    : null
}

export function OverTime({
  views,
  isLog,
  onLog,
}: {
  views: SideView[]
  isLog: boolean
  onLog: (isLog: boolean) => void
}) {
  const [chosen, setChosen] = useState<string | null>(null)
  const asked = useSeries(views.map(({ experiment }) => measuredOf(experiment)))
  const all = new Map(asked.flatMap(({ data }) => data?.series ?? []).map((one) => [keyOf(one), one]))
  const key = chosen !== null && all.has(chosen) ? chosen : (FIRST.find((one) => all.has(one)) ?? [...all.keys()][0])
  const shown = key === undefined ? undefined : all.get(key)
  const isSettled = asked.every(({ isLoading }) => !isLoading)
  const missing = views.filter((_, at) => !asked[at]?.data?.series.some((one) => keyOf(one) === key))
  const failed = asked.find(({ error }) => error !== null)?.error
  return (
    <section className={page.block} aria-label="Over time">
      <div className={page.blockHead}>
        <h2>Over time</h2>
        <p>Time since the start of the measurement; mean over GPUs</p>
        {shown && (
          <span className={page.end}>
            <Key views={views} />
            <Check isSelected={isLog} onChange={onLog}>
              logarithmic
            </Check>
            <Select
              label="Metric over time"
              value={key ?? ''}
              onChange={setChosen}
              options={[...all].map(([one, sampled]) => [one, wordsOf(sampled)])}
            />
          </span>
        )}
      </div>
      {failed && (
        <Note kind="warn" role="alert">
          <b>Could not load the telemetry.</b> {causeOf(failed)}
        </Note>
      )}
      {shown && <Lines shown={shown} bins={asked.map(({ data }) => data)} views={views} isLog={isLog} />}
      {isSettled && missing.length > 0 && <p className={css.foot}>{missingText(missing)}</p>}
    </section>
  )
}

const listed = (views: SideView[]) => views.map(({ letter }) => letter).join(', ')

function missingText(missing: SideView[]) {
  const [single, groups] = [
    missing.filter(({ told }) => told.runs === 1),
    missing.filter(({ told }) => told.runs !== 1),
  ]
  return [
    single.length > 0 && `No telemetry was uploaded with ${listed(single)}.`,
    groups.length > 0 && `Groups have no telemetry: ${listed(groups)}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

const timeText = (seconds: number) => `${Number(seconds.toPrecision(4))} s`

function Lines({
  shown,
  bins,
  views,
  isLog,
}: {
  shown: Sampled
  bins: (SeriesBins | undefined)[]
  views: SideView[]
  isLog: boolean
}) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 1000)
  const lists = bins.map((of): Line => {
    const one = of?.series.find((series) => keyOf(series) === keyOf(shown))
    const t = of?.t_s ?? []
    return { t, values: one?.values ?? [], gap: gapAfter(one?.interval_s ?? null, t) }
  })
  const numbers = lists.flatMap(({ values }) => values).filter((one): one is number => one !== null)
  const form = formOfUnit(shown.unit, numbers)
  const axis = axisOf(numbers, [], isLog)
  const last = Math.max(...lists.map(({ t, values }) => (values.length ? (t.at(-1) ?? 0) + (t[0] ?? 0) : 0))) || 1
  const toX = (seconds: number) => BOX.left + (seconds / last) * (width - BOX.left - BOX.right)
  const toY = (value: number) => HIGH - BOX.bottom - axis.share(value) * (HIGH - BOX.top - BOX.bottom)
  const ticks = tickWords(axis.ticks, form, axis)
  const cursor = useCursor(
    [...new Set(lists.flatMap(({ t, values }) => t.filter((_, i) => values[i] != null)))].sort((a, b) => a - b),
  )
  const read = cursor.places[cursor.at ?? cursor.places.length - 1] ?? 0
  const found = lists.map((list) => ({ ...list, i: sampleAt(list, read) }))
  const spots = found.map(({ t, values, i }) => (values[i] == null ? null : { x: toX(t[i] ?? 0), y: toY(values[i]) }))
  const texts = found.map(({ values, i }) => (values[i] == null ? null : join(showNumber(values[i], form), form.unit)))
  return (
    <figure className={css.time}>
      <figcaption>
        {wordsOf(shown)}{' '}
        <span>
          {form.unit}
          {isLog && axis.refused > 0 && `. ${refusedText(axis.refused)}`}
        </span>
      </figcaption>
      <CursorArea
        host={host}
        cursor={cursor}
        toX={toX}
        said={saidOf(timeText(read), texts, views)}
        label={`${wordsOf(shown)} over time: ${views.map(({ letter }, at) => `${letter} ${rangeOf(lists[at]?.values ?? [], form)}`).join('; ')}`}
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
          {ticksTo(last, 6).map((tick) => (
            <text key={tick} className={css.tick} x={toX(tick)} y={HIGH - 6}>
              {tick} s
            </text>
          ))}
          {lists.map((list, at) => (
            <path
              key={views[at]?.letter}
              data-side={views[at]?.letter}
              d={linePath(list, toX, toY)}
              stroke={colourOf(at)}
              strokeWidth="1.5"
              fill="none"
            />
          ))}
          {cursor.at !== null && <CursorLine x={toX(read)} top={BOX.top} bottom={HIGH - BOX.bottom} spots={spots} />}
        </svg>
      </CursorArea>
      <Read place={timeText(read)} texts={texts} views={views} isShown={cursor.at !== null} />
    </figure>
  )
}

function rangeOf(values: (number | null)[], form: Form) {
  const there = values.filter((one): one is number => one !== null)
  return there.length === 0
    ? 'no values'
    : `${showNumber(Math.min(...there), form)} to ${showNumber(Math.max(...there), form)} ${form.unit}`
}
