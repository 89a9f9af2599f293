// Two inputs for the bounds of a range, in the unit of the field. A bound with another unit is converted. An
// unreadable bound and a reversed range remain in the inputs, with the error.
import { useEffect, useId, useState } from 'react'

import type { Field } from '../api/types'
import { boundText, formFor } from '../format/number'
import { readQuantity } from '../format/read'
import { Field as TextField } from '../ui/controls'
import { useDraft } from '../ui/use-draft'
import { type Ends, isReversed } from './range'
import css from './range-inputs.module.css'

// Bounds while the user types or drags: handed on after a pause, and never reversed.
export function useEnds(ends: Ends, commit: (ends: Ends) => void) {
  return useDraft(ends, (next) => {
    if (!isReversed(next)) commit(next)
  })
}

const faultOf = (field: Field, text: string | null) => {
  const read = text === null ? null : readQuantity(field, text)
  return read && 'fault' in read ? read.fault : ''
}

interface Props {
  name: string
  field: Field
  ends: Ends
  onChange: (ends: Ends) => void
  onDone: () => void // Enter, or the focus leaves
}

export function RangeInputs({ name, field, ends, onChange, onDone }: Props) {
  const [texts, setTexts] = useState<[string | null, string | null]>([null, null]) // null: as the bound is
  const [isTyping, setTyping] = useState(false)
  const why = useId()
  const form = formFor(field, [])
  const words = (end: number | null) => (end === null ? '' : boundText(end, form))
  const faults = texts.map((text) => faultOf(field, text))
  // between two keys a range may be reversed: 5 on the way to 500
  const isWrong = !isTyping && isReversed(ends)
  const reversed = isWrong
    ? `The range is reversed: ${words(ends[0])} is above ${words(ends[1])}${form.unit && ` ${form.unit}`}.`
    : ''
  const fault = faults.find(Boolean) ?? reversed

  const write = (at: 0 | 1, text: string | null) => setTexts((old) => (at === 0 ? [text, old[1]] : [old[0], text]))
  // a bound that changes elsewhere replaces an unreadable input
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed bound replaces what was typed
  useEffect(
    () => setTexts((old) => [faultOf(field, old[0]) ? null : old[0], faultOf(field, old[1]) ? null : old[1]]),
    [ends[0], ends[1]],
  )

  const type = (at: 0 | 1, text: string) => {
    const read = readQuantity(field, text)
    write(at, text)
    setTyping(true)
    if ('value' in read) onChange(at === 0 ? [read.value, ends[1]] : [ends[0], read.value])
  }
  const finish = (at: 0 | 1) => {
    if (!faults[at]) write(at, null)
    setTyping(false)
    onDone()
  }
  const input = (at: 0 | 1) => (
    <TextField
      label={`${name}, ${at === 0 ? 'from' : 'to'}`}
      number
      placeholder={at === 0 ? 'min' : 'max'}
      value={texts[at] ?? words(ends[at])}
      invalid={faults[at] !== '' || isWrong}
      aria-describedby={fault ? why : undefined}
      onChange={(event) => type(at, event.target.value)}
      onBlur={() => finish(at)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish(at)
      }}
    />
  )
  return (
    <div className={css.inputs}>
      {input(0)}–{input(1)}
      <span>{form.unit}</span>
      {fault && (
        <span id={why} role="alert" className={css.why}>
          {fault}
        </span>
      )}
    </div>
  )
}
