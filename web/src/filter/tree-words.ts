// Any tree in words, for a chip. Parentheses enclose the condition after each "not", and each group or list inside a
// group, so that the words can be read in one way only.
import type { Filter, Predicate, Scalar } from '../api/types'
import { type Catalogue, shortName } from '../fields/catalogue'
import { opOf } from './ops'
import { isPredicate } from './split'
import { valueWords } from './words'

export interface Piece {
  text: string
  isJoint: boolean // "and", "or" or "not", not a word of a condition
}

const VALUES_IN_WORDS = 3
// a value with such a part could be read as two values or as a part of the sentence
const AMBIGUOUS = /[,()]|\b(and|or|not|to)\b/i

const say = (text: string): Piece => ({ text, isJoint: false })
const join = (text: string): Piece => ({ text, isJoint: true })

const isList = (filter: Filter) =>
  isPredicate(filter) && Array.isArray(filter.value) && filter.value.length > 1 && opOf(filter.op).asks === 'list'

function predicateWords(catalogue: Catalogue, { field: id, op, value }: Predicate) {
  const field = catalogue.get(id)
  const { words, asks } = opOf(op)
  const one = (part: Scalar) => {
    const text = asks === 'text' ? String(part) : valueWords(field, part)
    return asks === 'text' || (typeof part === 'string' && AMBIGUOUS.test(text)) ? `“${text}”` : text
  }
  const name = shortName(field)
  if (asks === 'none' || value === undefined) return `${name} ${words}`
  if (!Array.isArray(value)) return `${name} ${words} ${one(value)}`
  if (asks === 'pair') return `${name} from ${value.map(one).join(' to ')}`
  if (op === 'in' && value.length === 1) return `${name} is ${one(value[0] as Scalar)}`
  return `${name} ${words} ${value.length > VALUES_IN_WORDS ? `${value.length} values` : value.map(one).join(', ')}`
}

// A group of one is that one.
function unwrapped(filter: Filter): Filter {
  const parts = isPredicate(filter) || 'not' in filter ? [] : 'and' in filter ? filter.and : filter.or
  return parts.length === 1 ? unwrapped(parts[0] as Filter) : filter
}

const inParentheses = (pieces: Piece[]) => [say('('), ...pieces, say(')')]

export function treePieces(catalogue: Catalogue, tree: Filter): Piece[] {
  const filter = unwrapped(tree)
  if (isPredicate(filter)) return [say(predicateWords(catalogue, filter))]
  if ('not' in filter) return [join('not '), ...inParentheses(treePieces(catalogue, filter.not))]
  const [parts, joint] = 'and' in filter ? [filter.and, ' and '] : [filter.or, ' or ']
  if (parts.length === 0) return [say('and' in filter ? 'anything' : 'nothing')]
  return parts.map(unwrapped).flatMap((part, i) => {
    const pieces = treePieces(catalogue, part)
    const isGroup = !isPredicate(part) && !('not' in part) && pieces.length > 1
    return [...(i > 0 ? [join(joint)] : []), ...(isGroup || isList(part) ? inParentheses(pieces) : pieces)]
  })
}

export const wordsOf = (pieces: Piece[]) => pieces.map(({ text }) => text).join('')
export const treeWords = (catalogue: Catalogue, filter: Filter) => wordsOf(treePieces(catalogue, filter))

// The distinct fields of a filter.
export function fieldsOf(filter: Filter): string[] {
  if (isPredicate(filter)) return [filter.field]
  return [...new Set(('not' in filter ? [filter.not] : 'and' in filter ? filter.and : filter.or).flatMap(fieldsOf))]
}
