// The choices per field, and the filter tree that is sent to the server. Within a field, a result must match one choice
// (these values, or unset, or not recorded), or none of them with `except`. A result must match the choices of all
// fields.
import type { Facet, Filter, Scalar } from '../api/types'

export interface Choice {
  values?: Scalar[]
  except?: boolean // none of these; also excludes results in which the field is unset or not recorded
  range?: [Scalar | null, Scalar | null] // both ends included
  contains?: string
  present?: boolean // any value
  unset?: boolean
  missing?: boolean // not recorded
}

export type Choices = Readonly<Record<string, Choice>> // in the order in which they were made

export function isEmpty(choice: Choice | undefined) {
  if (!choice) return true
  const { values, range, contains, present, unset, missing } = choice
  return (
    !values?.length &&
    !(range && (range[0] !== null || range[1] !== null)) &&
    !contains &&
    !present &&
    !unset &&
    !missing
  )
}

export function withChoice(choices: Choices, field: string, choice: Choice | undefined): Choices {
  const next = { ...choices }
  if (choice && !isEmpty(choice)) next[field] = choice
  else delete next[field]
  return next
}

function rangePredicate(field: string, [low, high]: [Scalar | null, Scalar | null]): Filter {
  if (low !== null && high !== null) return { field, op: 'between', value: [low, high] }
  return low !== null ? { field, op: 'ge', value: low } : { field, op: 'le', value: high as Scalar }
}

// The complement of a range or of a text also contains results without a value. They do not match "all but these".
function exceptTree(field: string, choice: Choice): Filter[] {
  const notNull: Filter = { field, op: 'not_null' }
  const parts: Filter[] = []
  if (choice.values?.length) parts.push({ field, op: 'not_in', value: choice.values })
  if (choice.range && (choice.range[0] !== null || choice.range[1] !== null))
    parts.push({ not: rangePredicate(field, choice.range) })
  if (choice.contains) parts.push({ not: { field, op: 'contains', value: choice.contains } })
  if (choice.present) parts.push({ not: choice.unset ? { field, op: 'is_recorded' } : notNull })
  if ((choice.unset && !choice.present) || choice.range || choice.contains) parts.push(notNull)
  if (choice.missing) parts.push({ field, op: 'is_recorded' })
  return parts
}

export function choiceTree(field: string, choice: Choice): Filter {
  if (choice.except) {
    const all = exceptTree(field, choice)
    return all.length === 1 ? (all[0] as Filter) : { and: all }
  }
  const parts: Filter[] = []
  if (choice.values?.length) parts.push({ field, op: 'in', value: choice.values })
  if (choice.range && (choice.range[0] !== null || choice.range[1] !== null))
    parts.push(rangePredicate(field, choice.range))
  if (choice.contains) parts.push({ field, op: 'contains', value: choice.contains })
  if (choice.present) parts.push({ field, op: 'not_null' })
  if (choice.unset) parts.push({ field, op: 'is_null' })
  if (choice.missing) parts.push({ not: { field, op: 'is_recorded' } })
  return parts.length === 1 ? (parts[0] as Filter) : { or: parts }
}

// Conditions that are not a choice of one field: groups joined by "or", and conditions that no control of the panel can
// show.
export const partsOf = (where: Filter | undefined): Filter[] =>
  where === undefined ? [] : 'and' in where ? where.and : [where]

export function withoutPart(where: Filter | undefined, at: number): Filter | undefined {
  const left = partsOf(where).toSpliced(at, 1)
  return left.length > 1 ? { and: left } : left[0]
}

// undefined: nothing is chosen.
export function treeOf(choices: Choices, where?: Filter): Filter | undefined {
  const and = [...Object.entries(choices).map(([field, choice]) => choiceTree(field, choice)), ...partsOf(where)]
  return and.length ? { and } : undefined
}

// Fields with at least two values. A field with one value in some results and none in others offers no choice.
export const fieldsWithChoice = (options: Record<string, Pick<Facet, 'distinct'>>) =>
  new Set(
    Object.keys(options).filter((id) => {
      const { distinct } = options[id]!
      return distinct === null || distinct > 1
    }),
  )
