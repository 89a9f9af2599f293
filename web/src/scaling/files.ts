// Exports of the sizes: full precision, with a header that says where they are from.
import type { Scaling } from '../api/types'
import { csvText, stamp } from '../format/csv'
import { layoutOf, placedOf } from './model'

export interface Shown {
  answer: Scaling & { at: number; request: unknown }
  link: string
}

const INTERVAL = ['low', 'high']

// One row per point.
export function csvOf({ answer, link }: Shown) {
  const numbers = [
    answer.metric.field,
    'per_gpu',
    'speedup',
    'efficiency',
    'gain',
    ...answer.panels.map(({ field }) => field),
  ]
  const head = [
    'line',
    answer.axis,
    'layout',
    'on_line',
    'ids',
    'run_count',
    'gpus',
    'gpus_source',
    'ideal',
    ...numbers.flatMap((name) => [name, ...INTERVAL.map((end) => `${name} ${end}`)]),
    'pays',
  ]
  const rows = placedOf(answer).map(({ line, point }) => [
    line.label,
    point.size,
    layoutOf(point),
    point.on_line,
    point.ids.join(' '),
    point.ids.length,
    point.gpus,
    point.gpus_source,
    point.ideal,
    ...[point.value, point.per_gpu].flatMap(({ mean, low, high }) => [mean, low, high]),
    ...[point.speedup, point.efficiency, point.gain].flatMap(({ value, low, high }) => [value, low, high]),
    ...point.panels.flatMap(({ mean, low, high }) => [mean, low, high]),
    point.pays,
  ])
  const note = `ProfLLM scaling of ${answer.metric.field}, data version ${answer.data_version}, ${stamp(answer.at)}`
  return csvText([note, link], head, rows)
}

export function jsonOf({ answer: { at, request, ...answer }, link }: Shown) {
  return `${JSON.stringify({ made: stamp(at), link, request, ...answer }, null, 2)}\n`
}
