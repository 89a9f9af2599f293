// The errors of a file, each with its location.
import { useState } from 'react'

import type { Fault } from '../api/types'
import { count } from '../format/number'
import { Act, join } from '../ui/controls'
import page from '../ui/page.module.css'
import { faultCount } from './kinds'
import css from './upload.module.css'

const SHOWN = 8

export function Faults({ faults }: { faults: Fault[] }) {
  const [isWhole, setWhole] = useState(false)
  const hasLines = faults.some((fault) => fault.line != null)
  return (
    <>
      <table className={join(page.rows, css.faults)}>
        <thead>
          <tr>
            <th scope="col">Location</th>
            <th scope="col">Found</th>
            <th scope="col">Expected</th>
            {hasLines && (
              <th scope="col" className={page.num}>
                Line
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {(isWhole ? faults : faults.slice(0, SHOWN)).map((fault, i) => (
            <FaultRow key={i} fault={fault} hasLines={hasLines} />
          ))}
        </tbody>
      </table>
      {faults.length > SHOWN && !isWhole && (
        <Act onPress={() => setWhole(true)}>
          Show {count(faults.length - SHOWN)} more of {count(faultCount(faults))} errors
        </Act>
      )}
    </>
  )
}

const FaultRow = ({ fault, hasLines }: { fault: Fault; hasLines: boolean }) => (
  <tr>
    <td className="n">
      <bdi>{(fault.pointer ?? '') + (fault.key ? `/${fault.key}` : '') || 'whole file'}</bdi>
    </td>
    {fault.found == null && fault.expected == null ? (
      <td colSpan={2}>
        <bdi>{fault.message}</bdi>
      </td>
    ) : (
      <>
        <td className="n" data-label="found">
          {fault.found != null ? <bdi>{fault.found}</bdi> : <span className="dim">no value</span>}
        </td>
        <td data-label="expected">
          <bdi>{fault.expected ?? fault.message}</bdi>
          {fault.nearest ? (
            <>
              ; did you mean{' '}
              <code>
                <bdi>{fault.nearest}</bdi>
              </code>
              ?
            </>
          ) : null}
        </td>
      </>
    )}
    {hasLines && (
      <td className={page.num} data-label="line">
        {fault.line == null ? '–' : count(fault.line)}
      </td>
    )}
  </tr>
)
