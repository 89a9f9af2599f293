// Who is compared: what each is, whether it can be trusted, how many runs it has. The first is the base; they can be moved
// by their buttons, with Alt and an arrow, and by drag.
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'wouter'

import { count } from '../format/number'
import { Slot } from '../tray/slot'
import { Act, IconButton, join } from '../ui/controls'
import { Simulated, Verdict } from '../ui/verdict'
import { type Side, writeSide } from '../url/compare'
import { paths } from '../url/paths'
import css from './compare.module.css'
import { Mark } from './mark'
import { type SideView, verdictsText } from './model'

const MANY = 4 // names have lines of their own then

interface Props {
  views: SideView[]
  onMove: (from: number, to: number) => void
  onRemove: (at: number) => void
  onSimulated: () => void
}

export function Sides({ views, onMove, onRemove, onSimulated }: Props) {
  const [dragged, setDragged] = useState<number | null>(null)
  const list = useRef<HTMLOListElement>(null)
  const move = (from: number, to: number) => {
    if (to < 0 || to >= views.length) return
    onMove(from, to)
    // the focus goes with what was moved
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-at="${to}"]`)?.focus())
  }
  const keys = (event: KeyboardEvent, at: number) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!event.altKey || by === undefined) return
    event.preventDefault()
    move(at, at + by)
  }
  return (
    <ol ref={list} className={css.sides} aria-label="Compared" data-many={views.length > MANY || undefined} style={{ gridTemplateColumns: `repeat(${views.length}, minmax(190px, 1fr))` }}>
      {views.map((view) => (
        <li key={writeSide(view.side)} data-at={view.at} tabIndex={0} className={dragged === view.at ? css.dragged : undefined} onKeyDown={(event) => keys(event, view.at)} aria-label={`${view.letter}: ${view.name}${view.at === 0 ? ', the base' : ''}`} draggable
          onDragStart={(event) => { event.dataTransfer.setData('text/plain', view.name); setDragged(view.at) }} onDragEnd={() => setDragged(null)} onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => { event.preventDefault(); if (dragged !== null) move(dragged, view.at) }}>
          <div className={css.top}>
            <Slot letter={view.letter} />
            <Mark at={view.at} />
            <Name view={view} />
            <span className={css.buttons}>
              {view.at > 0 && <IconButton icon="left" name={`${view.letter}: one place forward`} onPress={() => move(view.at, view.at - 1)} />}
              {view.at < views.length - 1 && <IconButton icon="right" name={`${view.letter}: one place back`} onPress={() => move(view.at, view.at + 1)} />}
              <IconButton icon="close" name={`Remove ${view.letter}`} onPress={() => onRemove(view.at)} />
            </span>
          </div>
          <About view={view} onSimulated={onSimulated} />
          <p className={css.base}>{view.at === 0 ? 'the base' : <Act onPress={() => move(view.at, 0)}>Make it the base</Act>}</p>
        </li>
      ))}
    </ol>
  )
}

const addressOf = (side: Side, id: number | undefined) => (id !== undefined ? paths.experiment(id) : 'filter' in side ? paths.group(side.filter) : null)

function Name({ view: { side, name, told } }: { view: SideView }) {
  const href = addressOf(side, told.runs === 1 ? told.ids?.[0] : undefined)
  return <b className={join(css.name, 'clip')} title={name}>{href === null ? <bdi>{name}</bdi> : <Link href={href}><bdi>{name}</bdi></Link>}</b>
}

function About({ view: { told, experiment }, onSimulated }: { view: SideView; onSimulated: () => void }) {
  const { runs, simulated, left_out: left = 0, fell_out: fell = 0 } = told
  const requests = experiment?.fields['results.completed']?.value
  return (
    <p className={css.about}>
      {experiment ? <Verdict verdict={experiment.verdict} /> : <span>{verdictsText(told)}</span>}
      {simulated > 0 && <Simulated />}
      {simulated > 0 && simulated < runs && <span>{count(simulated)} of them</span>}
      <span className="n dim">{count(runs)} {runs === 1 ? 'run' : 'runs'}{typeof requests === 'number' ? `, ${count(requests)} requests` : ''}</span>
      {left > 0 && <span>{count(left)} simulated left out <Act onPress={onSimulated}>Take them in</Act></span>}
      {fell > 0 && <span>{count(fell)} without a match left out</span>}
    </p>
  )
}
