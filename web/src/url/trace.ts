// The trace whose summary an experiment shows: trace=NAME; none: the first one.
export const readTrace = (search: string) => new URLSearchParams(search).get('trace')

// `search`: the address so far; its other parts remain.
export function writeTrace(name: string, search: string) {
  const query = new URLSearchParams(search)
  query.set('trace', name)
  return query.toString()
}
