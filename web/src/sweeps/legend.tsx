// The legend of the map: only colors and marks that it shows.
import { rampAt, useColours } from '../chart/colours'
import { type Cell, type Kind, KIND_WORDS } from './model'
import css from './sweeps.module.css'

const STEPS = 12
const FORMS: Kind[] = ['running', 'queued', 'failed', 'skipped', 'missing', 'not_uploaded']
const ABOUT: Partial<Record<Kind, string>> = {
  missing: 'missing: not run',
  not_uploaded: 'not uploaded: finished elsewhere',
  skipped: 'skipped: invalid combination',
}

interface Props {
  name: string
  unit: string
  low: string | null
  high: string | null
  isLog: boolean
  cells: Cell[]
  isMixed: boolean
  beyond: string | null // the limit, if a cell is beyond it
  best: string | null // what the cell with a border is the best of
}

export function Legend({ name, unit, low, high, isLog, cells, isMixed, beyond, best }: Props) {
  const colours = useColours()
  const isUntrusted = cells.some(({ runs }) => runs.some(({ verdict }) => verdict !== null && verdict !== 'trusted'))
  return (
    <p className={css.legend}>
      <span>
        <span className="dim">Color:</span> <b>{name}</b>
        {unit && <span className="dim"> {unit}</span>}
        {low !== null && high !== null && (
          <>
            {' '}
            <span className="n">{low}</span>
            <span className={css.ramp} aria-hidden="true">
              {Array.from({ length: STEPS }, (_, i) => (
                <i key={i} style={{ background: rampAt(colours, i / (STEPS - 1)) }} />
              ))}
            </span>
            <span className="n">{high}</span>
            {isLog && <span className="dim"> log scale</span>}
          </>
        )}
      </span>
      {FORMS.filter((kind) => cells.some((cell) => cell.kind === kind)).map((kind) => (
        <span key={kind}>
          <i className={css.cell} data-kind={kind} aria-hidden="true" />
          {ABOUT[kind] ?? KIND_WORDS[kind]}
        </span>
      ))}
      {isUntrusted && (
        <span>
          <i className={css.cell} data-untrusted aria-hidden="true" />
          not trusted
        </span>
      )}
      {cells.some((cell) => cell.kind !== 'failed' && cell.runs.some((run) => run.status?.endsWith('failed'))) && (
        <span>
          <i className={css.cell} data-faulty aria-hidden="true" />
          has a failed run
        </span>
      )}
      {best !== null && (
        <span>
          <i className={css.cell} data-best aria-hidden="true" />
          {best}
        </span>
      )}
      <span>
        <i className={css.cell} data-ring aria-hidden="true" />
        selected
      </span>
      {beyond !== null && (
        <span>
          <i className={css.cell} data-beyond aria-hidden="true" />
          does not meet {beyond}
        </span>
      )}
      {isMixed && (
        <span>
          <i className={css.cell} data-simulated aria-hidden="true" />
          simulated
        </span>
      )}
    </p>
  )
}
