// Exports of the effects: full precision, with a header that says where they are from.
import type { Impact } from '../api/types'
import { csvText, stamp } from '../format/csv'

export interface Shown {
  answer: Impact & { at: number; request: unknown }
  link: string
}

const HEAD = [
  'inputs',
  'from',
  'to',
  'ratio',
  'low',
  'high',
  'method',
  'finding',
  'cell_count',
  'pair_count',
  'p',
  'q',
  'plain_ratio',
  'plain_from_count',
  'plain_to_count',
  'importance',
  'reason',
  'with',
]

// One row per contrast, then one per input without an effect.
export function csvOf({ answer, link }: Shown) {
  const rows = [
    ...answer.effects.flatMap((effect) =>
      effect.contrasts.map((one, at) => [
        effect.inputs.map(({ field }) => field).join(' '),
        one.from.length === 1 ? one.from[0] : one.from,
        one.to.length === 1 ? one.to[0] : one.to,
        one.ratio,
        one.low,
        one.high,
        one.method,
        at === 0 ? effect.finding : null,
        one.cell_count,
        one.pair_count,
        one.p,
        at === 0 ? effect.q : null,
        one.plain.ratio,
        one.plain.from_count,
        one.plain.to_count,
        at === 0 ? effect.importance : null,
        null,
        one.with.map(({ field }) => field).join(' '),
      ]),
    ),
    ...answer.rest.map((rest) => [
      rest.field,
      rest.from,
      rest.to,
      ...Array.from({ length: 9 }, () => null),
      rest.plain?.ratio,
      rest.plain?.from_count,
      rest.plain?.to_count,
      null,
      rest.reason,
      rest.with.map(({ field }) => field).join(' '),
    ]),
  ]
  const note = `ProfLLM effects of inputs on ${answer.metric.field}, data version ${answer.data_version}, ${stamp(answer.at)}`
  return csvText([note, link], HEAD, rows)
}

export function jsonOf({ answer: { at, request, ...answer }, link }: Shown) {
  return `${JSON.stringify({ made: stamp(at), link, request, ...answer }, null, 2)}\n`
}
