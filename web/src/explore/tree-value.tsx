// The value of a condition, as its operator and the type of its field need it.
import { useState } from 'react'
import { Button as AriaButton, Tag, TagGroup, TagList } from 'react-aria-components'

import { useValues } from '../api/queries'
import type { Field, Scalar } from '../api/types'
import { longName } from '../fields/catalogue'
import type { Test } from '../filter/draft'
import { opOf } from '../filter/ops'
import { readValue } from '../filter/read-value'
import { boundText, count, formFor, formOfRow, isNumeric, showNumber } from '../format/number'
import { wholeText } from '../format/value'
import { Field as TextField, Select } from '../ui/controls'
import { Icon } from '../ui/icons'
import { Suggest } from '../ui/suggest'
import css from './tree-editor.module.css'

const HINTS: Record<string, string> = {
  time: '2026-11-19 14:12 or now-30d',
  number: 'number',
  count: 'number',
  yes: 'yes or no',
}

interface Props {
  field: Field
  test: Test
  round: number
  onChange: (value: Test['value']) => void
}

const asText = (field: Field, value: Scalar | undefined) =>
  value === undefined
    ? ''
    : typeof value === 'string'
      ? value
      : typeof value === 'number'
        ? boundText(value, formFor(field, []))
        : wholeText(field, value)

export function TreeValue({ field, test, round, onChange }: Props) {
  const { asks } = opOf(test.op)
  const name = `${longName(field)}, value`
  if (asks === 'none') return null
  if (asks === 'text')
    return <TypedText name={name} value={typeof test.value === 'string' ? test.value : ''} onChange={onChange} />
  if (asks === 'list')
    return (
      <List
        field={field}
        name={name}
        values={Array.isArray(test.value) ? test.value : []}
        round={round}
        onChange={onChange}
      />
    )
  if (asks === 'pair') {
    const [low, high] = Array.isArray(test.value) ? test.value : []
    return <Pair key={test.field} field={field} name={name} low={low} high={high} round={round} onChange={onChange} />
  }
  const value = Array.isArray(test.value) ? undefined : test.value
  if (field.type === 'yes') {
    return (
      <Select
        label={name}
        value={value === undefined ? '' : String(value)}
        onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
        options={[
          ['', '…'],
          ['true', 'yes'],
          ['false', 'no'],
        ]}
      />
    )
  }
  return <One field={field} name={name} value={value} round={round} onChange={onChange} />
}

function TypedText({
  name,
  value,
  onChange,
}: {
  name: string
  value: string
  onChange: (value: string | undefined) => void
}) {
  const [typed, setTyped] = useState<string | null>(null)
  const take = () => {
    if (typed !== null && typed !== value) onChange(typed === '' ? undefined : typed)
    setTyped(null)
  }
  return (
    <TextField
      label={name}
      placeholder="text"
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take()
      }}
    />
  )
}

// Suggests the values of the stored results, the most frequent first.
function useSuggestions(field: Field, words: string | null, round: number) {
  const found = useValues(words === null || field.type === 'time' ? null : { field: field.id, search: words }, round)
  const values = words === null ? [] : (found.data?.values ?? [])
  const form = formOfRow(
    field,
    values.map(({ value }) => value),
  )
  return {
    values,
    items: values.map(({ value, count: n }, i) => ({
      id: String(i),
      name: typeof value === 'number' ? showNumber(value, form) : wholeText(field, value),
      note: count(n),
    })),
  }
}

function One({
  field,
  name,
  value,
  round,
  onChange,
  isList = false,
}: {
  field: Field
  name: string
  value: Scalar | undefined
  round: number
  onChange: (value: Scalar | undefined) => void
  isList?: boolean
}) {
  const [words, setWords] = useState<string | null>(null)
  const [wrong, setWrong] = useState<{ text: string; fault: string } | null>(null)
  const { values, items } = useSuggestions(field, words, round)
  const take = (typed: string) => {
    const read = readValue(field, typed)
    setWrong('fault' in read ? { text: typed, fault: read.fault } : null)
    if ('value' in read && (read.value !== undefined || !isList)) onChange(read.value)
  }
  return (
    <span className={css.one}>
      <Suggest
        label={name}
        text={wrong?.text ?? asText(field, value)}
        items={items}
        placeholder={isList ? 'Add a value' : (HINTS[field.type] ?? 'value')}
        isFigure={isNumeric(field)}
        isInvalid={wrong !== null}
        onType={setWords}
        onTyped={take}
        onPick={(id) => {
          setWrong(null)
          onChange(values[Number(id)]?.value as Scalar)
        }}
      />
      {isNumeric(field) && !isList && <span className={css.unit}>{formFor(field, []).unit}</span>}
      {wrong && (
        <span role="alert" className={css.wrong}>
          {wrong.fault}
        </span>
      )}
    </span>
  )
}

function Pair({
  field,
  name,
  low,
  high,
  round,
  onChange,
}: {
  field: Field
  name: string
  low: Scalar | undefined
  high: Scalar | undefined
  round: number
  onChange: (value: Scalar[] | undefined) => void
}) {
  const [ends, setEnds] = useState<[Scalar | undefined, Scalar | undefined]>([low, high])
  const set = (at: 0 | 1, end: Scalar | undefined) => {
    const next: typeof ends = at === 0 ? [end, ends[1]] : [ends[0], end]
    setEnds(next)
    onChange(next[0] === undefined || next[1] === undefined ? undefined : [next[0], next[1]])
  }
  return (
    <span className={css.pair}>
      <One field={field} name={`${name} from`} value={ends[0]} round={round} onChange={(end) => set(0, end)} />
      and
      <One field={field} name={`${name} to`} value={ends[1]} round={round} onChange={(end) => set(1, end)} />
    </span>
  )
}

function List({
  field,
  name,
  values,
  round,
  onChange,
}: {
  field: Field
  name: string
  values: Scalar[]
  round: number
  onChange: (values: Scalar[]) => void
}) {
  const items = values.map((value) => ({ id: JSON.stringify(value), words: asText(field, value) || '“”' }))
  return (
    <span className={css.values}>
      {items.length > 0 && (
        <TagGroup
          aria-label={name}
          onRemove={(keys) => onChange(values.filter((value) => !keys.has(JSON.stringify(value))))}
        >
          <TagList items={items} className={css.tags ?? ''}>
            {(item) => (
              <Tag id={item.id} textValue={item.words} className={css.tag ?? ''}>
                <span className="clip">
                  <bdi>{item.words}</bdi>
                </span>
                <AriaButton slot="remove" aria-label={`Remove ${item.words}`}>
                  <Icon name="close" small />
                </AriaButton>
              </Tag>
            )}
          </TagList>
        </TagGroup>
      )}
      <One
        isList
        field={field}
        name={`${name}, one more`}
        value={undefined}
        round={round}
        onChange={(value) => {
          if (value !== undefined && !values.includes(value)) onChange([...values, value])
        }}
      />
    </span>
  )
}
