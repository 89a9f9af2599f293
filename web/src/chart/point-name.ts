// Names an experiment on the chart as its row in the table, by what varies. If the row is not loaded, the rows of the
// same name are requested, and named among those of the table.
import { useQuery } from '@tanstack/react-query'
import { createContext, type RefObject, useContext, useEffect, useMemo, useState } from 'react'

import { apply } from '../api/queries'
import type { Filter, Row } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { nameOf as nameOfRow } from '../format/value'
import { NAMING_FIELDS } from '../names/names'
import { type RowName, rowNames } from '../names/rows'
import { aboutOf, type Chart, type Item, type Named } from './items'
import { RUN_ID } from './model'

interface PointName {
  short: string
  own: string // its own name, where the short one is another
  full: string // for hover
}

// The context of the names on a chart. `rows` are those of the table, as a ref, so that an answer does not draw the
// chart again.
export interface NamedAmong {
  rows: RefObject<readonly Row[]>
  catalogue: Catalogue
  tree: Filter | undefined
  round: number
}
export const AmongRows = createContext<NamedAmong | null>(null)

const SAME_MAX = 100
const REQUEST_AFTER_MS = 120 // a pointer that only passes requests nothing

export function nameAmong(rows: readonly Row[], id: number, catalogue: Catalogue): PointName | null {
  const row = rows.find((one) => one.id === id)
  if (!row) return null
  const own = nameOfRow(row)
  const name = rowNames(rows, catalogue).get(id)
  return name ? { short: name.short, full: name.full, own: name.own } : { short: own, full: own, own: '' }
}

export const namingColumns = (catalogue: Catalogue) => [
  'run.name',
  ...NAMING_FIELDS.filter((field) => catalogue.byId.has(field)),
]

export function sameNameFilter(name: string | null, tree: Filter | undefined): Filter {
  const same: Filter =
    name === null ? { not: { field: 'run.name', op: 'not_null' } } : { field: 'run.name', op: 'eq', value: name }
  return tree ? { and: [tree, same] } : same
}

function useSameNamed(id: number | null, name: string | null, among: NamedAmong | null) {
  const [settled, setSettled] = useState<number | null>(null)
  useEffect(() => {
    if (id === null) return
    const timer = setTimeout(() => setSettled(id), REQUEST_AFTER_MS)
    return () => clearTimeout(timer)
  }, [id])
  const isAsked = among !== null && id !== null && settled === id
  return useQuery({
    queryKey: ['same name', name, among?.tree, among?.round, isAsked],
    queryFn: ({ signal }) =>
      apply(
        {
          filter: sameNameFilter(name, among?.tree),
          columns: among ? namingColumns(among.catalogue) : [],
          limit: SAME_MAX,
        },
        signal,
      ),
    staleTime: Infinity,
    enabled: isAsked,
  }).data?.rows
}

// A row of what a chart knows about an experiment.
function rowOfItem({ answer, x, y, colours }: Chart, item: Item & { id: number }): Row {
  const axis = (named: Named | null, at: number | null): [string, unknown][] =>
    named && at !== null && named.field.role !== 'output'
      ? [[named.field.id, named.kinds ? named.kinds[at]?.value : at]]
      : []
  const color: [string, unknown][] = colours ? [[colours.field.id, colours.kinds[item.kind]?.value]] : []
  const cells = Object.fromEntries(
    [
      ...(answer.lines ? [] : [...axis(x, item.x), ...axis(y, item.y)]),
      ...color,
      ['run.name', aboutOf(answer)?.labels['run.name']?.[item.at]],
    ].filter(([, value]) => value !== undefined),
  )
  const runId = aboutOf(answer)?.labels[RUN_ID]?.[item.at]
  return { id: item.id, run_id: typeof runId === 'string' ? runId : null, simulated: false, verdict: null, cells }
}

// The names of experiments of a chart in its table: as in the table below for those that it has, so that no experiment
// has two names.
export function useItemNames(chart: Chart, items: readonly Item[]): ReadonlyMap<number, RowName> {
  const among = useContext(AmongRows)
  const rows = among?.rows.current
  return useMemo(() => {
    if (!among || !rows) return new Map()
    const known = new Set(rows.map(({ id }) => id))
    const others = items.filter((item): item is Item & { id: number } => item.id !== null && !known.has(item.id))
    return new Map([
      ...rowNames(
        others.map((item) => rowOfItem(chart, item)),
        among.catalogue,
      ),
      ...rowNames(rows, among.catalogue),
    ])
  }, [among, rows, chart, items])
}

// The name among the rows of the table and, where it is none of them, among those of the same name as well.
function useNameAmong(
  id: number | null,
  among: NamedAmong | null,
  others: readonly Row[] | undefined,
): PointName | null {
  const rows = among?.rows.current
  return useMemo(() => {
    if (!among || !rows || id === null) return null
    const known = nameAmong(rows, id, among.catalogue)
    if (known || !others) return known
    const ids = new Set(rows.map((row) => row.id))
    return nameAmong([...rows, ...others.filter((row) => !ids.has(row.id))], id, among.catalogue)
  }, [among, rows, id, others])
}

// `own`: its name as far as the chart knows it; null: it has none. `row`: its row if that is known, else one is
// requested.
export function usePointName(id: number | null, own: string | null, row?: Row): PointName {
  const among = useContext(AmongRows)
  const isListed = id !== null && among?.rows.current.some((one) => one.id === id) === true
  const same = useSameNamed(isListed || row ? null : id, own, among)
  const given = useMemo(() => row && [row], [row])
  const found = useNameAmong(id, among, given ?? same)
  const bare = own ?? `result ${id ?? ''}`
  return found ?? { short: bare, full: bare, own: '' }
}
