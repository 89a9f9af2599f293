// Numbers as the user types them, with or without a unit: "500", "500 ms", "0.5 s", "1,500", "2k", "inf".
import type { Field } from '../api/types'
import { acceptedUnits, factorOf } from './unit'

export type Quantity = { value: number | null } | { fault: string } // null: nothing was typed

const NUMBER = /^([-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?inf)\s*([a-z%°µμ/]*)$/i
const GROUPED = /^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/
const DIGITS = 12 // of a converted value: 0.3 s is 300 ms, not 300.00000000000006

const NOT_A_NUMBER = 'Enter a number.'
const COMMAS = 'Commas separate thousands (1,500). Use a point for decimals (150.5).'

// Returns the value in the stored unit of the field.
export function readQuantity(field: Field, text: string): Quantity {
  const typed = text.trim().replace('−', '-')
  if (typed === '') return { value: null }
  const [, digits, unit = ''] = NUMBER.exec(typed) ?? []
  // a comma as a decimal point would make 1505 of 150,5
  if (digits === undefined || (digits.includes(',') && !GROUPED.test(digits)))
    return { fault: /\d,/.test(typed) ? COMMAS : NOT_A_NUMBER }
  if (/inf/i.test(digits))
    return unit === '' ? { value: digits.startsWith('-') ? -Infinity : Infinity } : { fault: NOT_A_NUMBER }
  const factor = factorOf(field, unit)
  if (factor === null) {
    const accepted = acceptedUnits(field)
    return { fault: `Found the unit “${unit}”, expected ${accepted || 'a number without a unit'}.` }
  }
  const number = Number(digits.replaceAll(',', ''))
  return { value: factor === 1 ? number : Number((number * factor).toPrecision(DIGITS)) }
}
