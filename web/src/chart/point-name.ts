// Names an experiment on the chart as its row in the table, by what varies. If the row is not loaded, the rows of the same name are
// requested.
import { useQuery } from '@tanstack/react-query'
import { createContext, type RefObject, useContext, useEffect, useState } from 'react'

import { apply } from '../api/queries'
import type { ApplyRequest, Filter, Row } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { nameOf as nameOfRow } from '../format/value'
import { NAMING_FIELDS } from '../names/names'
import { rowNames } from '../names/rows'

export interface PointName {
  short: string
  own: string // its own name, where the short one is another
  full: string // for hover
}

// The context of the names on a chart. `rows` are those of the table, as a ref, so that an answer does not draw the chart again.
export interface NamedAmong {
  rows: RefObject<readonly Row[]>
  catalogue: Catalogue
  tree: Filter | undefined
  round: number
}
export const AmongRows = createContext<NamedAmong | null>(null)

const LETTERS = 40 // that a tooltip shows
const SAME_MAX = 100
const REQUEST_AFTER_MS = 120 // a pointer that only passes requests nothing

// The table names the same rows in a column of another width.
const copies = new WeakMap<readonly Row[], Row[]>()
function copyOf(rows: readonly Row[]) {
  const copy = copies.get(rows) ?? [...rows]
  copies.set(rows, copy)
  return copy
}

export function nameAmong(rows: readonly Row[], id: number, catalogue: Catalogue): PointName | null {
  const row = rows.find((one) => one.id === id)
  if (!row) return null
  const own = nameOfRow(row)
  const name = rowNames(copyOf(rows), catalogue, LETTERS).get(id)
  return name ? { short: name.short, full: name.full, own: name.own } : { short: own, full: own, own: '' }
}

export function sameNameFilter(name: string | null, tree: Filter | undefined): Filter {
  const same: Filter = name === null ? { not: { field: 'run.name', op: 'not_null' } } : { field: 'run.name', op: 'eq', value: name }
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
    queryFn: ({ signal }) => apply({ filter: sameNameFilter(name, among?.tree), columns: ['run.name', ...NAMING_FIELDS.filter((field) => among?.catalogue.byId.has(field))], limit: SAME_MAX } as unknown as ApplyRequest, signal),
    staleTime: Infinity,
    enabled: isAsked,
  }).data?.rows
}

// `own`: its name as far as the chart knows it; null: it has none.
export function usePointName(id: number | null, own: string | null): PointName {
  const among = useContext(AmongRows)
  const known = among && id !== null ? nameAmong(among.rows.current, id, among.catalogue) : null
  const same = useSameNamed(known ? null : id, own, among)
  const asked = !known && same && among && id !== null ? nameAmong(same, id, among.catalogue) : null
  const bare = own ?? `result ${id ?? ''}`
  return known ?? asked ?? { short: bare, full: bare, own: '' }
}
