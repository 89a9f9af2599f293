// All recorded fields by section. Sections are folded, as a result has about a thousand fields.
import { useState } from 'react'

import { sectionOf } from '../fields/catalogue'
import { count } from '../format/number'
import { Field as TextField } from '../ui/controls'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import page from '../ui/page.module.css'
import css from './experiment.module.css'
import panel from '../explore/filter-panel.module.css'
import type { Entry } from './model'
import { ValueText } from './parameters'

const FOUND_MAX = 300

export function AllFields({ entries }: { entries: Entry[] }) {
  const [words, setWords] = useState('')
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const found = wanted.length
    ? entries.filter(({ field }) =>
        wanted.every((word) => `${field.id} ${field.label} ${field.unit} ${field.help}`.toLowerCase().includes(word)),
      )
    : entries
  const sections = Map.groupBy(wanted.length ? found.slice(0, FOUND_MAX) : found, ({ field }) => sectionOf(field))
  return (
    <section className={page.block} id="fields" aria-label="All fields">
      <div className={page.blockHead}>
        <h2>All fields</h2>
        <p role="status">
          {found.length === entries.length
            ? count(entries.length)
            : `${count(found.length)} of ${count(entries.length)}`}{' '}
          recorded in this file
        </p>
        <span className={`${page.end ?? ''} ${css.filter ?? ''}`}>
          <TextField
            label="Search all fields"
            type="search"
            icon="search"
            placeholder="Search all fields"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </span>
      </div>
      <div {...oneStop}>
        {[...sections].map(([title, list]) => (
          <SectionView key={`${title}${wanted.length > 0}`} title={title} list={list} isOpen={wanted.length > 0} />
        ))}
      </div>
    </section>
  )
}

function SectionView({ title, list, isOpen }: { title: string; list: Entry[]; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen)
  return (
    <details className={panel.group} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" />
        {title}
        <span className={`n-11 ${panel.of ?? ''}`}>
          {list.length} {list.length === 1 ? 'field' : 'fields'}
        </span>
      </summary>
      {open && (
        <table className={page.rows}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Value</th>
              <th scope="col">Unit</th>
            </tr>
          </thead>
          <tbody>
            {list.map((entry) => (
              <tr key={entry.field.id} title={entry.field.help}>
                <th scope="row">
                  <code>{entry.field.id}</code>
                </th>
                <td className={page.val}>
                  <ValueText entry={entry} />
                </td>
                <td className="dim">{entry.field.unit}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  )
}
