// Annotations on the axis of a chart: the first run that is not before them. An annotation that is restricted to the
// value of a field belongs only to lines with a run that has this value.
import { useMemo } from 'react'

import { useLinesWith } from '../api/trends'
import type { Annotation, TrendsRequest } from '../api/types'

interface Placed {
  time: string | null
  version: string | null
}

export interface Flag {
  index: number
  number: number // in the list of annotations, from 1
  lines?: ReadonlySet<string> | null | undefined // keys; undefined: it belongs to the axis; null: not known yet
}

export type LinesOf = (annotation: Annotation) => ReadonlySet<string> | null | undefined

export const isRestricted = ({ field, value }: Annotation) => field !== null && value !== null

// The lines of each restricted annotation; undefined of the others.
export function useLinesOf(annotations: Annotation[], request: TrendsRequest | null, round: number): LinesOf {
  const restricted = useMemo(() => annotations.filter(isRestricted), [annotations])
  const found = useLinesWith(
    request,
    restricted.map(({ field, value }) => ({ field: field ?? '', value: value ?? '' })),
    round,
  )
  return useMemo(() => {
    const lines = new Map(restricted.map(({ id }, i) => [id, found[i] ?? null]))
    return ({ id }) => lines.get(id)
  }, [restricted, found])
}

// Returns the flags of one series: those of the axis, and those restricted to lines that include it.
export function flagsOf(annotations: Annotation[], points: Placed[], linesOf: LinesOf, key: string): Flag[] {
  return annotations.flatMap((one, i) => {
    const lines = linesOf(one)
    if (lines !== undefined && !lines?.has(key)) return []
    const when = one.at_time == null ? NaN : Date.parse(one.at_time)
    const index =
      one.version != null
        ? points.findIndex(({ version }) => version === one.version)
        : points.findIndex(({ time }) => time !== null && Date.parse(time) >= when)
    return index < 0 ? [] : [{ index, number: i + 1 }]
  })
}
