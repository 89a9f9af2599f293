// The two bounds of a range as numbers, and as the server reads them.
import type { Scalar } from '../api/types'
import type { Choice } from './model'

export type Ends = [low: number | null, high: number | null] // null: no bound

const asNumber = (end: Scalar | null | undefined) =>
  end === 'inf' ? Infinity : end === '-inf' ? -Infinity : typeof end === 'number' ? end : null
const asScalar = (end: number | null): Scalar | null =>
  end === null || Number.isFinite(end) ? end : end > 0 ? 'inf' : '-inf'

export const endsOf = (choice: Choice | undefined): Ends => [asNumber(choice?.range?.[0]), asNumber(choice?.range?.[1])]
export const isReversed = ([low, high]: Ends) => low !== null && high !== null && low > high

export function withEnds(choice: Choice | undefined, ends: Ends): Choice {
  const { range: _, ...rest } = choice ?? {}
  return ends[0] === null && ends[1] === null ? rest : { ...rest, range: [asScalar(ends[0]), asScalar(ends[1])] }
}
