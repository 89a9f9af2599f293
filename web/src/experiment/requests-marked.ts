// The request that the address marks: its time, for the timeline, and its row.
import { useRequests } from '../api/queries'
import type { Mark } from '../series/lanes'
import { readRequests } from '../url/requests'

export function useMarkedRow(id: number, search: string) {
  const { marked } = readRequests(search)
  const asked = useRequests(id, marked === null ? null : { index_from: marked, index_to: marked, limit: 1 })
  const row = asked.data?.rows[0]
  return marked !== null && row?.['index'] === marked ? row : null
}

// null: none is marked, or the timeline has another time 0.
export function useMarked(id: number, search: string, run: [number, number] | null): Mark | null {
  const row = useMarkedRow(id, search)
  if (!row || run === null || typeof row['start_s'] !== 'number') return null
  const end = typeof row['end_s'] === 'number' ? row['end_s'] : row['start_s']
  return { index: Number(row['index']), from: row['start_s'], to: end }
}
