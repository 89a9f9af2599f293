// Failed requests by cause, and the last lines of the server's log.
import type { LiveRun } from '../api/types'
import { count } from '../format/number'
import { join } from '../ui/controls'
import page from '../ui/page.module.css'
import { visible } from '../ui/visible'
import css from './live.module.css'
import { withUnit } from './model'

export function Errors({ snapshot: { errors, requests } }: { snapshot: LiveRun }) {
  return (
    <section className={page.block} aria-label="Errors by cause">
      <div className={page.blockHead}>
        <h2>Errors by cause</h2>
        <p>
          {count(requests.failed)} of {count(requests.done)} requests
        </p>
      </div>
      {errors.length === 0 ? (
        <p className={css.quiet}>No request has failed.</p>
      ) : (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Errors table"
          aria-description="Scrolls sideways"
        >
          <table className={page.rows}>
            <thead>
              <tr>
                <th scope="col">Cause</th>
                <th scope="col" className={page.num}>
                  Count
                </th>
                <th scope="col" className={page.num}>
                  First at
                </th>
                <th scope="col">First sample</th>
              </tr>
            </thead>
            <tbody>
              {errors.map(({ cause, count: times, first_s, first_sample }) => (
                <tr key={cause}>
                  <th scope="row" className={page.text}>
                    <bdi>{visible(cause)}</bdi>
                  </th>
                  <td className={page.num}>{count(times)}</td>
                  <td className={page.num}>{withUnit(first_s, 's')}</td>
                  <td className={page.text}>{first_sample === null ? '–' : <code>{visible(first_sample)}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

const LEVELS: Record<string, string> = { warn: 'warning', critical: 'error', fatal: 'error' }
const levelOf = (severity: string | null) => {
  const word = severity?.toLowerCase() ?? ''
  return LEVELS[word] ?? word
}

export function Log({ snapshot: { log } }: { snapshot: LiveRun }) {
  return (
    <section className={page.block} aria-label="Server log">
      <div className={page.blockHead}>
        <h2>Server log</h2>
        <p>{log.length > 0 && 'the last lines'}</p>
      </div>
      {log.length === 0 ? (
        <p className={css.quiet}>No lines yet.</p>
      ) : (
        <ol className={css.log}>
          {log.map(({ line, severity, text }, i) => (
            <li key={line ?? `${i}`} data-level={levelOf(severity)}>
              <span>{line === null ? '' : count(line)}</span>
              <span className={join(css.level)}>{severity?.toUpperCase()}</span>
              <code>
                <bdi>{visible(text)}</bdi>
              </code>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
