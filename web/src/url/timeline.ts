// The state of an experiment's timeline in an address: only values that differ from the automatic ones.
//
//   t=FROM,TO    shown time in seconds after the start of the measured run; none: the whole recording
//   series=all   every recorded series, not only the usual ones
//   table=1      the numbers instead of the drawing
export interface TimelineState {
  range: [from: number, to: number] | null
  isAll: boolean
  isTable: boolean
}

const DECIMALS = 3 // of a second

function rangeOf(text: string | null): TimelineState['range'] {
  const [from, to, more] = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)))
  return from !== undefined && to !== undefined && more === undefined && to > from && Number.isFinite(to - from)
    ? [from, to]
    : null
}

export function readTimeline(search: string): TimelineState {
  const query = new URLSearchParams(search)
  return {
    range: rangeOf(query.get('t')),
    isAll: query.get('series') === 'all',
    isTable: query.get('table') === '1',
  }
}

// `search`: the address so far; its other parts remain.
export function writeTimeline({ range, isAll, isTable }: TimelineState, search = '') {
  const query = new URLSearchParams(search)
  for (const key of ['t', 'series', 'table']) query.delete(key)
  if (range) query.set('t', range.map((seconds) => String(Number(seconds.toFixed(DECIMALS)))).join(','))
  if (isAll) query.set('series', 'all')
  if (isTable) query.set('table', '1')
  return query.toString()
}
