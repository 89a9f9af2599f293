// Converts the state of Explore to a query string and back. Defaults are left out. Unreadable parts are ignored, so
// that an address of another version still shows something.
//
//   FIELD.ID=a,b        one of these values      FIELD.ID=!a,b   none of them
//   FIELD.ID=1..20      a range, ends included   FIELD.ID=~text  contains
//   FIELD.ID=null ? *   unset, not recorded, any value; may be combined with the others
//
// Text that could be read as something else is in JSON quotes.
import type { Filter, Scalar, Sort } from '../api/types'
import { type Choice, type Choices, isEmpty } from '../filter/model'
import { CHART_NAMES, type ChartState, readChart, writeChart } from './chart'
import { withPresentNames } from './former'

export interface ExploreState {
  choices: Choices
  where: Filter | undefined
  sort: Sort[]
  columns: string[] | null // null: those of the program
  page: number // from 0
  onlyVarying: boolean // of the filter panel
  onlyDiffering: boolean // of the table's columns
  pinned: number // so many of the columns stay where they are while the others scroll
  selected: number[] // rows, by their ids
  preset: number | null // the preset that it started from
  chart: ChartState
}

export const DEFAULT_SORT: Sort[] = [{ field: 'run.timestamp', dir: 'desc' }]
const PAGE_MAX = 5_000_000 // the contract's offset ends at 1,000,000,000
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i
const RESERVED = new Set([
  'sort',
  'columns',
  'page',
  'fields',
  'differing',
  'where',
  'pin',
  'select',
  'preset',
  'view',
  ...CHART_NAMES,
])
// Longer ones are kept by the server, and the address has their id.
export const ADDRESS_MAX = 2000

function writeScalar(value: Scalar) {
  if (typeof value !== 'string') return String(value)
  const looksOdd =
    value === '' || NUMBER.test(value) || /^(true|false|null|\?|\*)$/.test(value) || /^[!~]|[",]|\.\.|\s$/.test(value)
  return looksOdd ? JSON.stringify(value) : value
}

function readScalar(text: string): Scalar {
  if (NUMBER.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

// Quotes open only at the beginning of a word or of an end of a range.
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"'
const END = `(?:${QUOTED}|[^",]*)`
const WORD = new RegExp(`(?:~?${QUOTED}|${END}\\.\\.${END})(?=,|$)|[^,]+`, 'g')
const RANGE = new RegExp(`^(${QUOTED}|[^"]*?)\\.\\.(${QUOTED}|[^"]*)$`)

// at commas outside quotes
function split(text: string) {
  return text.match(WORD) ?? []
}

export function writeChoice(choice: Choice) {
  const words: string[] = []
  if (choice.range) words.push(choice.range.map((end) => (end === null ? '' : writeScalar(end))).join('..'))
  if (choice.contains)
    words.push(`~${/[,"]/.test(choice.contains) ? JSON.stringify(choice.contains) : choice.contains}`)
  for (const value of choice.values ?? []) words.push(writeScalar(value))
  if (choice.present) words.push('*')
  if (choice.unset) words.push('null')
  if (choice.missing) words.push('?')
  return (choice.except ? '!' : '') + words.join(',')
}

function readEnd(text: string) {
  return text === '' ? null : readScalar(text)
}

export function readChoice(text: string): Choice {
  const choice: Choice = {}
  if (text.startsWith('!')) choice.except = true
  for (const word of split(choice.except ? text.slice(1) : text)) {
    const range = RANGE.exec(word)
    if (word === '*') choice.present = true
    else if (word === 'null') choice.unset = true
    else if (word === '?') choice.missing = true
    else if (word.startsWith('~')) choice.contains = String(word[1] === '"' ? readScalar(word.slice(1)) : word.slice(1))
    else if (range) choice.range = [readEnd(range[1] ?? ''), readEnd(range[2] ?? '')]
    else choice.values = [...(choice.values ?? []), readScalar(word)]
  }
  return choice
}

export function writeSort(sort: Sort[]) {
  return sort.map(({ field, dir }) => (dir === 'desc' ? `-${field}` : field)).join(',')
}

function readSort(text: string): Sort[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((word) => (word.startsWith('-') ? { field: word.slice(1), dir: 'desc' } : { field: word, dir: 'asc' }))
}

// unescaped, so that people can read an address
function encode(text: string) {
  return encodeURIComponent(text)
    .replace(/%(2C|2F|3A|22|7E|3F|2A)/g, (code) => decodeURIComponent(code))
    .replaceAll('"', '%22')
}

export function writeExplore(state: ExploreState) {
  const pairs: [string, string][] = []
  for (const [field, choice] of Object.entries(state.choices))
    if (!isEmpty(choice)) pairs.push([field, writeChoice(choice)])
  if (state.where) pairs.push(['where', JSON.stringify(state.where)])
  if (writeSort(state.sort) !== writeSort(DEFAULT_SORT)) pairs.push(['sort', writeSort(state.sort)])
  if (state.columns) pairs.push(['columns', state.columns.join(',')])
  if (state.page > 0) pairs.push(['page', String(state.page + 1)])
  if (!state.onlyVarying) pairs.push(['fields', 'all'])
  if (state.onlyDiffering) pairs.push(['differing', '1'])
  if (state.pinned > 0) pairs.push(['pin', String(state.pinned)])
  if (state.selected.length) pairs.push(['select', state.selected.join(',')])
  if (state.preset !== null) pairs.push(['preset', String(state.preset)])
  pairs.push(...writeChart(state.chart))
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
}

function readWhere(text: string | null): Filter | undefined {
  try {
    const tree: unknown = text ? JSON.parse(text) : undefined
    return tree && typeof tree === 'object' ? (tree as Filter) : undefined
  } catch {
    return undefined
  }
}

// The selected rows of an address of Explore.
export const selectedOf = (address: string) => readIds(new URLSearchParams(address.split('?')[1]).get('select'))

const readIds = (text: string | null) =>
  (text ?? '')
    .split(',')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0)

// The id of a state that the server keeps.
export const readView = (search: string) => new URLSearchParams(search).get('view')

export function readExplore(search: string): ExploreState {
  const query = withPresentNames(search)
  const choices: Record<string, Choice> = {}
  for (const [name, value] of query) {
    const choice = RESERVED.has(name) ? {} : readChoice(value)
    if (name.includes('.') && !isEmpty(choice)) choices[name] = choice
  }
  const columns = query.get('columns')
  const sort = query.get('sort')
  return {
    choices,
    where: readWhere(query.get('where')),
    sort: sort === null ? DEFAULT_SORT : readSort(sort),
    columns: columns === null ? null : columns.split(',').filter(Boolean),
    page: Math.min(PAGE_MAX, Math.max(0, (Number.parseInt(query.get('page') ?? '1', 10) || 1) - 1)),
    onlyVarying: query.get('fields') !== 'all',
    onlyDiffering: query.get('differing') === '1',
    pinned: readIds(query.get('pin'))[0] ?? 0,
    selected: readIds(query.get('select')),
    preset: readIds(query.get('preset'))[0] ?? null,
    chart: readChart(query),
  }
}
