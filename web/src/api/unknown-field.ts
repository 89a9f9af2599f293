// A refusal because a field does not exist.
import { ApiError } from './client'

interface UnknownField {
  id: string
  nearest: string | null
  use: string // what the request does with it: "filters by"
}

const USES: [RegExp, string][] = [
  [/^\/filter/, 'filters by'],
  [/^\/sort/, 'sorts by'],
  [/^\/columns/, 'shows the column'],
  [/^\/(x|y|value|axes|choices)/, 'draws'],
]

export function unknownFieldOf(error: unknown): UnknownField | null {
  if (!(error instanceof ApiError)) return null
  const { found, expected, nearest, pointer = '' } = error.problem
  if (!found?.startsWith('"') || !expected?.includes('id of a field')) return null
  return {
    id: found.replace(/^"|"$/g, ''),
    nearest: nearest ?? null,
    use: USES.find(([pattern]) => pattern.test(pointer))?.[1] ?? 'uses',
  }
}
