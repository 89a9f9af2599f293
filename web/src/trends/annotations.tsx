// Notes at a time or a version of the axis: shown as numbered flags on the charts, and as a list that adds, edits and
// deletes them.
import { type FormEvent, useState } from 'react'

import { causeOf } from '../api/client'
import { useAnnotationActions, useAnnotations } from '../api/trends'
import type { Annotation } from '../api/types'
import { readTime, time } from '../format/time'
import { authorOf, usePreferences } from '../keys/store'
import { Act, Button, Field, join, Note, Segment } from '../ui/controls'
import page from '../ui/page.module.css'
import { isRestricted } from './flags'
import css from './trends.module.css'

type Kind = 'version' | 'time'

interface Draft {
  of: Annotation | null // null: a new one
  kind: Kind
  place: string
  text: string
}

const draftOf = (of: Annotation): Draft => ({
  of,
  kind: of.version != null ? 'version' : 'time',
  place: of.version ?? (of.at_time == null ? '' : time(of.at_time)),
  text: of.text,
})

interface Props {
  usual: { kind: Kind; place: string } // of a new annotation
}

export function Annotations({ usual }: Props) {
  const found = useAnnotations()
  const actions = useAnnotationActions()
  const [draft, setDraft] = useState<Draft | null>(null)
  const [failure, setFailure] = useState<{ what: string; error: Error } | null>(null)
  const list = found.data ?? []
  const run = async (what: string, ask: Promise<unknown>) => {
    setFailure(null)
    try {
      await ask
      return true
    } catch (error) {
      setFailure({ what, error: error as Error })
      return false
    }
  }
  return (
    <section className={page.block} aria-label="Annotations">
      <div className={page.blockHead}>
        <h2>Annotations</h2>
        <p>numbered flags on the axis; everyone sees them</p>
        <span className={page.end}>
          <Button look="line" onPress={() => setDraft({ of: null, ...usual, text: '' })} isDisabled={draft !== null}>
            Add annotation
          </Button>
        </span>
      </div>
      {draft && (
        <Editor
          draft={draft}
          onCancel={() => setDraft(null)}
          onSave={async (place, text, author) => {
            const { of } = draft
            const isStored = await run(
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
              <Act onPress={() => setDraft(draftOf(one))}>
                Edit<span className="sr"> annotation {i + 1}</span>
              </Act>
              <Act onPress={() => void run('Could not delete the annotation.', actions.remove(one))}>
                Delete<span className="sr"> annotation {i + 1}</span>
              </Act>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface EditorProps {
  draft: Draft
  onCancel: () => void
  onSave: (place: { version: string } | { at_time: string }, text: string, author: { author?: string }) => Promise<void>
}

function Editor({ draft, onCancel, onSave }: EditorProps) {
  const { author, set } = usePreferences()
  const [kind, setKind] = useState(draft.kind)
  const [place, setPlace] = useState(draft.place)
  const [text, setText] = useState(draft.text)
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
            : ''
    setFault(said)
    if (said) return
    await onSave(
      when && 'value' in when ? { at_time: when.value } : { version: place.trim() },
      text.trim(),
      authorOf({ author }),
    )
  }
  return (
    <form
      className={css.editor}
      aria-label={draft.of ? 'Edit annotation' : 'Add annotation'}
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
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
        invalid={fault !== '' && !/text/.test(fault)}
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
      {!draft.of && (
        <Field
          label="Your name"
          placeholder="Your name"
          maxLength={200}
          value={author}
          onChange={(event) => set({ author: event.target.value })}
        />
      )}
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
