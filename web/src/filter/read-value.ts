// What was typed as a value of a field; undefined where it is none.
import type { Field, Scalar } from '../api/types'
import { isNumeric, readNumber } from '../format/number'

const DAY = /^\d{4}-\d\d-\d\d$/

function readFigure(text: string): Scalar | undefined {
  const number = readNumber(text)
  if (number === null || Number.isNaN(number)) return undefined
  return Number.isFinite(number) ? number : number > 0 ? 'inf' : '-inf'
}

export function readValue(field: Field, typed: string): Scalar | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  if (field.type === 'yes') return /^(yes|true)$/i.test(text) ? true : /^(no|false)$/i.test(text) ? false : undefined
  if (isNumeric(field)) return readFigure(text) ?? (field.words && !/^[\d.,+-]/.test(text) ? text : undefined)
  if (field.type === 'time') return DAY.test(text) ? `${text}T00:00:00Z` : text
  // of what no list tells the kind, a number is one
  if (field.type === 'json' || !field.column) return /^(true|false)$/.test(text) ? text === 'true' : (readFigure(text) ?? text)
  return typed
}
