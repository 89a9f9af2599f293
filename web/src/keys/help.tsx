import { Fragment } from 'react'
import { Link } from 'wouter'

import { useHealth } from '../api/queries'
import { Check, IconButton } from '../ui/controls'
import { Dialog } from '../ui/dialog'
import { SortMark } from '../ui/icons'
import { useRefusal } from '../ui/user'
import { paths } from '../url/paths'
import css from './help.module.css'
import { usePreferences } from './store'

const KEYS: [string[], string][] = [
  [['/'], 'Find an experiment, a field or a value'],
  [['f'], 'Search the filters'],
  [['c'], 'Choose columns'],
  [['j'], 'Next row, verdict, configuration, effect or size'],
  [['k'], 'Previous row, verdict, configuration, effect or size'],
  [['x'], 'Select the row'],
  [['p'], 'Pin or unpin the row'],
  [['v'], 'Compare pinned experiments'],
  [['e'], 'Export'],
  [['1', '2', '3', '4'], 'On a change of Trends: expected, wrong, fixed or acknowledged'],
  [['t'], 'On Trends, Pareto and Impact: show the chart as a table, or the table as a chart'],
  [['[', ']'], 'Undo or redo the last change of filters, order or columns. On Trends: previous or next change'],
  [['Enter'], 'Open the row, or press the focused control'],
  [['Shift', 'click'], 'On a column head: add the column as a sort key'],
  [['Tab'], 'Next group of controls. The filters, the table and each row of buttons are separate groups'],
  [['↑', '↓', '←', '→'], 'In the table: next cell. In the filters and in a row of buttons: next control'],
  [['Page Up', 'Page Down'], 'In the filters: previous or next section'],
  [['←', '→'], 'On a section head: close or open the section'],
  [['s'], 'In the table: sort by the column. With Shift: add it as a sort key'],
  [['Shift', '←', '→'], 'In the table: narrow or widen the column'],
  [['w'], 'In the table: fit the column to its content'],
  [['←', '→'], 'On a range: move by one bar. With Shift: by ten'],
  [['F6'], 'Next part of the page. With Shift: previous part'],
  [['Alt', '↑', '↓'], 'In the filter tree: move the condition'],
  [['Alt', '←', '→'], 'On a compared side: move the side. The first one is the baseline'],
  [['Esc'], 'Close the dialog or menu'],
  [['?'], 'Show this help'],
]

export function Help({ onClose }: { onClose: () => void }) {
  const { letterKeys, set } = usePreferences()
  const health = useHealth()
  const isAdmin = useRefusal('admin') === undefined
  return (
    <Dialog label="Help and keys" onClose={onClose}>
      <div className={css.help}>
        <div className={css.head}>
          <h2>Keyboard shortcuts</h2>
          <IconButton icon="close" name="Close" onPress={onClose} />
        </div>
        <Check isSelected={letterKeys} onChange={(on) => set({ letterKeys: on })}>
          Single-letter shortcuts
        </Check>
        <dl>
          {KEYS.map(([keys, words]) => (
            <Fragment key={words}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{words}</dd>
            </Fragment>
          ))}
        </dl>
        <h3>Reading the table</h3>
        <dl>
          <dt className="n">–</dt>
          <dd>Not recorded: the file does not have the key</dd>
          <dt>unset</dt>
          <dd>Set to null: the file has the key, but no value</dd>
          <dt>
            <SortMark dir="asc" /> <SortMark dir="desc" />
          </dt>
          <dd>Sorted in ascending or descending order</dd>
          <dt className="n">↑ ↓</dt>
          <dd>Higher or lower is better</dd>
          <dt className="n">UTC</dt>
          <dd>All times are in UTC</dd>
        </dl>
        <p className="small dim">
          ProfLLM {health.data?.version}. The web UI sends no data to other hosts.
          {isAdmin && (
            <>
              {' '}
              <Link className="inline" href={paths.status()} onClick={onClose}>
                Status of the server
              </Link>
            </>
          )}
        </p>
      </div>
    </Dialog>
  )
}
