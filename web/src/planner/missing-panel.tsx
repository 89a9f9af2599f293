// Missing combinations: which runs complete the grid of these results, and which settle its frontier, with their
// experiment files. Nothing is requested before the panel is opened.
import { useState } from 'react'

import { causeOf } from '../api/client'
import { useMissing } from '../api/planner'
import type { Missing, MissingRequest } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { count } from '../format/number'
import { roughSpan } from '../format/time'
import { NOT_RECORDED, UNSET } from '../format/value'
import { Act, Bone, Button, Check, Note } from '../ui/controls'
import { Copy } from '../ui/copy'
import { Icon } from '../ui/icons'
import page from '../ui/page.module.css'
import { save } from '../ui/save'
import { visible } from '../ui/visible'
import { plural, shown, summaryOf } from './model'
import css from './planner.module.css'
import { Combinations, Repeats } from './tables'

interface Props {
  request: MissingRequest // without fields
  catalogue: Catalogue
}

export function MissingPanel({ request, catalogue }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <section className={page.block} aria-label="Missing combinations">
      <div className={page.blockHead}>
        <h2>Missing combinations</h2>
        <p>
          the runs that complete the grid of these results, or settle its frontier{' '}
          <Act aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the runs' : 'Plan runs'}
          </Act>
        </p>
      </div>
      {isOpen && <MissingRuns request={request} catalogue={catalogue} />}
    </section>
  )
}

export function MissingRuns({ request, catalogue }: Props) {
  const [fields, setFields] = useState<string[] | null>(null) // null: those that vary
  const { data, error, refetch, isFetching } = useMissing({ ...request, ...(fields && { fields }) })
  return (
    <>
      {error && (
        <Note kind="bad" role="alert">
          <b>Could not find the missing combinations.</b> {causeOf(error)}{' '}
          <Act onPress={() => void refetch()}>Retry</Act>
        </Note>
      )}
      {!data && !error && <Bone width={420} />}
      {data && (
        <div className={css.panel} aria-busy={isFetching || undefined}>
          <p role="status">{summaryOf(data)}</p>
          <Axes answer={data} fields={fields} onChange={setFields} />
          <Facts answer={data} catalogue={catalogue} />
          <Files answer={data} catalogue={catalogue} />
          <Combinations answer={data} />
          <Repeats answer={data} catalogue={catalogue} />
          <Invalid answer={data} />
        </div>
      )}
    </>
  )
}

// The axes as boxes: a cleared one is no longer part of the grid.
function Axes({
  answer,
  fields,
  onChange,
}: {
  answer: Missing
  fields: string[] | null
  onChange: (f: string[] | null) => void
}) {
  const used = answer.fields.map(({ field }) => field)
  const others = answer.others.filter(({ field }) => !used.includes(field))
  if (answer.fields.length === 0) return null
  return (
    <fieldset className={css.axes}>
      <legend>Grid over</legend>
      {answer.fields.map(({ field, label, values, followers }) => (
        <Check
          key={field}
          isSelected
          isDisabled={used.length === 1}
          onChange={() => onChange(used.filter((one) => one !== field))}
        >
          <span title={followers.length ? `With it: ${followers.map((one) => one.label).join(', ')}` : undefined}>
            {label} <span className="dim">{plural(values.length, 'value')}</span>
          </span>
        </Check>
      ))}
      {others.map(({ field, label }) => (
        <Check key={field} isSelected={false} isDisabled={used.length >= 8} onChange={() => onChange([...used, field])}>
          {label}
        </Check>
      ))}
      {fields && <Act onPress={() => onChange(null)}>Use all fields that vary</Act>}
    </fieldset>
  )
}

function Facts({ answer, catalogue }: { answer: Missing; catalogue: Catalogue }) {
  const followers = answer.fields.flatMap((axis) => axis.followers.map((one) => `${one.label} follows ${axis.label}`))
  const fixed = answer.fields.filter(({ settable }) => !settable)
  return (
    <>
      {followers.length > 0 && <p className="dim">{followers.join('; ')}.</p>}
      {fixed.length > 0 && (
        <p className="dim">
          A file cannot set {fixed.map(({ field }) => longName(catalogue.get(field))).join(' and ')}: there is one file
          per value, to be run there.
        </p>
      )}
      {answer.others.length > 0 && (
        <p className="dim">
          {answer.others.map(({ label }) => label).join(', ')}: the files take these values from the nearest result.
        </p>
      )}
      {answer.incomplete.length > 0 && <Note kind="warn">The time was not enough to list all combinations.</Note>}
    </>
  )
}

function Files({ answer, catalogue }: { answer: Missing; catalogue: Catalogue }) {
  const [opened, setOpened] = useState<string | null>(null)
  const files = answer.files.filter(({ text, problem }) => text !== null || problem !== null)
  if (files.length === 0 && answer.missing.some(({ file }) => file < 0))
    return <Note kind="warn">The nearest results do not contain their experiments, so there is no file.</Note>
  return (
    <ul className={css.files} aria-label="Experiment files">
      {files.map((file) => (
        <li key={file.name}>
          <p>
            <b>{file.name}</b>: {plural(file.combination_count, 'combination')}
            {file.repeats > 1 && `, ${count(file.repeats)} runs of each`}
            {file.seconds !== null && `, about ${roughSpan(file.seconds)}`}
            {Object.entries(file.on).map(([field, value]) => (
              <span key={field}>
                , on {longName(catalogue.get(field))} <bdi>{value === null ? NOT_RECORDED : shown(value)}</bdi>
              </span>
            ))}
          </p>
          {file.problem !== null && <Note kind="warn">The file is not valid: {file.problem}.</Note>}
          {file.secrets && (
            <Note kind="warn">
              <b>*** replaces a secret.</b> Set it before you run the sweep.
            </Note>
          )}
          {file.text !== null && (
            <p className={css.acts}>
              <Button look="line" onPress={() => save(file.name, file.text ?? '', 'application/yaml')}>
                <Icon name="download" />
                Save {file.name}
              </Button>
              <Copy text={() => file.command}>Copy command</Copy>
              <Act
                aria-expanded={opened === file.name}
                onPress={() => setOpened(opened === file.name ? null : file.name)}
              >
                {opened === file.name ? 'Hide the file' : 'Show the file'}
              </Act>
            </p>
          )}
          {opened === file.name && (
            <pre tabIndex={0}>
              <bdi>{visible((file.text ?? '').trimEnd())}</bdi>
            </pre>
          )}
        </li>
      ))}
    </ul>
  )
}

function Invalid({ answer }: { answer: Missing }) {
  if (answer.invalid.length === 0) return null
  return (
    <details>
      <summary>{plural(answer.invalid.length, 'missing combination')} refused by the argument rules</summary>
      <ul>
        {answer.invalid.map(({ values, problems }) => (
          <li key={JSON.stringify(values)}>
            <bdi>{values.map((value) => (value === null ? UNSET : shown(value))).join(', ')}</bdi>:{' '}
            {problems.map(({ message }) => message).join('; ')}
          </li>
        ))}
      </ul>
    </details>
  )
}
