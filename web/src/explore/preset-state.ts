// A preset as a state of the page, and back.
import type { Filter, Preset, PresetRequest } from '../api/types'
import { treeOf } from '../filter/model'
import { split } from '../filter/split'
import { CHART, readChart, writeChart } from '../url/chart'
import { DEFAULT_SORT, type ExploreState } from '../url/explore'
import { withPresentNames } from '../url/former'

type Kept = Pick<ExploreState, 'choices' | 'where' | 'columns' | 'sort' | 'pinned' | 'onlyDiffering' | 'chart'>

const BARE: Kept = {
  choices: {},
  where: undefined,
  columns: null,
  sort: DEFAULT_SORT,
  pinned: 0,
  onlyDiffering: false,
  chart: CHART,
}
export const ALL: ExploreState = { ...BARE, page: 0, onlyVarying: true, selected: [], preset: null }

// Returns the `chart` of a preset. It contains everything that the other keys of a preset do not hold, as query
// parameters. It does not contain whether the chart is open, or its pinned point.
function chartOf({ pinned, onlyDiffering, chart }: Kept) {
  const drawn = new URLSearchParams(writeChart({ ...chart, isOpen: true, point: null, asTable: false })).toString()
  return pinned > 0 || onlyDiffering || drawn
    ? { pinned, only_differing: onlyDiffering, ...(drawn && { drawn }) }
    : null
}

export function stateOf(preset: Preset): ExploreState {
  const { choices, where } = split((preset.filter ?? undefined) as Filter | undefined)
  const chart = preset.chart ?? {}
  const pinned = typeof chart['pinned'] === 'number' ? chart['pinned'] : 0
  return {
    ...ALL,
    choices,
    where,
    columns: preset.columns,
    sort: preset.sort,
    pinned,
    onlyDiffering: chart['only_differing'] === true,
    chart: readChart(withPresentNames(String(chart['drawn'] ?? ''))),
    preset: preset.id,
  }
}

export interface Named {
  name: string
  description: string
  is_default: boolean
}

export function bodyOf(state: Kept, { name, description, is_default }: Named): PresetRequest {
  const { columns, sort } = state
  return {
    name,
    description,
    is_default,
    filter: (treeOf(state.choices, state.where) ?? null) as PresetRequest['filter'] & null,
    columns,
    sort,
    chart: chartOf(state),
  }
}

// The content of a preset: without the page and the selection.
const content = (state: Kept) =>
  JSON.stringify([treeOf(state.choices, state.where) ?? null, state.columns, state.sort, chartOf(state)])
export const isChanged = (preset: Preset | null, state: ExploreState) =>
  content(preset ? stateOf(preset) : BARE) !== content(state)

// "Copy of x", with a number if that name exists.
export function copyName(name: string, taken: string[]) {
  const known = new Set(taken.map((one) => one.toLowerCase()))
  const base = `Copy of ${name}`
  for (let n = 1; ; n++) {
    const next = n === 1 ? base : `${base} ${n}`
    if (!known.has(next.toLowerCase())) return next
  }
}
