// Telemetry of a run so far on one axis, as a drawing or in numbers.
import { useMemo, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'

import type { LiveHistory, LiveRun } from '../api/types'
import { formOfUnit, showNumber } from '../format/number'
import type { Lane } from '../series/lanes'
import { LanesPlot } from '../series/lanes-plot'
import plot from '../series/lanes-plot.module.css'
import { Button, join, Segment } from '../ui/controls'
import page from '../ui/page.module.css'
import { readTimeline, type TimelineState, writeTimeline } from '../url/timeline'
import css from './live.module.css'
import { axisEnd, lanesOf, measuredOf, phasesOf } from './lanes'

interface Props {
  points: LiveHistory
  snapshot: LiveRun
  isReporting: boolean
}

export function Timeline({ points, snapshot, isReporting }: Props) {
  const search = useSearch()
  const [place, navigate] = useLocation()
  const state = useMemo(() => readTimeline(search), [search])
  const set = (change: Partial<TimelineState>) => {
    const query = writeTimeline({ ...state, ...change }, window.location.search)
    navigate(`${place}${query ? `?${query}` : ''}${window.location.hash}`, {
      replace: true,
      state: history.state as unknown,
    })
  }
  const lanes = useMemo(() => lanesOf(points, snapshot.interval_s), [points, snapshot.interval_s])
  const phases = phasesOf(snapshot)
  const end = useRef(0)
  end.current = axisEnd(snapshot, end.current)
  const bounds: [number, number] = [0, Math.max(end.current, points.t_s.at(-1) ?? 0)]
  const range: [number, number] = state.range && state.range[1] > 0 && state.range[0] < bounds[1] ? state.range : bounds
  return (
    <section className={page.block} id="timeline" aria-label="Timeline">
      <div className={page.blockHead}>
        <h2>Timeline</h2>
        <p>0 s is the start of the run.</p>
        {lanes.length > 0 && (
          <span className={page.end}>
            {range !== bounds && <Button onPress={() => set({ range: null })}>Show whole run</Button>}
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
      {lanes.length === 0 && <p className={css.quiet}>No values yet.</p>}
      {lanes.length > 0 && !state.isTable && (
        <LanesPlot
          lanes={lanes}
          range={range}
          bounds={bounds}
          run={measuredOf(phases)}
          phases={phases.filter(({ name }) => name !== 'measuring')}
          mark={null}
          isZoomed={range !== bounds}
          isBusy={false}
          isLive
          isExpected={isReporting}
          onRange={(next) => set({ range: next })}
        />
      )}
      {lanes.length > 0 && state.isTable && <Numbers lanes={lanes} range={range} />}
    </section>
  )
}

function Numbers({ lanes, range: [from, to] }: { lanes: Lane[]; range: [number, number] }) {
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label="Timeline table"
      aria-description="Scrolls sideways"
    >
      <table className={page.rows}>
        <caption className={plot.quiet}>
          From {Math.floor(Math.max(0, from))} s to {Math.ceil(to)} s.
        </caption>
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">Definition</th>
            {['Latest', 'Mean', 'Min', 'Max'].map((word) => (
              <th key={word} scope="col" className={page.num}>
                {word}
              </th>
            ))}
            <th scope="col">Unit</th>
          </tr>
        </thead>
        <tbody>
          {lanes.flatMap(({ title, unit, lines }) =>
            lines.map(({ key, name, sampled, t, values }) => {
              const found = values.filter((value, i) => value !== null && (t[i] ?? 0) >= from && (t[i] ?? 0) <= to)
              const numbers = found.filter((value) => value !== null)
              const form = formOfUnit(unit, numbers)
              const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length
              const cells = numbers.length
                ? [numbers.at(-1) ?? 0, mean, Math.min(...numbers), Math.max(...numbers)].map((value) =>
                    showNumber(value, form),
                  )
                : ['–', '–', '–', '–']
              return (
                <tr key={key}>
                  <th scope="row">{join(title, name && `: ${name}`).replace(' :', ':')}</th>
                  <td className={join(page.text, 'mid')}>{sampled.text}</td>
                  {cells.map((cell, i) => (
                    <td key={i} className={page.num}>
                      {cell}
                    </td>
                  ))}
                  <td className="dim">{form.unit}</td>
                </tr>
              )
            }),
          )}
        </tbody>
      </table>
    </div>
  )
}
