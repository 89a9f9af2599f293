// The inputs in which the sides differ, the most important first, then those in which runs of one side differ. Equal
// inputs are folded: a list with groups and a search.
import { useState } from 'react'

import type { ComparedInput, Field } from '../api/types'
import { type Catalogue, isRepeat, namesApart, type Section, sectionOf } from '../fields/catalogue'
import { count, formOfRow, isNumeric } from '../format/number'
import { nullWord, valueText, wholeText, withUnit } from '../format/value'
import { Act, Field as Input, join } from '../ui/controls'
import page from '../ui/page.module.css'
import css from './compare.module.css'
import { type Answer, isSameAs, type SideView, valuesOf, valuesText } from './model'

interface Props {
  answer: Answer
  views: SideView[]
  catalogue: Catalogue
  withEqual: boolean
  onEqual: (withEqual: boolean) => void
}

const HEADED_FROM = 8 // fewer need no headings
const FOLDED_FROM = 16
const FOLDED_TO = 12
const ROLES: Record<string, string> = { input: 'Configuration', engine: 'Reported by the engine', host: 'Host' }

export function Differs({ answer: { inputs }, views, catalogue, withEqual, onEqual }: Props) {
  const [isOpen, setOpen] = useState(false)
  const shown = inputs.differing.filter((one) => !repeats(one, inputs.differing))
  const all = shown.length + inputs.equal + inputs.partly_recorded
  const between = shown
    .filter((one) => one.between)
    .sort((a, b) => catalogue.rankOf(a.field) - catalogue.rankOf(b.field))
  const isFolded = !isOpen && shown.length >= FOLDED_FROM
  const roles = Object.keys(ROLES)
    .map((role) => ({ role, rows: between.filter((one) => one.role === role) }))
    .filter(({ rows }) => rows.length)
  const differing = shown.map(({ field }) => catalogue.get(field))
  const names = namesApart(differing)
  const within = shown.filter((one) => !one.between)
  return (
    <section className={page.block} aria-label="Differing inputs">
      <div className={page.blockHead}>
        <h2>Differing inputs</h2>
        <p>
          {count(shown.length)} of {count(all)} parameters
        </p>
      </div>
      {shown.length > 0 && (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Differing inputs table"
          aria-description="Scrolls sideways"
        >
          <table className={join(page.rows, css.sided)}>
            <thead>
              <tr>
                <th scope="col">Parameter</th>
                {views.map(({ letter, at }) => (
                  <th key={letter} scope="col">
                    {letter}
                    {at === 0 ? ' (baseline)' : ''}
                  </th>
                ))}
              </tr>
            </thead>
            {isFolded && <Rows title="" rows={between.slice(0, FOLDED_TO)} catalogue={catalogue} names={names} />}
            {!isFolded &&
              roles.map(({ role, rows }) => (
                <Rows
                  key={role}
                  title={shown.length >= HEADED_FROM || within.length > 0 ? (ROLES[role] ?? role) : ''}
                  rows={rows}
                  catalogue={catalogue}
                  names={names}
                />
              ))}
            {!isFolded && within.length > 0 && (
              <Rows title="Differing inputs within one side" rows={within} catalogue={catalogue} names={names} />
            )}
          </table>
        </div>
      )}
      {shown.length >= FOLDED_FROM && (
        <p className={css.foot}>
          <Act aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? `Show the ${FOLDED_TO} most important` : `Show all ${count(shown.length)}`}
          </Act>
        </p>
      )}
      {shown.length === 0 && <p className={css.quiet}>No recorded input differs.</p>}
      <p className={css.foot}>
        <Act aria-expanded={withEqual} onPress={() => onEqual(!withEqual)}>
          {withEqual
            ? 'Hide equal parameters'
            : `Show ${count(inputs.equal + inputs.partly_recorded)} equal parameters`}
        </Act>
        <span>
          Ports, file names and addresses are not compared.
          {inputs.partly_recorded > 0 &&
            ` Some runs do not record ${count(inputs.partly_recorded)} of the equal parameters.`}
        </span>
      </p>
      {withEqual && <Equal answer={inputs} catalogue={catalogue} differing={differing} />}
    </section>
  )
}

type Names = ReturnType<typeof namesApart>

// Whether a field repeats another one with the same values.
const repeats = (one: ComparedInput, all: ComparedInput[]) =>
  all.some(
    (other) => isRepeat(one.field, other.field) && one.sides.every((told, at) => isSameAs(other.sides[at], told)),
  )

function Rows({
  title,
  rows,
  catalogue,
  names,
}: {
  title: string
  rows: ComparedInput[]
  catalogue: Catalogue
  names: Names
}) {
  return (
    <tbody>
      {title !== '' && (
        <tr className={page.sect}>
          <th scope="colgroup" colSpan={(rows[0]?.sides.length ?? 0) + 1}>
            {title}
          </th>
        </tr>
      )}
      {rows.map(({ field: id, sides }) => {
        const field = catalogue.get(id)
        const form = formOfRow(field, valuesOf(sides))
        return (
          <tr key={id}>
            <th scope="row" title={`${id}\n${field.help}`}>
              {names.get(id)}
              {form.unit && <span className="dim"> {form.unit}</span>}
            </th>
            {sides.map((told, at) => {
              const text = valuesText(field, told, undefined, (value) => valueText(field, value, form))
              const whole = join(
                valuesText(field, told, undefined, (value) => wholeText(field, value)),
                isNumeric(field) && field.unit,
              )
              const isSame = at > 0 && isSameAs(sides[0], told)
              return (
                <td key={at} className={join(page.val, isSame && css.same)} title={whole}>
                  {isSame && (
                    <>
                      <span aria-hidden="true">= </span>
                      <span className="sr">same as A: </span>
                    </>
                  )}
                  <bdi>{text}</bdi>
                </td>
              )
            })}
          </tr>
        )
      })}
    </tbody>
  )
}

function Equal({
  answer: { equal_fields: equal = [], partly_recorded_fields: partly = [] },
  catalogue,
  differing,
}: {
  answer: Answer['inputs']
  catalogue: Catalogue
  differing: Field[]
}) {
  const [words, setWords] = useState('')
  const values = new Map<string, unknown>([
    ...equal.map(({ field, value }) => [field, value] as const),
    ...partly.map((id) => [id, undefined] as const),
  ])
  const all = [...values.keys()].map((id) => catalogue.get(id))
  const found = words.trim() === '' ? all : catalogue.search(words, all)
  return (
    <>
      <div className={css.find}>
        <Input
          label="Search equal parameters"
          icon="search"
          placeholder={`Search ${count(all.length)} parameters`}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      <div className={css.equal} role="region" aria-label="Equal parameters" tabIndex={0}>
        {found.length === 0 && <p className={css.quiet}>No equal parameter matches.</p>}
        {catalogue.sorted(found).map((section) => (
          <EqualSection key={section.title} section={section} differing={differing} values={values} />
        ))}
      </div>
    </>
  )
}

// A name that also occurs in the table of what differs is the longer one here.
function EqualSection({
  section: { title, fields },
  differing,
  values,
}: {
  section: Section
  differing: Field[]
  values: Map<string, unknown>
}) {
  const names = namesApart([...differing.filter((field) => sectionOf(field) === title), ...fields])
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {fields.map((field) => (
          <div key={field.id}>
            <dt title={field.id}>{names.get(field.id)}</dt>
            <EqualValue field={field} value={values.get(field.id)} />
          </div>
        ))}
      </dl>
    </section>
  )
}

function EqualValue({ field, value }: { field: Field; value: unknown }) {
  if (value === undefined) return <dd className="dim">not recorded by some runs</dd>
  return (
    <dd className="n" title={value === null ? undefined : wholeText(field, value)}>
      <bdi>{value === null ? nullWord(field) : withUnit(field, value)}</bdi>
    </dd>
  )
}
