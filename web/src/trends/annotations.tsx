// Notes at a time or a version of the axis: shown as numbered flags on the charts, and as a list that adds, edits and
// deletes them.
import { type FormEvent, useMemo, useState } from 'react'

import { causeOf } from '../api/client'
import { useAnnotationActions, useAnnotations } from '../api/trends'
import type { Annotation, Scalar } from '../api/types'
import { type Catalogue, longName } from '../fields/catalogue'
import { readTime, time } from '../format/time'
import { authorOf, usePreferences } from '../keys/store'
import { Act, Button, Field, join, Note, Segment } from '../ui/controls'
import { Author, Needs } from '../ui/needs'
import page from '../ui/page.module.css'
import { Suggest } from '../ui/suggest'
import { useFailure } from '../ui/use-failure'
import { isRestricted } from './flags'
import { typedValue } from './releases-model'
import css from './trends.module.css'

type Kind = 'version' | 'time'

interface Draft {
  of: Annotation | null // null: a new one
  kind: Kind
  place: string
  text: string
  field: string // '': it belongs to all lines
  value: string
}

// The place and the lines of an annotation, as the API has them.
type Placed = ({ version: string } | { at_time: string }) & { field: string | null; value: Scalar | null }

const draftOf = (of: Annotation): Draft => ({
  of,
  kind: of.version != null ? 'version' : 'time',
  place: of.version ?? (of.at_time == null ? '' : time(of.at_time)),
  text: of.text,
  field: isRestricted(of) ? (of.field ?? '') : '',
  value: String(of.value ?? ''),
})

interface Props {
  usual: { kind: Kind; place: string } // of a new annotation
  catalogue: Catalogue
}

export function Annotations({ usual, catalogue }: Props) {
  const found = useAnnotations()
  const actions = useAnnotationActions()
  const [draft, setDraft] = useState<Draft | null>(null)
  const { failure, attempt } = useFailure()
  const list = found.data ?? []
  return (
    <section className={page.block} aria-label="Annotations">
      <div className={page.blockHead}>
        <h2>Annotations</h2>
        <p>numbered flags on the axis; everyone sees them</p>
        <span className={page.end}>
          <Needs role="write">
            <Button
              look="line"
              onPress={() => setDraft({ of: null, ...usual, text: '', field: '', value: '' })}
              {...(draft && { isDisabled: true })}
            >
              Add annotation
            </Button>
          </Needs>
        </span>
      </div>
      {draft && (
        <Editor
          key={draft.of?.id ?? 0} // the inputs begin with those of the annotation
          {...{ draft, catalogue }}
          onCancel={() => setDraft(null)}
          onSave={async (place, text, author) => {
            const { of } = draft
            const isStored = await attempt(
              of ? 'Could not change the annotation.' : 'Could not add the annotation.',
              of ? actions.change(of, { ...place, text }) : actions.add({ ...place, text, ...author }),
            )
            if (isStored) setDraft(null)
          }}
        />
      )}
      {failure && (
        <Note kind="bad" role="alert">
          <b>{failure.what}</b> {causeOf(failure.error)}
        </Note>
      )}
      {found.error && (
        <Note kind="bad" role="alert">
          <b>Could not load the annotations.</b> {causeOf(found.error)}{' '}
          <Act onPress={() => void found.refetch()}>Retry</Act>
        </Note>
      )}
      {found.data && list.length === 0 && !draft && (
        <p className={css.none}>No annotations. Add one for a new driver, another host or a release note.</p>
      )}
      <ol className={css.notes}>
        {list.map((one, i) => (
          <li key={one.id}>
            <span className={css.number}>{i + 1}</span>
            <span className="n">{one.version ?? (one.at_time == null ? '–' : time(one.at_time))}</span>
            <bdi className={css.text}>{one.text}</bdi>
            {isRestricted(one) && (
              <span className="dim" title={one.field ?? ''}>
                only lines with <bdi>{`${one.field} ${String(one.value)}`}</bdi>
              </span>
            )}
            <span className="dim">
              <bdi>{one.author}</bdi>
            </span>
            <span className={css.acts}>
              <Needs role="write" isListed>
                <Act onPress={() => setDraft(draftOf(one))}>
                  Edit<span className="sr"> annotation {i + 1}</span>
                </Act>
                <Act onPress={() => void attempt('Could not delete the annotation.', actions.remove(one))}>
                  Delete<span className="sr"> annotation {i + 1}</span>
                </Act>
              </Needs>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

const OFFERED = 40

// The fields whose value can restrict an annotation.
function useOffered(catalogue: Catalogue, words: string) {
  return useMemo(
    () =>
      catalogue
        .search(
          words,
          catalogue.fields.filter(({ role, type }) => role !== 'output' && type !== 'json'),
        )
        .slice(0, OFFERED)
        .map((one) => ({ id: one.id, name: longName(one), note: one.id })),
    [catalogue, words],
  )
}

interface EditorProps {
  draft: Draft
  catalogue: Catalogue
  onCancel: () => void
  onSave: (place: Placed, text: string, author: { author?: string }) => Promise<void>
}

function Editor({ draft, catalogue, onCancel, onSave }: EditorProps) {
  const { author } = usePreferences()
  const [kind, setKind] = useState(draft.kind)
  const [place, setPlace] = useState(draft.place)
  const [text, setText] = useState(draft.text)
  const [field, setField] = useState(draft.field)
  const [value, setValue] = useState(draft.value)
  const [words, setWords] = useState('')
  const offered = useOffered(catalogue, words)
  const [fault, setFault] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const when = kind === 'time' ? readTime(place.trim()) : null
    const said =
      text.trim() === ''
        ? 'Enter a text.'
        : place.trim() === ''
          ? 'Enter a version or a time.'
          : when && 'fault' in when
            ? when.fault
            : field !== '' && value === ''
              ? 'Enter the value of the lines.'
              : ''
    setFault(said)
    if (said) return
    const lines =
      field === '' ? { field: null, value: null } : { field, value: typedValue(catalogue.get(field), value) }
    await onSave(
      { ...(when && 'value' in when ? { at_time: when.value } : { version: place.trim() }), ...lines },
      text.trim(),
      authorOf({ author }),
    )
  }
  return (
    <form
      className={css.editor}
      aria-label={draft.of ? 'Edit annotation' : 'Add annotation'}
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        // the first Escape closes open suggestions
        if (event.key === 'Escape' && (event.target as Element).getAttribute('aria-expanded') !== 'true') onCancel()
      }}
    >
      <Segment
        label="Place"
        value={kind}
        onChange={(to) => setKind(to as Kind)}
        options={[
          ['version', 'Version'],
          ['time', 'Time'],
        ]}
      />
      <Field
        label={kind === 'version' ? 'Version' : 'Time, UTC'}
        placeholder={kind === 'version' ? '0.31.0' : '2026-11-19 14:12'}
        value={place}
        invalid={fault !== '' && !/text|lines/.test(fault)}
        onChange={(event) => setPlace(event.target.value)}
      />
      <span className={css.comment}>
        <Field
          label="Text"
          placeholder="Text"
          autoFocus
          maxLength={2000}
          value={text}
          invalid={/text/.test(fault)}
          onChange={(event) => setText(event.target.value)}
        />
      </span>
      {field === '' ? (
        <Suggest
          label="Only lines with"
          placeholder="All lines"
          text=""
          items={offered}
          onType={setWords}
          onPick={setField}
        />
      ) : (
        <>
          <span>
            only lines with <bdi title={field}>{longName(catalogue.get(field))}</bdi>
          </span>
          <Field
            label="Value of the lines"
            placeholder="Value"
            autoFocus={draft.field === ''}
            maxLength={1000}
            value={value}
            invalid={/lines/.test(fault)}
            onChange={(event) => setValue(event.target.value)}
          />
          <Act onPress={() => setField('')}>All lines</Act>
        </>
      )}
      {!draft.of && <Author />}
      <Button look="line" type="submit">
        Save
      </Button>
      <Button onPress={onCancel}>Cancel</Button>
      {fault && (
        <p role="alert" className={join('small', css.fault)}>
          {fault}
        </p>
      )}
    </form>
  )
}
