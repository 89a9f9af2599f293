// Splits a tree into choices and conditions for the chips and the panel: a part of the outermost "and" becomes a choice
// of one field if the choice gives exactly the same filter; the rest remain conditions.
import type { Filter, Predicate, Scalar } from '../api/types'
import { type Choice, type Choices, choiceTree, isEmpty } from './model'

interface Split {
  choices: Choices
  where: Filter | undefined
  origins: Filter[] // for each condition of the filter, in order, the part of the tree it came from
}

export const isPredicate = (filter: Filter): filter is Predicate => 'field' in filter
const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

// The only field of a filter, if it has only one.
function fieldOf(filter: Filter): string | null {
  if (isPredicate(filter)) return filter.field
  const [first = null, ...others] = ('not' in filter ? [filter.not] : 'and' in filter ? filter.and : filter.or).map(
    fieldOf,
  )
  return others.every((field) => field === first) ? first : null
}

// One value is a list of one.
function normal(filter: Filter): Filter {
  if ('and' in filter) return { and: filter.and.map(normal) }
  if ('or' in filter) return { or: filter.or.map(normal) }
  if ('not' in filter) return { not: normal(filter.not) }
  const { field, op, value } = filter
  if ((op === 'eq' || op === 'ne') && isScalar(value))
    return { field, op: op === 'eq' ? 'in' : 'not_in', value: [value] }
  return value === undefined ? { field, op } : { field, op, value }
}

function rangeOf({ op, value }: Predicate): Choice {
  if (op === 'between' && Array.isArray(value) && value.length === 2)
    return { range: [value[0] ?? null, value[1] ?? null] }
  if (op === 'ge' && isScalar(value)) return { range: [value, null] }
  return op === 'le' && isScalar(value) ? { range: [null, value] } : {}
}

// Returns the choice that one part makes; empty if the part does not belong to a choice.
function partOf(part: Filter): Choice {
  if (!isPredicate(part))
    return 'not' in part && isPredicate(part.not) && part.not.op === 'is_recorded' ? { missing: true } : {}
  const { op, value } = part
  if (op === 'in' && Array.isArray(value) && value.every(isScalar)) return { values: value }
  if (op === 'contains') return { contains: String(value) }
  if (op === 'not_null') return { present: true }
  return op === 'is_null' ? { unset: true } : rangeOf(part)
}

function exceptOf(part: Filter): Choice {
  if (isPredicate(part)) {
    const { op, value } = part
    if (op === 'not_in' && Array.isArray(value) && value.every(isScalar)) return { values: value }
    return op === 'not_null' ? { unset: true } : op === 'is_recorded' ? { missing: true } : {}
  }
  if (!('not' in part) || !isPredicate(part.not)) return {}
  if (part.not.op === 'is_recorded') return { present: true, unset: true }
  const { op, value } = part.not
  return op === 'contains' ? { contains: String(value) } : op === 'not_null' ? { present: true } : rangeOf(part.not)
}

function merged(parts: Choice[], isExcept: boolean): Choice {
  return Object.assign({}, ...parts, isExcept ? { except: true } : {}) as Choice
}

// Guesses the choices of a tree, and returns them only if they give exactly that tree.
function choiceOf(filter: Filter): { field: string; choice: Choice } | null {
  const field = fieldOf(filter)
  if (field === null) return null
  const asked = normal(filter)
  const wanted = JSON.stringify(asked)
  const ors = 'or' in asked ? asked.or : [asked]
  const ands = 'and' in asked ? asked.and : [asked]
  const all = merged(ands.map(exceptOf), true)
  // excluding a range or a text excludes unset values implicitly
  const { unset: _, ...unsaid } = all
  const guesses = [merged(ors.map(partOf), false), unsaid, all]
  const choice = guesses.find((guess) => !isEmpty(guess) && JSON.stringify(choiceTree(field, guess)) === wanted)
  return choice ? { field, choice } : null
}

export function split(tree: Filter | undefined): Split {
  const choices: Record<string, Choice> = {}
  const chosen: Filter[] = []
  const rest: Filter[] = []
  const take = (part: Filter) => {
    const found = choiceOf(part)
    if (found && !(found.field in choices)) {
      choices[found.field] = found.choice
      chosen.push(part)
    } else if ('and' in part) part.and.forEach(take)
    else rest.push(part)
  }
  if (tree) ('and' in tree ? tree.and : [tree]).forEach(take)
  const where = rest.length > 1 ? { and: rest } : rest[0]
  return { choices, where, origins: [...chosen, ...rest] }
}
