// Startup side by side: the time of each phase, on one axis from the start of the process.
import { useRef } from 'react'

import { PHASES, phaseName } from '../fields/phases'
import { showNumber } from '../format/number'
import { join } from '../ui/controls'
import page from '../ui/page.module.css'
import { useWidth } from '../ui/use-width'
import { Nothing } from '../ui/verdict'
import css from './compare.module.css'
import { colourOf } from './mark'
import { type MetricView, missingText, type SideView, ticksTo } from './model'

const LANE = 22
const LEFT = 28
const RIGHT = 12
const TICKS = 5
const NUMBERED_FROM = 16 // narrower pieces have no room for it

export const phasesOf = (details: MetricView[]) =>
  PHASES.flatMap((id) =>
    details.filter(({ told }) => told.field === id && told.sides.some(({ value }) => value !== null)),
  )

export function StartUp({ details, views }: { details: MetricView[] | null; views: SideView[] }) {
  const phases = details ? phasesOf(details) : []
  return (
    <section className={page.block} aria-label="Startup">
      <div className={page.blockHead}>
        <h2>Startup</h2>
        <p>Seconds since the process started; each segment ends when its numbered phase is reached</p>
      </div>
      {details && phases.length === 0 && <p className={css.quiet}>No side recorded its startup.</p>}
      {phases.length > 0 && <Lanes phases={phases} views={views} />}
      {phases.length > 0 && (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Startup table"
          aria-description="Scrolls sideways"
        >
          <table className={join(page.rows, css.sided)}>
            <thead>
              <tr>
                <th scope="col">Phase</th>
                {views.map(({ letter }) => (
                  <th key={letter} scope="col">
                    {letter}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {phases.map(({ told, field, form }, i) => (
                <tr key={told.field}>
                  <th scope="row" title={`${told.field}\n${field.help}`}>
                    <span className={css.number}>{i + 1}</span> {phaseName(told.field)}
                  </th>
                  {told.sides.map((figure, at) => (
                    <td key={at} className={page.val} title={missingText(figure)}>
                      {figure.value === null ? (
                        <Nothing of={undefined} />
                      ) : (
                        <>
                          {showNumber(figure.value, form)} <span className="dim">{form.unit}</span>
                        </>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

// A lane per side, with a segment between two neighboring phases.
function Lanes({ phases, views }: { phases: MetricView[]; views: SideView[] }) {
  const host = useRef<HTMLDivElement>(null)
  const width = useWidth(host, 900)
  const last = Math.max(...phases.flatMap(({ told }) => told.sides.map(({ value }) => value ?? 0))) || 1
  const toX = (seconds: number) => LEFT + (seconds / last) * (width - LEFT - RIGHT)
  const high = views.length * LANE + 20
  return (
    <div ref={host} className={css.lanes}>
      <svg
        width={width}
        height={high}
        viewBox={`0 0 ${width} ${high}`}
        role="img"
        aria-label="Startup of each side on one axis of seconds; the table has the values"
      >
        {ticksTo(last, TICKS).map((tick) => (
          <g key={tick}>
            <path d={`M${toX(tick)} 0V${high - 18}`} stroke="var(--grid)" />
            <text className={css.tick} x={toX(tick)} y={high - 4}>
              {tick} s
            </text>
          </g>
        ))}
        {views.map(({ letter, at }) => {
          const reached = phases
            .flatMap(({ told }, i) =>
              told.sides[at]?.value == null
                ? []
                : [{ seconds: told.sides[at].value, name: phaseName(told.field), number: i + 1 }],
            )
            .sort((a, b) => a.seconds - b.seconds)
          return (
            <g key={letter} transform={`translate(0 ${at * LANE})`}>
              <text className={css.laneName} x="4" y="15">
                {letter}
              </text>
              {reached.map(({ seconds, name, number }, i) => {
                const from = toX(i === 0 ? 0 : (reached[i - 1]?.seconds ?? 0))
                const wide = Math.max(0.5, toX(seconds) - from - 1)
                return (
                  <g key={name}>
                    <title>{`${letter}: ${name} after ${seconds.toFixed(2)} s`}</title>
                    <rect
                      x={from}
                      y="4"
                      width={wide}
                      height={LANE - 8}
                      fill={colourOf(at)}
                      opacity={number % 2 ? 0.5 : 0.25}
                    />
                    {wide >= NUMBERED_FROM && (
                      <text className={css.pieceName} x={from + wide / 2} y={LANE - 7.5}>
                        {number}
                      </text>
                    )}
                  </g>
                )
              })}
            </g>
          )
        })}
      </svg>
    </div>
  )
}
