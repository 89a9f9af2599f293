// The legend of colors, shapes and lines: one list, for the web UI and for files.
import { aboutOf, type Chart, frontiersOf, isSameFrontier } from './items'
import { failedOf } from './heat'
import { KINDS } from './kind-rows'
import { legendOf, OTHER } from './kinds'
import { sum } from './model'
import { sizeKeys } from './sizes'

export interface Key {
  look: 'kind' | 'size' | 'hollow' | 'faint' | 'dashed' | 'frontier' | 'empty' | 'corner'
  slot: number
  wide: number // of a size
  words: string
  count: number | null
}

const FULL = 10

interface Kinds extends Key {
  kinds: number[]
}

// Sorts the legend: numbers and bars side by side in their own order, lines from the highest end to the lowest,
// everything else by frequency. "other" is last.
function inOrder({ colours, items, state, beside }: Chart, keys: Kinds[]): Kinds[] {
  const isNumber = ([kind = -1]: number[]) =>
    colours?.kinds[kind]?.state === 'range' || typeof colours?.kinds[kind]?.value === 'number'
  const own = keys.filter(({ slot }) => slot !== OTHER)
  if (own.every(({ kinds }) => isNumber(kinds)) || beside.kinds.length > 0) return keys
  const endOf = ({ kinds }: Kinds) =>
    items
      .filter(({ kind, y }) => kinds.includes(kind) && y !== null)
      .reduce((last, item) => (item.x >= last.x ? { x: item.x, y: item.y as number } : last), {
        x: -Infinity,
        y: -Infinity,
      }).y
  const rank = KINDS[state.kind].isLine
    ? new Map(own.map((key) => [key, endOf(key)]))
    : new Map(own.map((key) => [key, key.count ?? 0]))
  return [
    ...own.toSorted((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0)),
    ...keys.filter(({ slot }) => slot === OTHER),
  ]
}

// The values of the color. Counts drawn results in charts of groups, and all rows in others.
function kindKeys(chart: Chart): Key[] {
  const { colours, answer, items } = chart
  if (!colours || answer.grid) return []
  const rows = (kinds: number[]) => sum(items.filter(({ kind }) => kinds.includes(kind)).map(({ n }) => n))
  const keys = legendOf(colours.field, colours.kinds, colours.slots).map(({ slot, words, count, kinds }) => ({
    look: 'kind' as const,
    slot,
    wide: FULL,
    words,
    count: answer.groups ? rows(kinds) : count,
    kinds,
  }))
  return inOrder(chart, keys)
    .filter(({ count }) => !answer.groups || count !== 0)
    .map(({ kinds: _, ...key }) => key)
}

const hollowWords = ({ answer: { marks } }: Chart) => {
  const verdicts = new Set(marks?.verdict)
  return [...verdicts].some((verdict) => verdict !== null && verdict !== 'trusted') ? 'not trusted' : 'no verdict'
}

// "frontier of trusted results per model, 8 of 40 shown"
function frontierWords(chart: Chart, hasDashed: boolean) {
  const { answer } = chart
  const shown = frontiersOf(chart).length
  const all = answer.frontier_group_count ?? shown
  return `frontier${hasDashed ? ' of trusted results' : ''}${answer.frontier_by ? ' per model' : ''}${all > shown ? `, ${shown} of ${all} shown` : ''}`
}

// The signs that occur: [look, words, count].
function signs(chart: Chart): [Key['look'], string, number | null][] {
  const { answer, items } = chart
  const hollow = aboutOf(answer) ? items.filter(({ isHollow }) => isHollow).length : 0
  const ofHollow = answer.form === 'thinned' ? null : hollow
  const simulated = aboutOf(answer) ? items.filter(({ isSimulated }) => isSimulated).length : 0
  const empty = answer.grid ? items.filter(({ value }) => value === null).length : 0
  const failed = sum(items.map((item) => failedOf(chart, item)))
  const frontiers = frontiersOf(chart)
  const hasDashed = frontiers.some(({ marks, with_untrusted: all }) => all.length > 1 && !isSameFrontier(marks, all))
  return [
    ...(hollow > 0
      ? [
          answer.lines
            ? (['dashed', 'dashed: not trusted', ofHollow] as const)
            : (['hollow', `hollow: ${hollowWords(chart)}`, ofHollow] as const),
        ]
      : []),
    ...(simulated > 0 ? [['faint', 'faint: simulated', answer.form === 'thinned' ? null : simulated] as const] : []),
    ...(empty > 0 ? [['empty', 'no number', empty] as const] : []),
    ...(failed > 0 ? [['corner', 'failed runs', failed] as const] : []),
    ...(frontiers.some(({ marks }) => marks.length > 1)
      ? [['frontier', frontierWords(chart, hasDashed), null] as const]
      : []),
    ...(hasDashed ? [['dashed', 'frontier of all results', null] as const] : []),
  ].map(([look, words, count]) => [look, words, count])
}

// A legend without colors begins with the plain marks.
const bareKeys = ({ colours, answer, items }: Chart): Key[] =>
  !colours && answer.marks && items.some(({ isHollow, isSimulated }) => !isHollow && !isSimulated)
    ? [{ look: 'kind', slot: 0, wide: FULL, words: 'results', count: answer.drawn }]
    : []

export function keysOf(chart: Chart): Key[] {
  return [
    ...(signs(chart).length > 0 ? bareKeys(chart) : []),
    ...kindKeys(chart),
    ...(chart.answer.lines ? [] : sizeKeys(chart)).map(
      ({ wide, words }): Key => ({ look: 'size', slot: OTHER, wide, words, count: null }),
    ),
    ...signs(chart).map(([look, words, count]): Key => ({ look, slot: OTHER, wide: FULL, words, count })),
  ]
}
