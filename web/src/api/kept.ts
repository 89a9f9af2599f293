// Chooses the responses that stay in memory while nothing shows them: only the latest ones, so that Back shows its
// state immediately.
import type { Query, QueryCache } from '@tanstack/react-query'

const LARGE = new Set<unknown>(['apply', 'points', 'page', 'options', 'best', 'values', 'compare', 'series'])
const MOST = 40
const BRIEF_MS = 10_000 // responses that are dropped within this time by themselves do not count: frames of a film

export function keepFew(cache: QueryCache) {
  return cache.subscribe(({ type }) => {
    if (type !== 'added') return
    // a query without data is new: it gets its observer next
    const isUnused = (query: Query) =>
      query.state.data !== undefined && query.state.fetchStatus === 'idle' && query.getObserversCount() === 0
    const unused = cache
      .getAll()
      .filter((query) => LARGE.has(query.queryKey[0]) && isUnused(query) && query.gcTime > BRIEF_MS)
    if (unused.length <= MOST) return
    const oldest = unused
      .toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt)
      .slice(0, unused.length - MOST)
    for (const query of oldest) cache.remove(query)
  })
}
