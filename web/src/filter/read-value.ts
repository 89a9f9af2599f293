// Reads the typed value of a field.
import type { Field, Scalar } from '../api/types'
import { isNumeric } from '../format/number'
import { type Quantity, readQuantity } from '../format/read'
import { readTime } from '../format/time'

export type Reading = { value: Scalar | undefined } | { fault: string } // undefined: nothing was typed

function asScalar(read: Quantity): Reading {
  if ('fault' in read) return read
  const { value } = read
  return { value: value === null ? undefined : Number.isFinite(value) ? value : value > 0 ? 'inf' : '-inf' }
}

export function readValue(field: Field, typed: string): Reading {
  const text = typed.trim()
  if (text === '') return { value: undefined }
  if (field.type === 'yes')
    return /^(yes|true)$/i.test(text)
      ? { value: true }
      : /^(no|false)$/i.test(text)
        ? { value: false }
        : { fault: 'Enter yes or no.' }
  if (isNumeric(field)) {
    const read = asScalar(readQuantity(field, text))
    return 'fault' in read && field.words && !/^[\d.,+-]/.test(text) ? { value: text } : read
  }
  if (field.type === 'time') return readTime(text)
  // a number in a field of unknown type is a number
  if (field.type === 'json' || !field.column) {
    if (/^(true|false)$/.test(text)) return { value: text === 'true' }
    const read = asScalar(readQuantity(field, text))
    return 'fault' in read ? { value: text } : read
  }
  return { value: typed }
}
