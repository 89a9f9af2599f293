// What colours, shapes and lines of the chart stand for: one list, for the page and for files.
import { aboutOf, type Chart } from './items'
import { failedOf } from './heat'
import { legendOf, OTHER } from './kinds'
import { sum } from './model'
import { sizeKeys } from './sizes'

export interface Key {
  look: 'kind' | 'size' | 'hollow' | 'dashed' | 'frontier' | 'empty' | 'corner'
  slot: number
  wide: number // of a size
  words: string
  count: number | null
}

const FULL = 10

// Of groups those whose figures are drawn, of all others the rows.
function kindKeys({ colours, answer, items }: Chart): Key[] {
  if (!colours || answer.grid) return []
  const rows = (kinds: number[]) => sum(items.filter(({ kind }) => kinds.includes(kind)).map(({ n }) => n))
  return legendOf(colours.field, colours.kinds, colours.slots).map(({ slot, words, count, kinds }) => ({ look: 'kind', slot, wide: FULL, words, count: answer.groups ? rows(kinds) : count }))
}

// [look, words, how many]: those that occur.
function signs(chart: Chart): [Key['look'], string, number | null][] {
  const { answer, items } = chart
  const hollow = aboutOf(answer) ? items.filter(({ isHollow }) => isHollow).length : 0
  const ofHollow = answer.form === 'thinned' ? null : hollow
  const empty = answer.grid ? items.filter(({ value }) => value === null).length : 0
  const failed = sum(items.map((item) => failedOf(chart, item)))
  return [
    ...(hollow > 0 ? [answer.lines ? ['dashed', 'dashed: not trusted', ofHollow] as const : ['hollow', 'hollow: not trusted', ofHollow] as const] : []),
    ...(answer.frontier?.some(({ marks }) => marks.length > 1) ? [['frontier', 'frontier', null] as const] : []),
    ...(empty > 0 ? [['empty', 'no number', empty] as const] : []),
    ...(failed > 0 ? [['corner', 'failed runs', failed] as const] : []),
  ].map(([look, words, count]) => [look, words, count])
}

export function keysOf(chart: Chart): Key[] {
  return [
    ...kindKeys(chart),
    ...sizeKeys(chart).map(({ wide, words }): Key => ({ look: 'size', slot: OTHER, wide, words, count: null })),
    ...signs(chart).map(([look, words, count]): Key => ({ look, slot: 1, wide: FULL, words, count })),
  ]
}
