// One field of the filter panel. Its control depends on its values: a list with counts for few values, a range with a
// histogram for numbers, a search on the server for many texts.
import { createContext, memo, useContext, useRef, useState } from 'react'

import { useValues } from '../api/queries'
import type { Facet, Field, Filter, Scalar } from '../api/types'
import { longName } from '../fields/catalogue'
import { useFacetNow } from '../film/film'
import { type Choice, isEmpty } from '../filter/model'
import { count, formOfRow } from '../format/number'
import { brieflyAll, nullWord, rawValue, UNSET, wholeText, withUnit } from '../format/value'
import { cutWhereAlike } from '../names/cut'
import { Act, Bone, Field as TextField, join } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { useDraft } from '../ui/use-draft'
import { useWhenSeen } from '../ui/when-seen'
import { Verdict } from '../ui/verdict'
import css from './filter-panel.module.css'
import { DateRange } from './facet-dates'
import { NumberRange } from './facet-range'

const LIST_MAX = 30
const RANGE_FROM = 12
const FEW_LINES = 6
const TOGGLES_MAX = 6
const TOGGLE_LETTERS = 5
const BAR_PX = 40
const LINE_LETTERS = 17 // of a value that are seen in the panel

export type OnChoose = (choice: Choice | undefined, options?: { typing?: string }) => void

export interface FacetProps {
  field: Field
  facet: Facet | undefined
  choice: Choice | undefined
  onChoose: OnChoose
}

// The filter in which values are searched. A context, because it changes with each choice, and most fields need no
// redraw.
export const Asked = createContext<{ tree: Filter | undefined; round: number }>({ tree: undefined, round: 0 })

interface ViewProps extends Omit<FacetProps, 'onChoose'> {
  onChange: (id: string, ...choice: Parameters<OnChoose>) => void
  onCount: (() => void) | undefined // counting took too long: counts it without a limit
  onRetry: (() => void) | undefined // its counts could not be loaded
}

const isSame = (a: ViewProps, b: ViewProps) =>
  a.field === b.field &&
  a.facet === b.facet &&
  a.onChange === b.onChange &&
  a.onCount === b.onCount &&
  a.onRetry === b.onRetry &&
  JSON.stringify(a.choice) === JSON.stringify(b.choice)

export const FacetView = memo(function FacetView({
  field,
  facet: latest,
  choice,
  onChange,
  onCount,
  onRetry,
}: ViewProps) {
  const group = useRef<HTMLDivElement>(null)
  const facet = useWhenSeen(group, latest)
  const onChoose: OnChoose = (...chosen) => onChange(field.id, ...chosen)
  const props = { field, facet, choice, onChoose }
  const name = longName(field)
  return (
    <div ref={group} className={css.facet} role="group" aria-label={name}>
      <div className={css.head}>
        <span className="clip" title={`${field.id}\n${field.help}`}>
          {name}
        </span>
        {!isEmpty(choice) && (
          <span className={css.acts}>
            {choice?.values?.length || choice?.unset || choice?.missing ? (
              <Act
                aria-label={`${choice.except ? 'Include' : 'Exclude'} these of ${name}`}
                onPress={() => onChoose({ ...choice, except: !choice.except })}
              >
                {choice.except ? 'Include' : 'Exclude'}
              </Act>
            ) : null}
            <Act aria-label={`Clear ${name}`} onPress={() => onChoose(undefined)}>
              Clear
            </Act>
          </span>
        )}
      </div>
      {facet ? (
        <Control {...props} facet={facet} />
      ) : onRetry ? (
        <p className={css.more}>
          Could not load the counts.{' '}
          <Act aria-label={`Retry ${name}`} onPress={onRetry}>
            Retry
          </Act>
        </p>
      ) : onCount ? (
        <p className={css.more}>
          Counting took too long. <Act onPress={onCount}>Count anyway</Act>
        </p>
      ) : (
        <Bone width={160} />
      )}
    </div>
  )
}, isSame)

function Control(props: FacetProps & { facet: Facet }) {
  const { field, facet, choice } = props
  const isNumber = field.type === 'number' || field.type === 'count'
  const most = mostOf(facet, choice)
  if (field.type === 'time')
    return (
      <>
        <DateRange {...props} />
        <Nothings {...props} most={most} />
      </>
    )
  // a metric is always a range, even with few values; a parameter with few numbers is a list
  const isRange =
    field.role === 'output' && field.type === 'number' ? distinctOf(facet) > 1 : distinctOf(facet) > RANGE_FROM
  if (isNumber && (isRange || choice?.range)) {
    return (
      <>
        <NumberRange {...props} />
        <Values {...props} most={most} values={besideRange(facet)} isWhole={false} />
        <Nothings {...props} most={most} />
      </>
    )
  }
  if (distinctOf(facet) > LIST_MAX) return <Search {...props} most={most} />
  const few = facet.values.length <= TOGGLES_MAX && facet.values.length > 1 && facet.null + facet.missing === 0
  if (isNumber && few && facet.values.every(({ value }) => String(value).length <= TOGGLE_LETTERS))
    return <Toggles {...props} />
  return (
    <>
      <Values {...props} most={most} values={facet.values} />
      <Nothings {...props} most={most} />
    </>
  )
}

// A field with too many values to count has no list of them.
const distinctOf = ({ distinct }: Facet) => distinct ?? Infinity

type Drawn = FacetProps & { facet: Facet; most: number }
// 'absent' is unset or missing, for a field in which null means not recorded
type Nothing = [key: 'present' | 'unset' | 'missing' | 'absent', words: string, n: number]

const nothingOf = (facet: Facet, key: Nothing[0]) =>
  ({
    present: facet.recorded - facet.null,
    unset: facet.null,
    missing: facet.missing,
    absent: facet.null + facet.missing,
  })[key]

const NOT_RECORDED = 'not recorded'

// Choices for unset and not recorded, and for "any value" if some results have none.
export function nothingsOf(facet: Facet, choice: Choice | undefined, field?: Field) {
  const hasRange = choice?.range !== undefined && !choice.except
  const lines: Nothing[] = []
  // in a short list of all values, each one can be checked
  const add = (key: Nothing[0], words: string) => lines.push([key, words, nothingOf(facet, key)])
  if ((facet.null + facet.missing > 0 && distinctOf(facet) > FEW_LINES) || choice?.present) add('present', 'any value')
  const addAlternative = (key: Nothing[0], word: string) => add(key, hasRange ? `or ${word}` : word)
  const isUnset = facet.null > 0 || choice?.unset
  const isMissing = facet.missing > 0 || choice?.missing
  const word = field ? nullWord(field, NOT_RECORDED) : UNSET
  if (word === NOT_RECORDED) {
    if (isUnset || isMissing) addAlternative('absent', NOT_RECORDED)
    return lines
  }
  if (isUnset) addAlternative('unset', word)
  if (isMissing) addAlternative('missing', NOT_RECORDED)
  return lines
}

const scales = new WeakMap<Facet, { choice: Choice | undefined; most: number }>()

// All bars of a field have one scale. Every bar asks for it in every frame of a film.
export function mostOf(facet: Facet, choice: Choice | undefined) {
  const known = scales.get(facet)
  if (known && known.choice === choice) return known.most
  const most = Math.max(
    1,
    ...[...facet.values, ...(facet.words ?? [])].map((value) => value.count),
    ...nothingsOf(facet, choice).map(([, , n]) => n),
  )
  scales.set(facet, { choice, most })
  return most
}

const isInfinite = (value: unknown) => value === 'inf' || value === '-inf'

// Values that the thumbs of a range cannot reach: text among numbers, and infinite numbers.
export function besideRange(facet: Facet): Facet['values'] {
  const words = facet.words ?? []
  const listed = facet.values.filter(({ value }) => isInfinite(value))
  const cut = [...new Set([facet.min, facet.max])].filter(
    (end) => isInfinite(end) && !listed.some(({ value }) => value === end),
  )
  // of the many values only the most frequent are listed; one that is not is what the histogram leaves
  const sum = (counts: number[]) => counts.reduce((all, n) => all + n, 0)
  const left =
    facet.recorded -
    facet.null -
    sum(facet.histogram?.counts ?? []) -
    sum([...words, ...listed].map((value) => value.count))
  return [...words, ...listed, ...(cut.length === 1 ? [{ value: cut[0], count: left }] : [])]
}

function toggled(choice: Choice | undefined, value: Scalar): Choice {
  const values = choice?.values ?? []
  return { ...choice, values: values.includes(value) ? values.filter((other) => other !== value) : [...values, value] }
}

const countIn = (facet: Facet, value: unknown) =>
  (facet.values.find((one) => one.value === value) ?? facet.words?.find((one) => one.value === value))?.count ?? 0

// Adds chosen values that no result has under the other filters, with a count of zero.
function withChosen(values: Facet['values'], choice: Choice | undefined, facet: Facet) {
  const there = new Set(values.map(({ value }) => value as Scalar))
  const lost = (choice?.values ?? [])
    .filter((value) => !there.has(value))
    .map((value) => ({ value, count: countIn(facet, value) }))
  return [...values, ...lost]
}

// Counts change in place; the order does not while the pointer is inside.
function useSteadyOrder(values: Facet['values']) {
  const order = useRef<unknown[]>([])
  const [isInside, setInside] = useState(false)
  const rank = new Map(order.current.map((value, i) => [value, i]))
  const steady = isInside
    ? values.toSorted((a, b) => (rank.get(a.value) ?? rank.size) - (rank.get(b.value) ?? rank.size))
    : values
  order.current = steady.map(({ value }) => value)
  return { steady, inside: { onPointerEnter: () => setInside(true), onPointerLeave: () => setInside(false) } }
}

function Values({
  field,
  facet,
  choice,
  values,
  most,
  onChoose,
  isWhole = true,
  isLongAtFirst = false,
}: Drawn & { values: Facet['values']; isWhole?: boolean; isLongAtFirst?: boolean }) {
  const [isLong, setLong] = useState(isLongAtFirst)
  const all = withChosen(values, choice, facet)
  // words by frequency, numbers in ascending order
  const { steady, inside } = useSteadyOrder(
    field.type === 'text' || field.type === 'json' ? all.toSorted((a, b) => b.count - a.count) : all,
  )
  const shown = isLong
    ? steady
    : steady.filter(({ value }, i) => i < FEW_LINES || choice?.values?.includes(value as Scalar))
  const form = formOfRow(
    field,
    shown.map(({ value }) => value),
  )
  const whole = brieflyAll(
    field,
    shown.map(({ value }) =>
      typeof value === 'number' && form.decimals !== null ? withUnit(field, value, form) : wholeText(field, value),
    ),
  )
  const texts = cutWhereAlike(whole, LINE_LETTERS)
  return (
    <div {...inside}>
      {shown.map(({ value, count: n }, i) => (
        <Line
          key={JSON.stringify(value)}
          isSelected={choice?.values?.includes(value as Scalar) ?? false}
          isExcept={choice?.except}
          id={field.id}
          choice={choice}
          n={n}
          nOf={(now) => countIn(now, value)}
          most={most}
          onChange={() => onChoose(toggled(choice, value as Scalar))}
          title={rawValue(value)}
          label={texts[i] === whole[i] ? undefined : `${whole[i] ?? ''}, ${count(n)} experiments`}
        >
          {field.id === 'quality.verdict' ? <Verdict verdict={String(value)} /> : <bdi>{texts[i]}</bdi>}
        </Line>
      ))}
      {steady.length > shown.length && (
        <div className={css.more}>
          <Act onPress={() => setLong(true)}>Show {steady.length - shown.length} more</Act>
        </div>
      )}
      {isWhole && facet.more_count > 0 && (
        <div className={css.more}>
          showing {facet.values.length} of {count(distinctOf(facet))} values
        </div>
      )}
    </div>
  )
}

// A native checkbox: a page has a hundred of them, and each answer redraws all.
function Tick({
  label,
  isSelected,
  className,
  onChange,
  children,
}: {
  label?: string
  isSelected: boolean
  className: string | undefined
  onChange: () => void
  children: React.ReactNode
}) {
  return (
    <label className={className} data-selected={isSelected || undefined}>
      <input type="checkbox" className="sr" aria-label={label} checked={isSelected} onChange={onChange} />
      {children}
    </label>
  )
}

interface LineProps extends CountProps {
  isSelected: boolean
  isExcept?: boolean | undefined
  onChange: () => void
  children: React.ReactNode
  title?: string
  label?: string | undefined // where the text that is shown is cut
  faint?: boolean
}

function Line({ isSelected, isExcept = false, onChange, children, title, label, faint, ...counted }: LineProps) {
  return (
    <Tick
      isSelected={isSelected}
      {...(label !== undefined && { label })}
      onChange={onChange}
      className={join(css.value, isSelected && isExcept && css.except)}
    >
      <span className={controls.box} data-box="" />
      <span className={faint ? `clip ${css.none ?? ''}` : 'clip'} title={title}>
        {children}
        {isSelected && isExcept && <span className="sr"> excluded</span>}
      </span>
      <Bar {...counted} />
    </Tick>
  )
}

interface CountProps {
  id: string // of the field
  choice: Choice | undefined
  n: number
  nOf: (facet: Facet) => number // n of another facet
  most: number
}

// Subscribes to a film by itself, so that the line around it does not render again.
function Bar({ id, choice, n, nOf, most }: CountProps) {
  const now = useFacetNow(id, n, nOf)
  const top = useFacetNow(id, most, (facet) => mostOf(facet, choice))
  return (
    <>
      <i style={{ width: now ? Math.min(BAR_PX, Math.max(2, Math.round((now / top) * BAR_PX))) : 0 }} />
      <span className="n-11">{count(now)}</span>
    </>
  )
}

function Nothings({ field, facet, choice, most, onChoose }: Drawn) {
  const isChosen = (key: Nothing[0]) => (key === 'absent' ? choice?.unset || choice?.missing : choice?.[key]) ?? false
  const toggle = (key: Nothing[0]) => {
    const next = !isChosen(key)
    onChoose({ ...choice, ...(key === 'absent' ? { unset: next, missing: next } : { [key]: next }) })
  }
  return nothingsOf(facet, choice, field).map(([key, words, n]) => (
    <Line
      key={key}
      faint
      isSelected={isChosen(key)}
      isExcept={choice?.except}
      id={field.id}
      choice={choice}
      n={n}
      nOf={(now) => nothingOf(now, key)}
      most={most}
      onChange={() => toggle(key)}
    >
      {words}
    </Line>
  ))
}

const Count = ({ id, value, n }: { id: string; value: unknown; n: number }) =>
  count(useFacetNow(id, n, (facet) => countIn(facet, value)))

function Toggles({ field, facet, choice, onChoose }: FacetProps & { facet: Facet }) {
  const values = withChosen(facet.values, choice, facet).toSorted((a, b) => Number(a.value) - Number(b.value))
  return (
    <div className={css.toggles}>
      {values.map(({ value, count: n }) => (
        <Tick
          key={String(value)}
          label={`${longName(field)} ${String(value)}, ${n} experiments${choice?.except && choice.values?.includes(value as Scalar) ? ', excluded' : ''}`}
          className={join(css.toggle, choice?.except && css.except)}
          isSelected={choice?.values?.includes(value as Scalar) ?? false}
          onChange={() => onChoose(toggled(choice, value as Scalar))}
        >
          {String(value)}
          <small>
            <Count id={field.id} value={value} n={n} />
          </small>
        </Tick>
      ))}
    </div>
  )
}

// A field with more values than a list shows: the search covers all of them on the server.
const VALUES_STEP = 50
const VALUES_MAX = 1000

function Search({ field, facet, choice, most, onChoose }: Drawn) {
  const { tree, round } = useContext(Asked)
  const [asked, setAsked] = useState('')
  const [draft, write] = useDraft(asked, (text) => {
    setAsked(text.trim())
    setLimit(VALUES_STEP)
  })
  const [limit, setLimit] = useState(VALUES_STEP)
  const isAsked = asked !== '' || limit > VALUES_STEP
  const found = useValues(isAsked ? { field: field.id, search: asked, filter: tree } : null, round, limit)
  const values = (isAsked && found.data?.values) || facet.values
  const matching = (isAsked && found.data?.matching_count) || distinctOf(facet)
  const name = longName(field)
  return (
    <>
      <TextField
        label={`Search values of ${name}`}
        icon="search"
        type="search"
        placeholder={`Search ${count(distinctOf(facet))} values`}
        value={draft}
        onChange={(event) => write(event.target.value)}
      />
      <div className={isAsked ? css.long : undefined}>
        <Values
          field={field}
          facet={facet}
          choice={choice}
          values={values}
          most={most}
          onChoose={onChoose}
          isWhole={false}
          isLongAtFirst={isAsked}
          key={String(isAsked)}
        />
      </div>
      <div className={css.more} role="status">
        {asked && found.data && values.length === 0 ? (
          <span>No value contains “{asked}”</span>
        ) : (
          values.length < matching && (
            <span>
              {count(values.length)} of {count(matching)}; type to filter
            </span>
          )
        )}
      </div>
      <div className={css.more}>
        {values.length < Math.min(matching, VALUES_MAX) && (
          <Act onPress={() => setLimit(Math.min(VALUES_MAX, limit === VALUES_STEP ? 4 * VALUES_STEP : VALUES_MAX))}>
            Show more
          </Act>
        )}
        {asked && field.type === 'text' && choice?.contains !== asked && (
          <Act onPress={() => onChoose({ ...choice, contains: asked })}>Select all that contain “{asked}”</Act>
        )}
      </div>
      <Nothings field={field} facet={facet} choice={choice} most={most} onChoose={onChoose} />
    </>
  )
}
