// The inputs in which the sides differ, the most important first, then those in which runs of one side differ. Equal inputs are folded.
import { useState } from 'react'

import type { ComparedInput } from '../api/types'
import { type Catalogue, namesApart } from '../fields/catalogue'
import { count, formOfRow, isNumeric } from '../format/number'
import { NOT_RECORDED, UNSET, valueText, wholeText, withUnit } from '../format/value'
import { Act, join } from '../ui/controls'
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
const ROLES: Record<string, string> = { input: 'What was asked for', engine: 'The engine', host: 'The host' }

export function Differs({ answer: { inputs }, views, catalogue, withEqual, onEqual }: Props) {
  const [isOpen, setOpen] = useState(false)
  const all = inputs.differing.length + inputs.equal + inputs.partly_recorded
  const between = inputs.differing.filter((one) => one.between).sort((a, b) => catalogue.rankOf(a.field) - catalogue.rankOf(b.field))
  const isFolded = !isOpen && inputs.differing.length >= FOLDED_FROM
  const roles = Object.keys(ROLES).map((role) => ({ role, rows: between.filter((one) => one.role === role) })).filter(({ rows }) => rows.length)
  // the list of equal parameters may repeat a name from here; then it says the longer one alone
  const differing = inputs.differing.map(({ field }) => catalogue.get(field))
  const names = namesApart(differing)
  const namesOfAll = namesApart([...differing, ...[...(inputs.equal_fields ?? []).map(({ field }) => field), ...(inputs.partly_recorded_fields ?? [])].map((id) => catalogue.get(id))])
  const within = inputs.differing.filter((one) => !one.between)
  return (
    <section className={page.block} aria-label="What differs">
      <div className={page.blockHead}><h2>What differs</h2><p>{count(inputs.differing.length)} of {count(all)} parameters</p></div>
      {inputs.differing.length > 0 && (
        <div className={page.scroll} tabIndex={0} role="region" aria-label="What differs, scrolls sideways">
          <table className={join(page.rows, css.sided)}>
            <thead><tr><th scope="col">Parameter</th>{views.map(({ letter, at }) => <th key={letter} scope="col">{letter}{at === 0 ? ', the baseline' : ''}</th>)}</tr></thead>
            {isFolded && <Rows title="" rows={between.slice(0, FOLDED_TO)} catalogue={catalogue} names={names} />}
            {!isFolded && roles.map(({ role, rows }) => <Rows key={role} title={inputs.differing.length >= HEADED_FROM || within.length > 0 ? (ROLES[role] ?? role) : ''} rows={rows} catalogue={catalogue} names={names} />)}
            {!isFolded && within.length > 0 && <Rows title="Differs between the runs of a side" rows={within} catalogue={catalogue} names={names} />}
          </table>
        </div>
      )}
      {inputs.differing.length >= FOLDED_FROM && <p className={css.foot}><Act aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>{isOpen ? `Show the ${FOLDED_TO} most important` : `Show all ${count(inputs.differing.length)}`}</Act></p>}
      {inputs.differing.length === 0 && <p className={css.quiet}>No recorded input differs.</p>}
      {withEqual && <Equal answer={inputs} catalogue={catalogue} names={namesOfAll} />}
      <p className={css.foot}>
        <Act aria-expanded={withEqual} onPress={() => onEqual(!withEqual)}>{withEqual ? 'Hide equal parameters' : `Show ${count(inputs.equal + inputs.partly_recorded)} equal parameters`}</Act>
        <span>Ports, file names and addresses are not compared.{inputs.partly_recorded > 0 && ` ${count(inputs.partly_recorded)} of the equal ones are not recorded in some runs.`}</span>
      </p>
    </section>
  )
}

type Names = ReturnType<typeof namesApart>

function Rows({ title, rows, catalogue, names }: { title: string; rows: ComparedInput[]; catalogue: Catalogue; names: Names }) {
  return (
    <tbody>
      {title !== '' && <tr className={page.sect}><th scope="colgroup" colSpan={(rows[0]?.sides.length ?? 0) + 1}>{title}</th></tr>}
      {rows.map(({ field: id, sides }) => {
        const field = catalogue.get(id)
        const form = formOfRow(field, valuesOf(sides))
        return (
          <tr key={id}>
            <th scope="row" title={`${id}\n${field.help}`}>{names.get(id)}{form.unit && <span className="dim"> {form.unit}</span>}</th>
            {sides.map((told, at) => {
              const text = valuesText(field, told, undefined, (value) => valueText(field, value, form))
              const whole = join(valuesText(field, told, undefined, (value) => wholeText(field, value)), isNumeric(field) && field.unit)
              const isSame = at > 0 && isSameAs(sides[0], told)
              return <td key={at} className={join(page.val, isSame && css.same)} title={whole}>{isSame && <><span aria-hidden="true">= </span><span className="sr">as A: </span></>}<bdi>{text}</bdi></td>
            })}
          </tr>
        )
      })}
    </tbody>
  )
}

function Equal({ answer: { equal_fields: equal = [], partly_recorded_fields: partly = [] }, catalogue, names }: { answer: Answer['inputs']; catalogue: Catalogue; names: Names }) {
  return (
    <div className={css.equal} role="region" aria-label="Equal parameters" tabIndex={0}>
      <dl>
        {equal.map(({ field: id, value }) => <div key={id}><dt title={id}>{names.get(id)}</dt><dd className="n" title={value === null ? undefined : wholeText(catalogue.get(id), value)}><bdi>{value === null ? UNSET : withUnit(catalogue.get(id), value)}</bdi></dd></div>)}
        {partly.map((id) => <div key={id}><dt title={id}>{names.get(id)}</dt><dd className="dim">equal, or {NOT_RECORDED}</dd></div>)}
      </dl>
    </div>
  )
}
