// Returns a filter for the results of a bar, a box, a bin or a cell.
import type { Filter, Kind, Scalar } from '../api/types'
import type { Chart, Item } from './items'

// null: all others, which no filter means.
function kindFilter(field: string, kind: Kind | undefined): Filter | null {
  if (!kind || kind.state === 'other') return null
  if (kind.state === 'null') return { field, op: 'is_null' }
  if (kind.state === 'missing') return { not: { field, op: 'is_recorded' } }
  if (kind.state === 'range')
    return {
      and: [
        { field, op: 'ge', value: kind.low ?? 0 },
        { field, op: 'lt', value: kind.high ?? 0 },
      ],
    }
  return typeof kind.value === 'object' ? null : { field, op: 'eq', value: kind.value as Scalar }
}

// Bins exclude their upper edge, except the last one, as on the server.
function binFilter({ answer, x }: Chart, at: number): Filter | null {
  const edges = answer.bins?.edges
  const [low, high] = [edges?.[at], edges?.[at + 1]]
  if (!edges || low === undefined || high === undefined) return null
  return {
    and: [
      { field: x.field.id, op: 'ge', value: low },
      { field: x.field.id, op: at + 2 === edges.length ? 'le' : 'lt', value: high },
    ],
  }
}

export function groupOf(chart: Chart, item: Item): Filter | null {
  const { answer, x, colours } = chart
  const parts: (Filter | null)[] = []
  if (x.kinds) parts.push(kindFilter(x.field.id, x.kinds[answer.bins ? item.at : item.x]))
  else if (answer.bins) parts.push(binFilter(chart, item.at))
  else return null
  if (answer.grid && chart.y?.kinds && item.y !== null) parts.push(kindFilter(chart.y.field.id, chart.y.kinds[item.y]))
  if (colours) parts.push(kindFilter(colours.field.id, colours.kinds[item.kind]))
  const own = answer.request.filter as Filter | undefined
  const and = [...(own ? ('and' in own ? own.and : [own]) : []), ...parts.filter((part) => part !== null)]
  return parts.includes(null) ? null : { and }
}
