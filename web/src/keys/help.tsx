import { Fragment } from 'react'

import { useHealth } from '../api/queries'
import { Check, IconButton } from '../ui/controls'
import { Dialog } from '../ui/dialog'
import css from './help.module.css'
import { usePreferences } from './store'

const KEYS: [string[], string][] = [
  [['/'], 'find a run, a field or a value'],
  [['f'], 'search the filters'],
  [['c'], 'columns'],
  [['j'], 'next row'],
  [['k'], 'previous row'],
  [['x'], 'select the row'],
  [['p'], 'pin or unpin the row for comparison'],
  [['v'], 'compare what is pinned'],
  [['e'], 'export'],
  [['[', ']'], 'undo or redo the last change of filters, order or columns'],
  [['Enter'], 'open the row, press what is focused'],
  [['Shift', 'click'], 'on a column’s head: add it as a further sort key'],
  [['Tab'], 'next group of controls; a row of links or buttons, the filters and the table are one stop each'],
  [['↑', '↓', '←', '→'], 'in the table: next cell. In the filters and in a row of links or buttons: next control'],
  [['Page Up', 'Page Down'], 'in the filters: previous or next section'],
  [['←', '→'], 'on the head of a section: close or open it'],
  [['s'], 'in the table: sort by the column; with Shift as a further key'],
  [['Shift', '← →'], 'in the table: a narrower or wider column; w makes it fit'],
  [['←', '→'], 'on a range: one bar; with Shift ten'],
  [['F6'], 'next part of the page; with Shift the previous one'],
  [['Alt', '↑ ↓'], 'in the tree of filters: move the condition'],
  [['Alt', '← →'], 'on a side that is compared: move it; the first is the baseline'],
  [['Esc'], 'close what is open'],
  [['?'], 'this list'],
]

export function Help({ onClose }: { onClose: () => void }) {
  const { letterKeys, set } = usePreferences()
  const health = useHealth()
  return (
    <Dialog label="Help and keys" onClose={onClose}>
      <div className={css.help}>
        <div className={css.head}>
          <h2>Keys</h2>
          <IconButton icon="close" name="Close" onPress={onClose} />
        </div>
        <Check isSelected={letterKeys} onChange={(on) => set({ letterKeys: on })}>Keys of one letter</Check>
        <dl>
          {KEYS.map(([keys, words]) => (
            <Fragment key={words}>
              <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
              <dd>{words}</dd>
            </Fragment>
          ))}
        </dl>
        <h3>Reading the table</h3>
        <dl>
          <dt className="n">–</dt><dd>not recorded: the file does not say</dd>
          <dt>unset</dt><dd>recorded as null: no value was chosen, or there is no such figure</dd>
          <dt className="n">↑ ↓</dt><dd>higher, or lower, is better</dd>
          <dt className="n">UTC</dt><dd>all times</dd>
        </dl>
        <p className="small dim">ProfLLM {health.data?.version}. Nothing on this page is sent to another host.</p>
      </div>
    </Dialog>
  )
}
