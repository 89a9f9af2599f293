// The operators of predicates, and the field types that each applies to (docs/reference/filters.md).
import type { Field } from '../api/types'
import { isNumeric } from '../format/number'

export type Asks = 'none' | 'one' | 'list' | 'pair' | 'text'

interface Op {
  op: string
  words: string
  asks: Asks
  of: (field: Field) => boolean
}

const any = () => true
const isOrdered = (field: Field) => field.type !== 'yes'
const hasWords = (field: Field) => field.words || ['text', 'time', 'json'].includes(field.type)

const OPS: readonly Op[] = [
  { op: 'eq', words: 'is', asks: 'one', of: any },
  { op: 'ne', words: 'is not', asks: 'one', of: any },
  { op: 'in', words: 'is one of', asks: 'list', of: isOrdered },
  { op: 'not_in', words: 'is none of', asks: 'list', of: isOrdered },
  { op: 'lt', words: '<', asks: 'one', of: isOrdered },
  { op: 'le', words: '≤', asks: 'one', of: isOrdered },
  { op: 'gt', words: '>', asks: 'one', of: isOrdered },
  { op: 'ge', words: '≥', asks: 'one', of: isOrdered },
  { op: 'between', words: 'between', asks: 'pair', of: isOrdered },
  { op: 'contains', words: 'contains', asks: 'text', of: hasWords },
  { op: 'starts_with', words: 'starts with', asks: 'text', of: hasWords },
  { op: 'not_null', words: 'has a value', asks: 'none', of: any },
  { op: 'is_null', words: 'is unset', asks: 'none', of: any },
  { op: 'is_recorded', words: 'is recorded', asks: 'none', of: any },
  { op: 'is_explicit', words: 'is explicit', asks: 'none', of: (field) => field.role === 'input' },
]

const byName = new Map(OPS.map((op) => [op.op, op]))

// A link may contain any operator. An unknown one takes one value, and the server reports the error.
export const opOf = (name: string): Op => byName.get(name) ?? { op: name, words: name, asks: 'one', of: any }
export const opsOf = (field: Field) => OPS.filter((op) => op.of(field))

// The initial operator of a new condition, by the most frequent use: a list of words, or the better side of a metric.
export function firstOp(field: Field) {
  if (field.type === 'yes') return 'eq'
  if (!isNumeric(field) && field.type !== 'time') return 'in'
  if (field.type === 'time' || field.direction === 'higher') return 'ge'
  return field.direction === 'lower' ? 'le' : 'eq'
}
