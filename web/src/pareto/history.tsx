// The frontier as of an earlier day or release: a slider, and which configurations have entered and left since.
import type { ParetoGroup } from '../api/types'
import { Act, Segment } from '../ui/controls'
import type { AsOf } from '../url/pareto'
import { configurations } from './model'
import css from './pareto.module.css'

interface Props {
  asOf: AsOf | null
  days: string[]
  releases: string[]
  groups: ParetoGroup[] | undefined // of now, with the moves since then; undefined: not known
  onChange: (asOf: AsOf | null) => void
}

export function History({ asOf, days, releases, groups, onChange }: Props) {
  const canDay = days.length > 1
  const canRelease = releases.length > 1
  if (!canDay && !canRelease) return null
  const byRelease = asOf === null ? !canDay : 'release' in asOf
  const stops = byRelease ? releases : days
  const stop = asOf === null ? undefined : 'release' in asOf ? asOf.release : asOf.until
  const found =
    stop === undefined ? stops.length - 1 : stops.findLastIndex((one) => (byRelease ? one === stop : one <= stop))
  const at = found < 0 ? 0 : found
  const isNow = at === stops.length - 1
  const words = isNow ? 'now' : byRelease ? `release ${stops[at] ?? ''}` : `the end of ${stops[at] ?? ''}`
  const set = (to: number) => {
    const next = stops[to]
    if (next === undefined || to === stops.length - 1) return onChange(null)
    onChange(byRelease ? { release: next } : { until: next })
  }
  const sum = (key: 'entered' | 'left') => groups?.reduce((all, group) => all + (group[key]?.length ?? 0), 0) ?? 0
  return (
    <section className={css.history} aria-label="History">
      <label>
        Frontier as of
        <input
          type="range"
          min={0}
          max={stops.length - 1}
          value={at}
          aria-valuetext={words}
          onChange={(event) => set(Number(event.target.value))}
        />
      </label>
      {canDay && canRelease && (
        <Segment
          label="Steps of the history"
          value={byRelease ? 'release' : 'day'}
          onChange={(to) => {
            const last = to === 'release' ? releases.at(-2) : days.at(-2)
            if (last !== undefined) onChange(to === 'release' ? { release: last } : { until: last })
          }}
          options={[
            ['day', 'Day'],
            ['release', 'Release'],
          ]}
        />
      )}
      <p role="status">
        <b>{words}</b>
        {!isNow && groups && (
          <>
            ; since then {configurations(sum('entered'))} entered and {sum('left')} left. The dashed line is the
            frontier now. <Act onPress={() => onChange(null)}>Show now</Act>
          </>
        )}
      </p>
    </section>
  )
}
