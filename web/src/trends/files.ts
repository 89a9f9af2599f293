// Exports of the list of verdicts. CSV has a line per change, and one per series without a change; both have full
// precision.
import type { Regressions } from '../api/types'
import { csvText, stamp } from '../format/csv'
import { shownChanges } from './model'

export interface Shown {
  answer: Regressions & { at: number; request: unknown }
  link: string
}

const HEAD = [
  'series',
  'metric',
  'unit',
  'configuration',
  'state',
  'direction',
  'run_count',
  'host_count',
  'missing_count',
  'change',
  'from',
  'to',
  'median_before',
  'median_after',
  'ratio',
  'low',
  'high',
  'p',
  'q',
  'delta',
  'decision',
  'incident',
  'runs_for_5_percent',
] as const

export function csvOf({ answer, link }: Shown) {
  const rows = answer.series.flatMap((one) => {
    const start = [
      one.key,
      one.metric,
      one.unit,
      one.label,
      one.state,
      one.trend,
      one.run_count,
      one.host_count,
      one.missing_count,
    ]
    const power = one.power.find(({ effect }) => Math.abs(effect - 0.05) < 1e-9)?.points_count
    const changes = shownChanges(one)
    if (changes.length === 0) return [[...start, ...HEAD.slice(start.length, -1).map(() => null), power]]
    return changes.map((change) => [
      ...start,
      change.state,
      change.from_label,
      change.to_label,
      change.before.median,
      change.after.median,
      change.ratio,
      change.low,
      change.high,
      change.p,
      change.q,
      change.delta,
      change.decision,
      change.incident,
      power,
    ])
  })
  const notes = [
    `ProfLLM verdicts, data version ${answer.data_version}, analysis version ${answer.analysis_version}, ${answer.mode}, ${stamp(answer.at)}`,
    link,
    ...(answer.total > answer.series.length ? [`${answer.series.length} of ${answer.total} series`] : []),
  ]
  return csvText(notes, HEAD, rows)
}

export function jsonOf({ answer: { at, request, ...answer }, link }: Shown) {
  return `${JSON.stringify({ made: stamp(at), link, request, ...answer }, null, 2)}\n`
}
