// Replaces a field that does not exist in the state of Explore, or removes it.
import type { Filter } from '../api/types'
import { partsOf } from '../filter/model'
import type { ChartState } from './chart'
import { DEFAULT_SORT, type ExploreState } from './explore'

// `to`: null removes the field.
function inTree(tree: Filter, id: string, to: string | null): Filter | undefined {
  if ('field' in tree) return tree.field !== id ? tree : to === null ? undefined : { ...tree, field: to }
  if ('not' in tree) {
    const inner = inTree(tree.not, id, to)
    return inner && { not: inner }
  }
  const parts = ('and' in tree ? tree.and : tree.or).flatMap((part) => inTree(part, id, to) ?? [])
  if (parts.length === 0) return undefined
  return 'and' in tree ? { and: parts } : { or: parts }
}

function inChart(chart: ChartState, id: string, to: string | null): ChartState {
  const of = (field: string | null) => (field === id ? to : field)
  const axes = chart.axes?.flatMap((axis) => of(axis) ?? []) ?? null
  return {
    ...chart,
    x: of(chart.x),
    y: of(chart.y),
    value: of(chart.value),
    color: of(chart.color),
    shape: of(chart.shape) ?? '',
    size: of(chart.size) ?? '',
    axes: axes && axes.length > 1 ? axes : null,
    slo: chart.slo?.field === id ? (to === null ? null : { ...chart.slo, field: to }) : chart.slo,
  }
}

export function withFieldReplaced(state: ExploreState, id: string, to: string | null): Partial<ExploreState> {
  const parts = partsOf(state.where).flatMap((part) => inTree(part, id, to) ?? [])
  const sort = state.sort.flatMap((key) => (key.field !== id ? [key] : to === null ? [] : [{ ...key, field: to }]))
  const columns = state.columns?.flatMap((column) => (column !== id ? [column] : to === null ? [] : [to])) ?? null
  return {
    choices: Object.fromEntries(
      Object.entries(state.choices).flatMap(([field, choice]) =>
        field !== id ? [[field, choice]] : to === null ? [] : [[to, choice]],
      ),
    ),
    where: parts.length > 1 ? { and: parts } : parts[0],
    sort: sort.length ? sort : DEFAULT_SORT,
    columns: columns && columns.length > 0 ? columns : null,
    chart: inChart(state.chart, id, to),
  }
}
