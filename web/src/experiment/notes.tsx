// Tags and notes that users add to a result. The uploaded file does not change.
import { type FormEvent, useState } from 'react'

import { causeOf } from '../api/client'
import { useChange, useChanges } from '../api/queries'
import type { ChangeRequest, Changes, Experiment } from '../api/types'
import { time } from '../format/time'
import { authorOf, usePreferences } from '../keys/store'
import { Act, Button, Field, IconButton, join, Note } from '../ui/controls'
import { Author, Needs } from '../ui/needs'
import page from '../ui/page.module.css'
import css from './notes.module.css'

const NOTES_MAX = 20_000
type Tags = [name: string, value: string][]
const tagsOf = (experiment: Experiment): Tags =>
  Object.entries(experiment.tags ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])

export const hasNotes = (experiment: Experiment) => Boolean(experiment.notes) || tagsOf(experiment).length > 0

// Sends only changed keys, so that changes of other users remain.
export function changeOf(experiment: Experiment, tags: Tags, notes: string): ChangeRequest {
  const before = new Map(tagsOf(experiment))
  const after = new Map(
    tags.map(([name, value]): [string, string] => [name.trim(), value]).filter(([name]) => name !== ''),
  )
  const changed: Record<string, string | null> = {}
  for (const [name, value] of after) if (before.get(name) !== value) changed[name] = value
  for (const name of before.keys()) if (!after.has(name)) changed[name] = null
  const text = notes.trim() === '' ? null : notes
  return {
    ...(Object.keys(changed).length ? { tags: changed } : {}),
    ...(text === (experiment.notes ?? null) ? {} : { notes: text }),
  }
}

export function Notes({ experiment, shown }: { experiment: Experiment; shown: string }) {
  const [isEditing, setEditing] = useState(false)
  const [hasHistory, setHistory] = useState(false)
  const tags = tagsOf(experiment)
  return (
    <section className={page.block} id="notes" aria-label="Tags and notes">
      <div className={page.blockHead}>
        <h2>Tags and notes</h2>
        <p>Edits here do not change the uploaded file</p>
        <span className={page.end}>
          <Button aria-expanded={hasHistory} onPress={() => setHistory(!hasHistory)}>
            {hasHistory ? 'Hide changes' : 'Show changes'}
          </Button>
          {!isEditing && (
            <Needs role="write">
              <Button look="line" onPress={() => setEditing(true)}>
                Edit
              </Button>
            </Needs>
          )}
        </span>
      </div>
      {isEditing ? (
        <Form experiment={experiment} shown={shown} onClose={() => setEditing(false)} />
      ) : (
        <div className={css.said}>
          {tags.length > 0 && (
            <ul className={css.tags} aria-label="Tags">
              {tags.map(([name, value]) => (
                <li key={name}>
                  <bdi>{name}</bdi>{' '}
                  <b>
                    <bdi>{value}</bdi>
                  </b>
                </li>
              ))}
            </ul>
          )}
          {experiment.notes ? (
            <p className={css.notes}>
              <bdi>{experiment.notes}</bdi>
            </p>
          ) : (
            tags.length === 0 && <p className="dim small">No tags or notes yet.</p>
          )}
        </div>
      )}
      {hasHistory && <History id={experiment.id} />}
    </section>
  )
}

function Form({ experiment, shown, onClose }: { experiment: Experiment; shown: string; onClose: () => void }) {
  const { change } = useChange(experiment, shown)
  const [tags, setTags] = useState<Tags>(() => [...tagsOf(experiment), ['', '']])
  const [notes, setNotes] = useState(experiment.notes ?? '')
  const { author } = usePreferences()
  const body = changeOf(experiment, tags, notes)
  const isChanged = Object.keys(body).length > 0
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (!isChanged) return onClose()
    change.mutate({ ...body, ...authorOf({ author }) }, { onSuccess: onClose })
  }
  // an empty line follows the last one with a tag
  const edit = (at: number, part: 0 | 1, text: string) => {
    const next = tags.map((tag, i): [string, string] => (i !== at ? tag : part === 0 ? [text, tag[1]] : [tag[0], text]))
    setTags(next.at(-1)?.[0] ? [...next, ['', '']] : next)
  }
  return (
    <form className={css.form} onSubmit={save}>
      <p className={join(css.line, css.labels)} aria-hidden="true">
        <span>Tag</span>
        <span>Value</span>
      </p>
      {tags.map(([name, value], i) => (
        <div key={i} className={css.line}>
          <Field
            label={`Tag ${i + 1}`}
            maxLength={100}
            value={name}
            onChange={(event) => edit(i, 0, event.target.value)}
          />
          <Field
            label={`Value of tag ${i + 1}`}
            maxLength={1000}
            value={value}
            onChange={(event) => edit(i, 1, event.target.value)}
          />
          {name !== '' ? (
            <IconButton
              icon="close"
              name={`Remove tag ${name}`}
              onPress={() => setTags(tags.filter((_, other) => other !== i))}
            />
          ) : (
            <span />
          )}
        </div>
      ))}
      <label className={css.area}>
        <span>Notes</span>
        <textarea rows={4} maxLength={NOTES_MAX} value={notes} onChange={(event) => setNotes(event.target.value)} />
      </label>
      {change.error && (
        <Note kind="bad" role="alert">
          <b>Could not save the change.</b> {causeOf(change.error)}
        </Note>
      )}
      <div className={css.foot}>
        <Author className={css.author} hint="Your name, optional" />
        <span className="grow" />
        <Button onPress={onClose}>Cancel</Button>
        <Button look="fill" type="submit" isDisabled={change.isPending || !isChanged}>
          Save
        </Button>
      </div>
    </form>
  )
}

type Change = Changes['changes'][number]
const WORDS: Record<Change['kind'], string> = {
  tag: 'tag',
  notes: 'notes',
  deleted: 'deleted',
  restored: 'restored',
  replaced: 'replaced',
}

function History({ id }: { id: number }) {
  const changes = useChanges(id, true)
  if (changes.error)
    return (
      <Note kind="warn" role="alert">
        <b>Could not load the changes.</b> {causeOf(changes.error)}{' '}
        <Act onPress={() => void changes.refetch()}>Retry</Act>
      </Note>
    )
  if (!changes.data) return null
  if (changes.data.length === 0) return <p className={css.none}>No changes since upload.</p>
  return (
    <div
      className={page.scroll}
      tabIndex={0}
      role="region"
      aria-label="Changes table"
      aria-description="Scrolls sideways"
    >
      <table className={page.rows}>
        <thead>
          <tr>
            <th scope="col">When, UTC</th>
            <th scope="col">Author</th>
            <th scope="col">Change</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.data.map((one, i) => (
            <tr key={i}>
              <td className="n">{time(one.changed_at, true)}</td>
              <td>
                <bdi>{one.author ?? '–'}</bdi>
              </td>
              <td>
                {WORDS[one.kind]}
                {one.name && (
                  <>
                    {' '}
                    <code>
                      <bdi>{one.name}</bdi>
                    </code>
                  </>
                )}
              </td>
              <td className={page.val}>
                <bdi>{one.from ?? '–'}</bdi>
              </td>
              <td className={page.val}>
                <bdi>{one.to ?? '–'}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
