// Annotations on the axis of a chart: the first run that is not before them.
import type { Annotation } from '../api/types'

interface Placed {
  time: string | null
  version: string | null
}

export interface Flag {
  index: number
  number: number // in the list of annotations, from 1
}

export function flagsOf(annotations: Annotation[], points: Placed[]): Flag[] {
  return annotations.flatMap((one, i) => {
    const when = one.at_time == null ? NaN : Date.parse(one.at_time)
    const index =
      one.version != null
        ? points.findIndex(({ version }) => version === one.version)
        : points.findIndex(({ time }) => time !== null && Date.parse(time) >= when)
    return index < 0 ? [] : [{ index, number: i + 1 }]
  })
}
