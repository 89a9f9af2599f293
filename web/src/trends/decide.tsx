// The decision on a change: by button or by key, with a comment and the name of its author.
import { useState } from 'react'

import { causeOf } from '../api/client'
import { useDecide } from '../api/trends'
import type { Decision, DecisionKind, Verdict } from '../api/types'
import { time } from '../format/time'
import { authorOf, usePreferences } from '../keys/store'
import { useKeys } from '../keys/use-keys'
import { Act, Button, Field, Note } from '../ui/controls'
import { Author, Needs } from '../ui/needs'
import { useRefusal } from '../ui/user'
import { oneStop } from '../ui/one-stop'
import { type Change, DECISION_WORDS } from './model'
import css from './trends.module.css'

const CHOICES: [kind: DecisionKind, word: string, key: string, effect: string][] = [
  ['expected', 'Expected', '1', 'Earlier runs are no longer analyzed: a new history begins here'],
  ['wrong', 'Wrong', '2', 'No change is reported at this place again'],
  ['fixed', 'Fixed', '3', 'The cause is known and fixed'],
  ['acknowledged', 'Acknowledged', '4', 'Someone works on it'],
]

const isAbout = (change: Change) => (one: Decision) => one.experiment_id === change.id_after || one.at === change.at

interface Props {
  verdict: Verdict
  change: Change
  decisions: Decision[]
  by: 'time' | 'version'
}

export function Decide({ verdict, change, decisions, by }: Props) {
  const { author } = usePreferences()
  const [note, setNote] = useState('')
  const store = useDecide()
  const stored = decisions.findLast(isAbout(change))
  const refusal = useRefusal('write')
  const decide = (kind: DecisionKind) => {
    if (store.isPending || refusal) return
    store.mutate(
      {
        series: verdict.key,
        metric: verdict.metric,
        at: change.at,
        order_by: by,
        experiment_id: change.id_after,
        kind,
        note: note.trim(),
        ...authorOf({ author }),
      },
      { onSuccess: () => setNote('') },
    )
  }
  useKeys(Object.fromEntries(CHOICES.map(([kind, , key]) => [key, () => decide(kind)])))
  const said = stored && stored.kind !== 'none' ? stored : undefined
  return (
    <section className={css.decide} aria-label="Decision">
      <span>Decide:</span>
      <span className={css.choices} role="toolbar" aria-label="Decisions" {...oneStop}>
        <Needs role="write">
          {CHOICES.map(([kind, word, key, effect]) => (
            <span key={kind} title={effect}>
              <Button
                look="line"
                aria-pressed={change.decision === kind}
                {...(store.isPending && { isDisabled: true })}
                onPress={() => decide(kind)}
              >
                {word} <kbd aria-hidden="true">{key}</kbd>
              </Button>
            </span>
          ))}
        </Needs>
      </span>
      <span className={css.comment}>
        <Field
          label="Comment"
          placeholder="Comment"
          maxLength={2000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </span>
      <span className={css.author}>
        <Author />
      </span>
      <span className={css.decided} role="status">
        {store.isPending
          ? 'Storing the decision…'
          : said
            ? `${DECISION_WORDS[said.kind]}, ${said.author ?? 'dashboard'}, ${time(said.created_at)}${said.note ? `: ${said.note}` : ''}`
            : 'No decision yet. Your name is stored with it.'}
      </span>
      {store.error && (
        <Note kind="bad" role="alert">
          <b>Could not store the decision.</b> {causeOf(store.error)}
        </Note>
      )}
    </section>
  )
}

interface HistoryProps {
  decisions: Decision[]
  isOpen: boolean // from the start
}

// Every decision on this series, the latest last: none replaces another. Withdrawing adds one, too.
export function Decisions({ decisions, isOpen }: HistoryProps) {
  const { author } = usePreferences()
  const store = useDecide()
  if (decisions.length === 0) return null
  const withdraw = ({ series, metric, at, order_by, experiment_id }: Decision) =>
    store.mutate({ series, metric, at, order_by, experiment_id, kind: 'none', ...authorOf({ author }) })
  const isLast = (one: Decision) => decisions.findLast((other) => isSamePlace(one, other)) === one
  return (
    <details className={css.history} open={isOpen}>
      <summary>
        {decisions.length} {decisions.length === 1 ? 'decision' : 'decisions'} on this series
      </summary>
      <ul>
        {decisions.map((one) => (
          <li key={one.id}>
            <b>{DECISION_WORDS[one.kind]}</b> <span className="n">{time(one.created_at)}</span>{' '}
            <bdi>{one.author ?? 'dashboard'}</bdi>
            {one.note && (
              <>
                : <bdi>{one.note}</bdi>
              </>
            )}{' '}
            {one.kind !== 'none' && isLast(one) && (
              <Needs role="write" isListed>
                <Act {...(store.isPending && { isDisabled: true })} onPress={() => withdraw(one)}>
                  Withdraw
                </Act>
              </Needs>
            )}
          </li>
        ))}
      </ul>
      {store.error && (
        <Note kind="bad" role="alert">
          <b>Could not withdraw the decision.</b> {causeOf(store.error)}
        </Note>
      )}
    </details>
  )
}

const isSamePlace = (a: Decision, b: Decision) => a.experiment_id === b.experiment_id && a.at === b.at
