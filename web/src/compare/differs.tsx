// The inputs in which the sides differ, then those in which runs of one side do; equal ones are folded.
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

const HEADED_FROM = 8 // fewer are seen at once
const ROLES: Record<string, string> = { input: 'What was asked for', engine: 'The engine', host: 'The host' }

export function Differs({ answer: { inputs }, views, catalogue, withEqual, onEqual }: Props) {
  const all = inputs.differing.length + inputs.equal + inputs.partly_recorded
  const roles = Object.keys(ROLES).map((role) => ({ role, rows: inputs.differing.filter((one) => one.role === role && one.between) })).filter(({ rows }) => rows.length)
  const names = namesApart([...inputs.differing.map(({ field }) => field), ...(inputs.equal_fields ?? []).map(({ field }) => field), ...(inputs.partly_recorded_fields ?? [])].map((id) => catalogue.get(id)))
  const within = inputs.differing.filter(({ between }) => !between)
  return (
    <section className={page.block} aria-label="What differs">
      <div className={page.blockHead}><h2>What differs</h2><p>{count(inputs.differing.length)} of {count(all)} parameters</p></div>
      {inputs.differing.length > 0 && (
        <div className={page.scroll} tabIndex={0} role="region" aria-label="What differs, scrolls sideways">
          <table className={join(page.rows, css.diff)}>
            <thead><tr><th scope="col">Parameter</th>{views.map(({ letter, at }) => <th key={letter} scope="col">{letter}{at === 0 ? ', the base' : ''}</th>)}</tr></thead>
            {roles.map(({ role, rows }) => <Rows key={role} title={inputs.differing.length >= HEADED_FROM || within.length > 0 ? (ROLES[role] ?? role) : ''} rows={rows} catalogue={catalogue} names={names} />)}
            {within.length > 0 && <Rows title="Differs between the runs of a side" rows={within} catalogue={catalogue} names={names} />}
          </table>
        </div>
      )}
      {inputs.differing.length === 0 && <p className={css.quiet}>Nothing: every input that is recorded is the same everywhere.</p>}
      {withEqual && <Equal answer={inputs} catalogue={catalogue} names={names} />}
      <p className={css.foot}>
        <Act aria-expanded={withEqual} onPress={() => onEqual(!withEqual)}>{withEqual ? 'Hide equal parameters' : `Show ${count(inputs.equal + inputs.partly_recorded)} equal parameters`}</Act>
        <span>Ports, file names and addresses are not counted.{inputs.partly_recorded > 0 && ` ${count(inputs.partly_recorded)} of the equal ones are not recorded in some runs.`}</span>
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
