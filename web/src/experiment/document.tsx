// The file as a tree with folded objects. Strings are shown as strings, whatever they contain.
import { useState } from 'react'

import type { Experiment } from '../api/types'
import { time } from '../format/time'
import { formWord } from '../format/value'
import { Button, join } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import page from '../ui/page.module.css'
import { paths } from '../url/paths'
import css from './experiment.module.css'

const ENTRIES_SHOWN = 200

export function Document({ experiment }: { experiment: Experiment }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify(experiment.document, null, 2))
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <section className={page.block} id="document" aria-label="Result file">
      <div className={page.blockHead}>
        <h2>Result file</h2>
        <p>
          {formWord(experiment.form)}
          {experiment.name && (
            <>
              , uploaded as <bdi>{experiment.name}</bdi>
            </>
          )}
          , stored {time(experiment.stored_at)} UTC, SHA-256{' '}
          <span className="n" title={experiment.sha256}>
            {experiment.sha256.slice(0, 12)}
          </span>
        </p>
        <span className={page.end}>
          <Button look="line" onPress={() => void copy()}>
            <Icon name="copy" />
            <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
          </Button>
          <a className={join(controls.button, controls.line)} href={paths.raw(experiment.id)} download>
            <Icon name="download" />
            Download
          </a>
        </span>
      </div>
      <div className={css.tree} tabIndex={0} role="region" aria-label="Result file as a tree">
        <ul>
          <Entries value={experiment.document} depth={0} />
        </ul>
      </div>
    </section>
  )
}

const isBranch = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

function Entries({ value, depth }: { value: object; depth: number }) {
  const [limit, setLimit] = useState(ENTRIES_SHOWN)
  const entries = Object.entries(value)
  return (
    <>
      {entries.slice(0, limit).map(([key, entry]) => (
        <Node key={key} name={key} value={entry} depth={depth} />
      ))}
      {entries.length > limit && (
        <li>
          <Button onPress={() => setLimit(limit + ENTRIES_SHOWN)}>
            Show {Math.min(ENTRIES_SHOWN, entries.length - limit)} more
          </Button>
        </li>
      )}
    </>
  )
}

function Node({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  const [isOpen, setOpen] = useState(false)
  if (!isBranch(value))
    return (
      <li className={join(css.node, css.leaf)}>
        <span className={css.key}>
          <bdi>{name}</bdi>:
        </span>{' '}
        <Leaf value={value} />
      </li>
    )
  const size = Object.keys(value).length
  return (
    <li>
      <span className={css.node}>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="right" small />
          <bdi>{name}</bdi>
        </button>
        <span className={css.word}>
          {Array.isArray(value)
            ? `${size} ${size === 1 ? 'entry' : 'entries'}`
            : `${size} ${size === 1 ? 'key' : 'keys'}`}
        </span>
      </span>
      {isOpen && (
        <ul>
          <Entries value={value} depth={depth + 1} />
        </ul>
      )}
    </li>
  )
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <bdi className={css.string}>{JSON.stringify(value)}</bdi>
  if (typeof value === 'number') return <span className={css.number}>{String(value)}</span>
  return <span className={css.word}>{JSON.stringify(value)}</span>
}
