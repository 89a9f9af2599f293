// The parameters: explicit ones first, then the defaults. Values are shown as they were written.
import { useState } from 'react'

import type { Experiment } from '../api/types'
import { formFor } from '../format/number'
import { showValue } from '../format/value'
import { Act, Field as TextField, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { Nothing } from '../ui/verdict'
import css from './experiment.module.css'
import { type Entry, isDefault, isSet, nameOf } from './model'

const DEFAULTS_SHOWN = 5 // of each part
const RECORDED_SHOWN = 12 // of a file that does not record which values are explicit
const TITLES: Record<string, string> = { server: 'Server', benchmark: 'Benchmark', experiment: 'Experiment' }
const SOURCES: Record<string, string> = {
  explicit: 'explicit',
  default: 'default',
  unknown: 'default unknown',
  not_in_release: '',
}

const partOf = (entry: Entry) => entry.field.id.split('.')[0] ?? ''

const isMissing = ({ value }: Entry) => value.source === 'not_in_release'

// By part, as a server and a load may both have a seed.
// Arguments that the release lacks have no default: they are a part of their own.
function partsOf(entries: Entry[]) {
  const groups = Map.groupBy(entries, (entry) => `${partOf(entry)}${isMissing(entry) ? ' missing' : ''}`)
  return [...groups].map(([key, list]) => ({ key, part: partOf(list[0] as Entry), list }))
}

function matches(entry: Entry, words: string) {
  return `${entry.field.id} ${entry.field.help}`.toLowerCase().includes(words.toLowerCase().trim())
}

export function ValueText({ entry: { field, value } }: { entry: Entry }) {
  if (value.state === 'null') return <Nothing of={null} field={field} />
  return <bdi>{showValue(field, value.value, { ...formFor(field, [value.value]), decimals: null, scale: 1 })}</bdi>
}

// The engine whose defaults these are: its name and version.
function engineWords({ fields }: Experiment) {
  const [name, version] = ['name', 'version'].map((key) => fields[`environment.engine.${key}`]?.value)
  if (typeof version !== 'string') return null
  return typeof name !== 'string' || version.startsWith(name)
    ? version
    : `${name === 'vllm' ? 'vLLM' : name} ${version}`
}

export function Parameters({ entries, experiment }: { entries: Entry[]; experiment: Experiment }) {
  const [words, setWords] = useState('')
  const [isLong, setLong] = useState(false)
  const set = entries.filter((entry) => isSet(entry) && matches(entry, words))
  const defaults = entries.filter((entry) => isDefault(entry) && matches(entry, words))
  // a file of another program does not record which values are explicit
  const hasSource = experiment.form === 'native' || entries.some(isSet)
  const most = hasSource ? DEFAULTS_SHOWN : RECORDED_SHOWN
  const isWhole = isLong || words !== ''
  const hidden = isWhole ? 0 : partsOf(defaults).reduce((sum, { list }) => sum + Math.max(0, list.length - most), 0)
  const columns = hasSource ? 3 : 2
  const engine = engineWords(experiment)
  const release = experiment.fields['launch.target.version']?.value
  return (
    <section className={page.block} id="parameters" aria-label="Parameters">
      <div className={page.blockHead}>
        <h2>Parameters</h2>
        {hasSource && set.length > 0 && <p>Explicit values first</p>}
        <span className={`${page.end ?? ''} ${css.filter ?? ''}`}>
          <TextField
            label="Search parameters"
            type="search"
            icon="search"
            placeholder="Search parameters"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </span>
      </div>
      <table className={join(page.rows, css.parameters)}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
            {hasSource && <th scope="col">Source</th>}
          </tr>
        </thead>
        <tbody>
          {partsOf(set).map(({ key, part, list }) => [
            <tr key={key} className={page.sect}>
              <th colSpan={columns} scope="colgroup">
                {TITLES[part] ?? part}: explicit
              </th>
            </tr>,
            ...list.map((entry) => <ParameterRow key={entry.field.id} entry={entry} hasSource={hasSource} />),
          ])}
          {partsOf(defaults).map(({ key, part, list }) => [
            <tr key={key} className={page.sect}>
              <th colSpan={columns} scope="colgroup">
                {TITLES[part] ?? part}: <span className="n-11">{list.length}</span>{' '}
                {list.every(isMissing) ? (
                  `not in ${typeof release === 'string' ? `vLLM ${release}` : 'the release'}`
                ) : (
                  <>
                    {hasSource ? (list.length === 1 ? 'default' : 'defaults') : 'recorded in the file'}
                    {part === 'server' && engine !== null ? ` ${hasSource ? 'of' : 'by'} ${engine}` : ''}
                  </>
                )}
              </th>
            </tr>,
            ...(isWhole ? list : list.slice(0, most)).map((entry) => (
              <ParameterRow key={entry.field.id} entry={entry} hasSource={hasSource} quiet={hasSource} />
            )),
          ])}
          {!words && set.length + defaults.length === 0 && (
            <tr>
              <td colSpan={columns} className="dim">
                This file records no parameters.
              </td>
            </tr>
          )}
          {words && set.length + defaults.length === 0 && (
            <tr>
              <td colSpan={columns} className="dim">
                No parameter matches “{words}”.
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {hidden > 0 && (
        <p className={css.more}>
          <Act onPress={() => setLong(true)}>Show {hidden} more</Act>
        </p>
      )}
    </section>
  )
}

interface RowProps {
  entry: Entry
  hasSource: boolean
  quiet?: boolean
}

function ParameterRow({ entry, hasSource, quiet = false }: RowProps) {
  const { field, value } = entry
  return (
    <tr className={quiet ? page.quiet : undefined} title={field.help}>
      <th scope="row">
        <code>{nameOf(entry)}</code>
      </th>
      <td className={page.val}>
        <ValueText entry={entry} />
      </td>
      {hasSource && (
        <td className="dim">
          {value.source ? (SOURCES[value.source] ?? value.source) : value.explicit ? 'explicit' : ''}
        </td>
      )}
    </tr>
  )
}
