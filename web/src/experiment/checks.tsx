// All checks of the verdict, those over their limit first. Unknown checks are folded.
import { useState } from 'react'

import { count } from '../format/number'
import { Act, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { State } from '../ui/verdict'
import css from './experiment.module.css'
import { type Check, checkRank, isBelow } from './model'
import { checkFigure, figure, unitOf } from './ruling'

const EFFECTS: Record<string, string> = {
  client_limited: 'client limited',
  degraded: 'degraded',
  info: 'informational',
}

export function Checks({ checks }: { checks: Check[] }) {
  const [isOpen, setOpen] = useState(false)
  const unknown = checks.filter(({ status }) => status === 'unknown').length
  const shown = isOpen ? checks : checks.filter(({ status }) => status !== 'unknown')
  if (checks.length === 0) return null
  return (
    <section className={page.block} id="checks" aria-label="Quality checks">
      <div className={page.blockHead}>
        <h2>Quality checks</h2>
        <p>
          {checks.every(({ status }) => status === 'unknown')
            ? 'Unknown: the run recorded too little to check'
            : 'A check affects the verdict only if its value is over its limit'}
        </p>
      </div>
      {shown.length > 0 && (
        <div
          className={page.scroll}
          tabIndex={0}
          role="region"
          aria-label="Quality checks table"
          aria-description="Scrolls sideways"
        >
          <table className={page.rows}>
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Check</th>
                <th scope="col" className={page.num}>
                  Value
                </th>
                <th scope="col" className={page.num}>
                  Limit
                </th>
                <th scope="col">Unit</th>
                <th scope="col">If over limit</th>
                <th scope="col">Description</th>
              </tr>
            </thead>
            <tbody>
              {shown
                .toSorted((a, b) => checkRank(a) - checkRank(b))
                .map((check, i) => (
                  <tr key={i} id={`check-${check.id}`} className={css.check}>
                    <td>
                      <State
                        state={check.status}
                        {...(isBelow(check) ? { word: 'below minimum' } : {})}
                        {...(check.status === 'over_limit' && check.effect === 'info'
                          ? { color: 'quiet' as const }
                          : {})}
                      />
                    </td>
                    <th scope="row">
                      <code>{check.id}</code>
                    </th>
                    <td className={page.num}>{checkFigure(check)}</td>
                    <td className={join(page.num, 'mid')}>{figure(check.limit, check.unit)}</td>
                    <td className="dim">{unitOf(check.unit)}</td>
                    <td className="mid">{EFFECTS[check.effect] ?? check.effect}</td>
                    <td className={join('mid', page.text)}>
                      <bdi>{check.text}</bdi>
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
      {unknown > 0 && (
        <p className={css.more}>
          <Act aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'} {count(unknown)} {unknown === 1 ? 'unknown check' : 'unknown checks'}
          </Act>
        </p>
      )}
    </section>
  )
}
