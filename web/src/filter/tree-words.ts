// Any tree in words, for a chip.
import type { Filter, Predicate, Scalar } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'
import { opOf } from './ops'
import { isPredicate } from './split'
import { valueWords } from './words'

const VALUES_IN_WORDS = 3

function predicateWords(catalogue: Catalogue, { field: id, op, value }: Predicate) {
  const field = catalogue.get(id)
  const { words, asks } = opOf(op)
  const one = (part: Scalar) => (asks === 'text' ? `“${String(part)}”` : valueWords(field, part))
  const name = shortName(field)
  if (asks === 'none' || value === undefined) return `${name} ${words}`
  if (!Array.isArray(value)) return `${name} ${words} ${one(value)}`
  if (asks === 'pair') return `${name} ${words} ${value.map(one).join(' and ')}`
  return `${name} ${words} ${value.length > VALUES_IN_WORDS ? `${value.length} values` : value.map(one).join(', ')}`
}

export function treeWords(catalogue: Catalogue, filter: Filter, isInside = false): string {
  if (isPredicate(filter)) return predicateWords(catalogue, filter)
  if ('not' in filter) return `not ${treeWords(catalogue, filter.not, true)}`
  const [parts, joint] = 'and' in filter ? [filter.and, ' and '] : [filter.or, ' or ']
  if (parts.length === 0) return 'and' in filter ? 'anything' : 'nothing'
  const words = parts.map((part) => treeWords(catalogue, part, true)).join(joint)
  return isInside && parts.length > 1 ? `(${words})` : words
}

// The distinct fields of a filter.
export function fieldsOf(filter: Filter): string[] {
  if (isPredicate(filter)) return [filter.field]
  return [...new Set(('not' in filter ? [filter.not] : 'and' in filter ? filter.and : filter.or).flatMap(fieldsOf))]
}
