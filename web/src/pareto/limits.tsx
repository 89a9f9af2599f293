// The limits as numbers: one field per limit, and how many configurations keep all of them.
import { useEffect, useId, useRef, useState } from 'react'

import type { Field } from '../api/types'
import { Pick } from '../chart/pick'
import { type Catalogue, longName } from '../fields/catalogue'
import { boundText, formFor, isNumeric } from '../format/number'
import { readQuantity } from '../format/read'
import { Field as TextField, IconButton } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import { LIMITS_MOST, type ParetoLimit } from '../url/pareto'
import { limitWords } from './model'
import css from './pareto.module.css'

interface Props {
  limits: ParetoLimit[] // as they are dragged
  catalogue: Catalogue
  summary: string
  isBusy: boolean
  onChange: (limits: ParetoLimit[]) => void
  onAdd: (field: Field) => ParetoLimit | null // a limit of a field that is drawn; null: its value must be typed
}

const FOCUS_AFTER_MS = 80

// Fields that have a better direction, or the direction of the axis that draws them.
const canHaveLimit = (field: Field) => isNumeric(field) && field.role !== 'input'

export function Limits({ limits, catalogue, summary, isBusy, onChange, onAdd }: Props) {
  const [added, setAdded] = useState<Bound | null>(null)
  const isPending = added !== null && !limits.some((limit) => limit.field === added.field)
  useEffect(() => {
    if (!isPending) setAdded(null)
  }, [isPending])
  // one list with one key per limit: a new limit keeps its field, and with it the focus, when its value is entered
  const shown: LimitProps['limit'][] = isPending ? [...limits, { ...added, value: null }] : limits
  return (
    <section className={css.limits} aria-label="Limits">
      <b>Limits</b>
      {shown.map((limit, at) => (
        <Limit
          key={`${limit.field} ${limit.op}`}
          limit={limit}
          catalogue={catalogue}
          isNew={at === limits.length}
          onChange={(value) => onChange(limits.toSpliced(at, 1, { ...limit, value }))}
          onRemove={() => (at === limits.length ? setAdded(null) : onChange(limits.toSpliced(at, 1)))}
        />
      ))}
      {limits.length < LIMITS_MOST && (
        <Pick
          role="add"
          name="Add a limit"
          value=""
          canBeNone="limit"
          catalogue={catalogue}
          varying={undefined}
          fits={canHaveLimit}
          onPick={(id) => {
            const field = catalogue.byId.get(id)
            if (!field || limits.some((limit) => limit.field === id)) return
            const limit = onAdd(field)
            if (limit) onChange([...limits, limit])
            else setAdded({ field: id, op: field.direction === 'higher' ? '>=' : '<=' })
          }}
        />
      )}
      <p role="status" aria-busy={isBusy || undefined}>
        {summary}
      </p>
    </section>
  )
}

type Bound = Omit<ParetoLimit, 'value'>

interface LimitProps {
  limit: Bound & { value: number | null }
  catalogue: Catalogue
  isNew?: boolean
  onChange: (value: number) => void
  onRemove: () => void
}

// Reads "500" in the unit of the field, and "0.5 s".
function Limit({ limit, catalogue, isNew = false, onChange, onRemove }: LimitProps) {
  const [text, setText] = useState<string | null>(null) // null: not edited
  const why = useId()
  const input = useRef<HTMLInputElement>(null)
  // the number comes next, once the closing list has returned the focus to its button
  useEffect(() => {
    if (!isNew) return
    const timer = setTimeout(() => input.current?.focus(), FOCUS_AFTER_MS)
    return () => clearTimeout(timer)
  }, [isNew])
  const { value } = limit
  // biome-ignore lint/correctness/useExhaustiveDependencies: a limit that is set elsewhere replaces the typed text
  useEffect(() => setText(null), [value])
  const field = catalogue.get(limit.field)
  const form = formFor(field, [value])
  const read = text === null ? { value } : readQuantity(field, text)
  const fault = 'fault' in read ? read.fault : ''
  const shown = text ?? (value === null ? '' : boundText(value, form))
  const commit = () => {
    if (fault || !('value' in read)) return
    setText(null)
    if (read.value !== null && read.value !== value) onChange(read.value)
  }
  const words = limitWords(limit, catalogue)
  return (
    <span className={css.limit} role="group" aria-label={words} {...oneStop}>
      <span className={css.limitName} title={field.help}>
        {words}
      </span>
      <span className={css.number} style={{ width: `calc(${Math.max(4, shown.length)}ch + 26px)` }}>
        <TextField
          label={`${longName(field)} ${limit.op === '<=' ? 'at most' : 'at least'}`}
          number
          value={shown}
          ref={input}
          invalid={fault !== ''}
          aria-describedby={fault ? why : undefined}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit()
            if (event.key === 'Escape') setText(null)
          }}
        />
      </span>
      {form.unit}
      <IconButton icon="close" name={`Remove the limit of ${longName(field)}`} onPress={onRemove} />
      {fault && (
        <span id={why} role="alert" className={css.why}>
          {fault}
        </span>
      )}
    </span>
  )
}
