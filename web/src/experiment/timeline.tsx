// Telemetry of one experiment over time: GPUs, host, server and requests on one axis.
import { useEffect, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'

import { causeOf } from '../api/client'
import { useTimeline } from '../api/queries'
import type { Experiment, SeriesBins } from '../api/types'
import { safeCell } from '../format/file_cell'
import { formOfUnit, showNumber } from '../format/number'
import { sourceOf } from '../series/lanes'
import { LanesPlot, secondsText } from '../series/lanes-plot'
import css from '../series/lanes-plot.module.css'
import { Act, Bone, Button, Check, join, Note, Segment } from '../ui/controls'
import page from '../ui/page.module.css'
import { save } from '../ui/save'
import { useWindowWidth } from '../ui/use-width'
import { Nothing } from '../ui/verdict'
import { Waiting } from '../ui/waiting'
import { readTimeline, type TimelineState, writeTimeline } from '../url/timeline'
import { measuredRun, rangeNs, seriesOf, timelineQuestion } from './asked'
import { useMarked } from './requests-marked'
import { binsWithin, FACTS, isHeld, keyOf, lanesOf, phasesOf, titleOf } from './timeline-lanes'

const CSV_TYPE = 'text/csv;charset=utf-8'

export function Timeline({ experiment, missing }: { experiment: Experiment; missing: string | null }) {
  const width = useWindowWidth()
  const search = useSearch()
  const [place, navigate] = useLocation()
  const state = useMemo(() => readTimeline(search), [search])
  const run = measuredRun(experiment)
  // in ns; without a measured run, the first sample
  const [origin, setOrigin] = useState<number | null>(run?.[0] ?? null)
  const set = (change: Partial<TimelineState>) => {
    const rest = new URLSearchParams(window.location.search)
    // another range has other requests
    if ('range' in change) rest.delete('rpage')
    const query = writeTimeline({ ...state, ...change }, rest.toString())
    navigate(`${place}${query ? `?${query}` : ''}${window.location.hash}`, {
      replace: true,
      state: history.state as unknown,
    })
  }
  const range = rangeNs(state.range, origin) && state.range
  const asked = useTimeline(experiment.id, missing === null ? timelineQuestion(state, origin, width) : null)
  const data = asked.data
  // a zoom shows the bins that are here at once
  const [fromNs, toNs] = rangeNs(state.range, origin) ?? [data?.begin_ns ?? 0, (data?.end_ns ?? 0) + 1]
  const drawn = useMemo(
    () => (data && asked.isPlaceholderData ? binsWithin(data, [fromNs, toNs]) : null) ?? data,
    [data, asked.isPlaceholderData, fromNs, toNs],
  )
  useEffect(() => {
    if (origin === null && data?.begin_ns != null) setOrigin(data.begin_ns)
  }, [origin, data])
  const zero = origin ?? data?.begin_ns ?? 0
  const seconds = (ns: number) => (ns - zero) / 1e9
  const shown: [number, number] | null = drawn ? [seconds(drawn.from_ns), seconds(drawn.to_ns)] : null
  const bounds: [number, number] | null =
    data?.begin_ns != null && data.end_ns != null ? [seconds(data.begin_ns), seconds(data.end_ns + 1)] : null
  const lanes = useMemo(
    () => (drawn ? lanesOf(drawn, (drawn.from_ns - zero) / 1e9, state.isAll) : []),
    [drawn, zero, state.isAll],
  )
  const phases = useMemo(() => phasesOf(experiment, zero), [experiment, zero])
  const measured: [number, number] | null = run && [seconds(run[0]), seconds(run[1])]
  const isRun =
    !!range && !!measured && Math.abs(range[0] - measured[0]) < 0.001 && Math.abs(range[1] - measured[1]) < 0.001
  const interval = experiment.fields['series.interval_ms']?.value
  const mark = useMarked(experiment.id, search, run)
  return (
    <section className={page.block} id="timeline" aria-label="Timeline">
      <div className={page.blockHead}>
        <h2>Timeline</h2>
        <p>
          {missing === null && shown && bounds
            ? join(
                typeof interval === 'number' && `Sampled every ${interval} ms.`,
                measured ? '0 s is the start of the measured run.' : '0 s is the first sample.',
              )
            : ''}
        </p>
        {missing === null && shown && bounds && (
          <span className={page.end}>
            {measured && (
              <Check isSelected={isRun} onChange={(on) => set({ range: on ? measured : null })}>
                Measured run only
              </Check>
            )}
            <Check isSelected={state.isAll} onChange={(isAll) => set({ isAll })}>
              All series
            </Check>
            {range && !isRun && <Button onPress={() => set({ range: null })}>Show whole recording</Button>}
            <Segment
              label="Timeline view"
              value={state.isTable ? 'table' : 'chart'}
              onChange={(to) => set({ isTable: to === 'table' })}
              options={[
                ['chart', 'Chart'],
                ['table', 'Table'],
              ]}
            />
          </span>
        )}
      </div>
      <div>
        {missing !== null && (
          <p className={css.quiet}>
            <bdi>{missing}</bdi> was not uploaded. Upload it with the result to see its timeline.
          </p>
        )}
        <Waiting queries={[asked]} />
        {asked.error && (
          <Note kind="warn" role="alert">
            <b>Could not load the telemetry.</b> {causeOf(asked.error)}{' '}
            <Act onPress={() => void asked.refetch()}>Retry</Act>
            {state.range && (
              <>
                {' '}
                <Act onPress={() => set({ range: null })}>Show whole recording</Act>
              </>
            )}
          </Note>
        )}
        {missing === null && !data && !asked.error && <Bone width={520} />}
        {data && bounds === null && <p className={css.quiet}>The telemetry file contains no samples.</p>}
        {data && shown && bounds && lanes.length === 0 && (
          <p className={css.quiet}>
            No samples were recorded in this time.{' '}
            {range && <Act onPress={() => set({ range: null })}>Show whole recording</Act>}
          </p>
        )}
        {data && shown && bounds && lanes.length > 0 && !state.isTable && (
          <LanesPlot
            lanes={lanes}
            range={shown}
            asked={range ?? bounds}
            bounds={bounds}
            run={measured}
            phases={phases}
            mark={mark}
            isZoomed={range !== null}
            isBusy={asked.isPlaceholderData}
            onRange={(next) => set({ range: next })}
          />
        )}
        {data && shown && bounds && lanes.length > 0 && state.isTable && (
          <Numbers experiment={experiment} data={data} zero={zero} isAll={state.isAll} />
        )}
      </div>
    </section>
  )
}

// The bins as a file: a row per bin.
function csvOf(data: SeriesBins, zero: number) {
  const heads = data.series.flatMap((one) =>
    ['mean', 'min', 'max'].map(
      (which) => `${keyOf(one)} ${isHeld(one) && which === 'mean' ? 'last' : which} (${one.unit})`,
    ),
  )
  const rows = data.t_s.map((t, i) => [
    Number(((data.from_ns - zero) / 1e9 + t).toFixed(6)),
    ...data.series.flatMap(({ values, min, max }) => [values[i], min[i], max[i]]),
  ])
  return [['time (s)', ...heads].map((head) => safeCell(head)), ...rows.map((row) => row.map((cell) => cell ?? ''))]
    .map((row) => `${row.join(',')}\r\n`)
    .join('')
}

// One row per series: what the shown time has in one bin.
function Numbers({
  experiment,
  data,
  zero,
  isAll,
}: {
  experiment: Experiment
  data: SeriesBins
  zero: number
  isAll: boolean
}) {
  const whole = useTimeline(experiment.id, { bins: 1, series: seriesOf(isAll), from: data.from_ns, to: data.to_ns })
  if (whole.error)
    return (
      <Note kind="warn" role="alert">
        <b>Could not load the numbers.</b> {causeOf(whole.error)} <Act onPress={() => void whole.refetch()}>Retry</Act>
      </Note>
    )
  if (!whole.data) return <Bone width={520} />
  const [from, to] = [(data.from_ns - zero) / 1e9, (data.to_ns - zero) / 1e9]
  const list = whole.data.series.filter((one) => !FACTS.has(keyOf(one)))
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label="Timeline table"
      aria-description="Scrolls sideways"
    >
      <table className={page.rows}>
        <caption className={css.quiet}>
          From {secondsText(from, to - from)} to {secondsText(to, to - from)}.{' '}
          <Act onPress={() => save(`experiment-${experiment.id}-timeline.csv`, csvOf(data, zero), CSV_TYPE)}>
            Download {data.t_s.length} bins (CSV)
          </Act>
        </caption>
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">Source</th>
            <th scope="col">Definition</th>
            <th scope="col" className={page.num}>
              Mean
            </th>
            <th scope="col" className={page.num}>
              Min
            </th>
            <th scope="col" className={page.num}>
              Max
            </th>
            <th scope="col">Unit</th>
          </tr>
        </thead>
        <tbody>
          {list.map((one) => {
            const form = formOfUnit(one.unit, [...one.min, ...one.max, ...one.values])
            const cell = (value: number | null | undefined) =>
              value == null ? <Nothing of={undefined} /> : showNumber(value, form)
            return (
              <tr key={keyOf(one)}>
                <th scope="row" title={keyOf(one)}>
                  {titleOf(one)}
                </th>
                <td className="mid">{sourceOf(one)}</td>
                <td className={join(page.text, 'mid')}>{one.text}</td>
                <td className={page.num}>{isHeld(one) ? '–' : cell(one.values[0])}</td>
                <td className={page.num}>{cell(one.min[0])}</td>
                <td className={page.num}>{cell(one.max[0])}</td>
                <td className="dim">{form.unit}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
