// The sides of the comparison: name, verdict, number of runs. The header stays in view and its columns are those of all
// tables below. The first side is the baseline; a side is moved by its buttons, with Alt and an arrow, or by dragging.
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'wouter'

import { count } from '../format/number'
import { isFailed, statusWord } from '../format/value'
import { SEPARATOR } from '../names/names'
import { Slot } from '../tray/slot'
import { Act, IconButton, join } from '../ui/controls'
import { oneStop } from '../ui/one-stop'
import type { Experiment } from '../api/types'
import { Simulated, State, Verdict } from '../ui/verdict'
import { type Side, writeSide } from '../url/compare'
import { useMedia } from '../ui/use-media'
import { paths } from '../url/paths'
import css from './compare.module.css'
import { Mark } from './mark'
import { type SideView, verdictsText } from './model'

interface Props {
  views: SideView[]
  onMove: (from: number, to: number) => void
  onRemove: (at: number) => void
  onSimulated: () => void
}

export function Sides({ views, onMove, onRemove, onSimulated }: Props) {
  const [dragged, setDragged] = useState<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const isStacked = useMedia('(max-width: 1023px)') // one side below the other
  const move = (from: number, to: number) => {
    if (to < 0 || to >= views.length) return
    onMove(from, to)
    // the focus follows the side that moved
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-at="${to}"]`)?.focus())
  }
  const keys = (event: KeyboardEvent, at: number) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ...(isStacked && { ArrowUp: -1, ArrowDown: 1 }) }[event.key]
    if (!event.altKey || by === undefined) return
    event.preventDefault()
    move(at, at + by)
  }
  return (
    <div className={css.sides}>
      <p className={css.hint}>
        Compared
        <br />
        Drag to reorder, or <kbd>Alt</kbd> <kbd>←</kbd> <kbd>→</kbd>
      </p>
      <ol ref={list} aria-label="Compared" {...oneStop}>
        {views.map((view) => (
          <li
            key={writeSide(view.side)}
            data-at={view.at}
            tabIndex={0}
            className={dragged === view.at ? css.dragged : undefined}
            onKeyDown={(event) => keys(event, view.at)}
            aria-label={`${view.letter}: ${view.fullName}${view.at === 0 ? ' (baseline)' : ''}`}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData('text/plain', view.fullName)
              setDragged(view.at)
            }}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              if (dragged !== null) move(dragged, view.at)
            }}
          >
            <div className={css.top}>
              <Slot letter={view.letter} />
              <Mark at={view.at} />
              <Name view={view} />
            </div>
            {view.ownName !== view.name && !view.name.includes(view.ownName) && (
              <p className={join(css.own, 'clip')} title={view.ownName}>
                <bdi>{view.ownName}</bdi>
              </p>
            )}
            <About view={view} onSimulated={onSimulated} />
            <span className={css.buttons}>
              {view.at > 0 && (
                <IconButton
                  icon={isStacked ? 'up' : 'left'}
                  name={`Move ${view.letter} ${isStacked ? 'up' : 'left'}`}
                  onPress={() => move(view.at, view.at - 1)}
                />
              )}
              {view.at < views.length - 1 && (
                <IconButton
                  icon={isStacked ? 'lower' : 'right'}
                  name={`Move ${view.letter} ${isStacked ? 'down' : 'right'}`}
                  onPress={() => move(view.at, view.at + 1)}
                />
              )}
              <IconButton icon="close" name={`Remove ${view.letter}`} onPress={() => onRemove(view.at)} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

const addressOf = (side: Side, id: number | undefined) =>
  id !== undefined ? paths.experiment(id) : 'filter' in side ? paths.group(side.filter) : null

function Name({ view: { side, name, fullName, told } }: { view: SideView }) {
  const href = addressOf(side, told.runs === 1 ? told.ids?.[0] : undefined)
  // a component is never cut from its separator
  const parts = name.split(SEPARATOR).map((part, i) => <bdi key={i}>{part}</bdi>)
  return (
    <b className={css.name} title={fullName}>
      {href === null ? <span>{parts}</span> : <Link href={href}>{parts}</Link>}
    </b>
  )
}

// A failed run has no verdict, so its status is shown.
export function SideVerdict({ experiment }: { experiment: Experiment }) {
  const status = experiment.fields['run.status']?.value
  return isFailed(status) ? (
    <State state="failed" word={statusWord(status)} />
  ) : (
    <Verdict verdict={experiment.verdict} />
  )
}

function About({ view: { at, told, experiment }, onSimulated }: { view: SideView; onSimulated: () => void }) {
  const { runs, simulated, excluded: left = 0, unmatched: fell = 0 } = told
  const requests = experiment?.fields['results.completed']?.value
  return (
    <p className={css.about}>
      {experiment ? <SideVerdict experiment={experiment} /> : <span>{verdictsText(told)}</span>}
      {simulated > 0 && <Simulated />}
      {simulated > 0 && simulated < runs && <span>{count(simulated)} of them</span>}
      <span className="dim">
        {count(runs)} {runs === 1 ? 'run' : 'runs'}
        {typeof requests === 'number' && <span className={css.requests}>, {count(requests)} requests</span>}
      </span>
      {at === 0 && <span className={join(css.base, 'dim')}>baseline</span>}
      {left > 0 && (
        <span>
          {count(left)} simulated {left === 1 ? 'run' : 'runs'} excluded <Act onPress={onSimulated}>Include</Act>
        </span>
      )}
      {fell > 0 && (
        <span>
          {count(fell)} {fell === 1 ? 'run' : 'runs'} excluded: no match
        </span>
      )}
    </p>
  )
}
