// Files that did not go out, because somebody cancelled or nobody took them: they stay until somebody says
// what becomes of them.
import { useState } from 'react'

import { bytes, count } from '../format/number'
import { Act, Button, join, Note } from '../ui/controls'
import page from '../ui/page.module.css'
import { State } from '../ui/verdict'
import { useSendAgain } from './drop-anywhere'
import { nameOfFile, type Sending, useUploads } from './store'
import css from './upload.module.css'

const SHOWN = 200
const WORDS: Record<string, string> = { failed: 'not taken', cancelled: 'cancelled' }

export function Unsent({ sendings }: { sendings: Sending[] }) {
  const [limit, setLimit] = useState(SHOWN)
  const dismiss = useUploads((uploads) => uploads.dismiss)
  const again = useSendAgain()
  const files = sendings.flatMap((sending) => sending.files.map((file) => ({ sending, file })))
  if (files.length === 0) return null
  return (
    <section className={page.block} aria-label="Not sent">
      <div className={page.blockHead}>
        <h2>Not sent</h2>
        <p role="status">{files.length === 1 ? 'one file waits for your word' : `${count(files.length)} files wait for your word`}</p>
        <span className={page.end}>
          <Button onPress={() => sendings.forEach(({ key }) => dismiss(key))}>Leave out</Button>
          <Button look="line" onPress={() => sendings.forEach(({ key }) => void again(key))}>Send again</Button>
        </span>
      </div>
      {sendings.filter(({ error }) => error).map(({ key, error, files: list }) => (
        <div key={key} className={css.why}>
          <Note kind="bad" role="alert">
            <b>{list.length === 1 ? 'A file was not taken.' : `${count(list.length)} files were not taken.`}</b> <code>{error?.request}</code>
            {error?.status ? ` answered ${error.status}` : ''}: {error?.problem.detail}
          </Note>
        </div>
      ))}
      <div className={page.scroll} tabIndex={0} role="region" aria-label="Files that were not sent, scrolls sideways">
        <table className={join(page.rows, css.queue)}>
          <thead><tr><th scope="col" className={css.cState}>State</th><th scope="col">File</th><th scope="col" className={join(page.num, css.cSize)}>Size</th><th scope="col" className={css.cActs}><span className="sr">What to do</span></th></tr></thead>
          <tbody>
            {files.slice(0, limit).map(({ sending, file }, i) => (
              <tr key={i}>
                <td><State state={sending.state} word={WORDS[sending.state] ?? sending.state} /></td>
                <th scope="row"><span className="clip" style={{ display: 'block' }} title={nameOfFile(file)}><bdi>{nameOfFile(file)}</bdi></span></th>
                <td className={join(page.num, 'dim')}>{bytes(file.size)}</td>
                <td className={css.acts}>
                  <Act aria-label={`Send ${nameOfFile(file)} again`} onPress={() => void again(sending.key, file)}>Send again</Act>
                  <Act aria-label={`Leave ${nameOfFile(file)} out`} onPress={() => dismiss(sending.key, file)}>Leave out</Act>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {files.length > limit && <Act onPress={() => setLimit(limit + SHOWN)}>Show {count(Math.min(SHOWN, files.length - limit))} more</Act>}
    </section>
  )
}
