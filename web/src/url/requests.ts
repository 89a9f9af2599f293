// The state of an experiment's requests in an address, next to that of its timeline, whose time they share: only values
// that differ from the automatic ones.
//
//   rsort=-ttft_ms        order of the table
//   rstatus=failed        outcome
//   rerror=timeout        kind of error
//   rmin=ttft_ms:500      lower limit of a column
//   rid=bench-1           part of the request ID
//   rpage=2               page of the table
//   rall=1                all columns
//   rcurve=table          the percentiles as numbers
//   req=33                the request that is marked
export interface RequestsState {
  sort: string
  status: string
  error: string
  min: { column: string; value: number } | null
  id: string
  page: number
  isAll: boolean
  isCurveTable: boolean
  marked: number | null
}

const whole = (text: string | null) => (text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null)

function minOf(text: string | null): RequestsState['min'] {
  const [column, number, more] = (text ?? '').split(':')
  const value = number?.trim() ? Number(number) : NaN
  return column && /^[a-z0-9_]+$/.test(column) && more === undefined && Number.isFinite(value)
    ? { column, value }
    : null
}

const STATUSES = ['completed', 'failed', 'not_sent']

export function readRequests(search: string): RequestsState {
  const query = new URLSearchParams(search)
  const name = (key: string) => (/^-?[a-z0-9_]{1,40}$/.test(query.get(key) ?? '') ? (query.get(key) as string) : '')
  return {
    sort: name('rsort'),
    status: STATUSES.includes(name('rstatus')) ? name('rstatus') : '',
    error: name('rerror'),
    min: minOf(query.get('rmin')),
    id: (query.get('rid') ?? '').slice(0, 200),
    page: Math.max(1, whole(query.get('rpage')) ?? 1),
    isAll: query.get('rall') === '1',
    isCurveTable: query.get('rcurve') === 'table',
    marked: whole(query.get('req')),
  }
}

// `search`: the address so far; its other parts remain.
export function writeRequests(state: RequestsState, search: string) {
  const query = new URLSearchParams(search)
  const set = (key: string, value: string | false) => (value ? query.set(key, value) : query.delete(key))
  set('rsort', state.sort)
  set('rstatus', state.status)
  set('rerror', state.error)
  set('rmin', state.min !== null && `${state.min.column}:${state.min.value}`)
  set('rid', state.id)
  set('rpage', state.page > 1 && String(state.page))
  set('rall', state.isAll && '1')
  set('rcurve', state.isCurveTable && 'table')
  set('req', state.marked !== null && String(state.marked))
  return query.toString()
}
