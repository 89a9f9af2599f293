// The line of cautions: inputs that differ although they should match, and results that are not shown.
import { useId, useRef, useState } from 'react'
import { Dialog, Popover } from 'react-aria-components'

import type { Pareto } from '../api/types'
import { DifferingInputs, mixedList, splitCautions } from '../chart/guard'
import type { Catalogue } from '../fields/catalogue'
import { count } from '../format/number'
import { Act, Button } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import type { ParetoState } from '../url/pareto'
import type { ParetoChange } from '../url/use-pareto'
import css from './pareto.module.css'

interface Props {
  answer: Pareto
  state: ParetoState
  change: ParetoChange
  catalogue: Catalogue
}

export function GuardLine({ answer, state, change, catalogue }: Props) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const dialog = useId()
  const { ofAll, mixed } = splitCautions(answer.cautions)
  const isAllSimulated = answer.simulated > 0 && answer.excluded === 0 && !state.withSimulated
  const lines = [
    mixed.length > 0 && `Mixed: ${mixedList(mixed)}`,
    ofAll.length > 0 && `Caution: ${ofAll.map(({ title }) => title).join(', ')}`,
    isAllSimulated && 'All results are simulated',
    answer.excluded > 0 && `${count(answer.excluded)} simulated not shown`,
    answer.untrusted_excluded > 0 && `${count(answer.untrusted_excluded)} with another verdict than trusted not shown`,
    answer.unmeasured > 0 &&
      `${count(answer.unmeasured)} without ${answer.metrics.length > 2 ? 'all three' : 'both'} metrics`,
    answer.more_count > 0 && `${count(answer.more_count)} more groups`,
    answer.incomplete.length > 0 && 'memberships not computed in time',
  ].filter((line) => line !== false)
  if (lines.length === 0) return null
  return (
    <div className={css.guard} role="note" aria-label="About these results">
      {answer.cautions.length > 0 && <Icon name="warn" />}
      <span>{lines.join(' · ')}</span>
      <span className={css.guardActs} {...oneStop}>
        {answer.excluded > 0 && <Act onPress={() => change({ withSimulated: true })}>Include simulated</Act>}
        {answer.untrusted_excluded > 0 && (
          <Act onPress={() => change({ withUntrusted: true })}>Include other verdicts</Act>
        )}
        {(state.withSimulated || state.withUntrusted) && (
          <Act onPress={() => change({ withSimulated: false, withUntrusted: false })}>Trusted results only</Act>
        )}
        {answer.cautions.length > 0 && (
          <Act
            ref={button}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            {...(isOpen && { 'aria-controls': dialog })}
            onPress={() => setOpen(!isOpen)}
          >
            Details
          </Act>
        )}
      </span>
      {isOpen && (
        <Popover
          isOpen
          triggerRef={button}
          placement="bottom end"
          maxHeight={390}
          onOpenChange={setOpen}
          className={controls.pop ?? ''}
        >
          <Dialog id={dialog} aria-label="Inputs that differ" className={css.guardDetails ?? ''}>
            <DifferingInputs cautions={answer.cautions} catalogue={catalogue} />
            <p>
              <Button look="line" onPress={() => setOpen(false)}>
                Done
              </Button>
            </p>
          </Dialog>
        </Popover>
      )}
    </div>
  )
}
