// Exports of the configurations: full precision, with a header that says where they are from.
import type { Pareto } from '../api/types'
import { csvText, stamp } from '../format/csv'
import type { Configuration } from './model'

export interface Shown {
  answer: Pareto & { at: number; request: unknown }
  all: Configuration[]
  group: string // field; '' if there is one frontier
  link: string
}

export function csvOf({ answer, all, group, link }: Shown) {
  const head = [
    'configuration',
    ...(group ? [group] : []),
    'ids',
    'run_count',
    ...answer.metrics.flatMap(({ field }) => [field, `${field} low`, `${field} high`]),
    'frontier',
    'membership',
    'share',
    'knee',
  ]
  const rows = all.map(({ full, group: { full: of }, point }) => [
    full,
    ...(group ? [of] : []),
    point.ids.join(' '),
    point.ids.length,
    ...point.values.flatMap(({ mean, low, high }) => [mean, low, high]),
    point.frontier,
    point.membership,
    point.share,
    point.knee,
  ])
  return csvText([`ProfLLM frontier, data version ${answer.data_version}, ${stamp(answer.at)}`, link], head, rows)
}

export function jsonOf({ answer: { at, request, ...answer }, link }: Shown) {
  return `${JSON.stringify({ made: stamp(at), link, request, ...answer }, null, 2)}\n`
}
