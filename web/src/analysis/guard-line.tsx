// The line of cautions: inputs that differ although they should match, and results that are not shown. Details lists
// the values of these inputs.
import { type ReactNode, useId, useRef, useState } from 'react'
import { Dialog, Popover } from 'react-aria-components'

import type { Caution } from '../api/types'
import { DifferingInputs, mixedList, splitCautions } from '../chart/guard'
import type { Catalogue } from '../fields/catalogue'
import { count } from '../format/number'
import { Act, Button } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { oneStop } from '../ui/one-stop'
import css from './analysis.module.css'

interface Shown {
  withSimulated: boolean
  withUntrusted: boolean
}

interface Props {
  answer: { cautions: Caution[]; simulated: number; excluded: number; untrusted_excluded: number }
  state: Shown
  change: (part: Partial<Shown>) => void
  catalogue: Catalogue
  mixedWord?: string
  first?: (string | false)[] // parts before those of all pages
  last?: (string | false)[]
  acts?: ReactNode
}

const DETAILS_HIGH = 390 // px

export function GuardLine(props: Props) {
  const { answer, state, change, catalogue, mixedWord = 'Mixed', first = [], last = [], acts } = props
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const dialog = useId()
  const { ofAll, mixed } = splitCautions(answer.cautions)
  const isAllSimulated = answer.simulated > 0 && answer.excluded === 0 && !state.withSimulated
  const parts = [
    ...first,
    mixed.length > 0 && `${mixedWord}: ${mixedList(mixed)}`,
    ofAll.length > 0 && `Caution: ${ofAll.map(({ title }) => title).join(', ')}`,
    isAllSimulated && 'All results are simulated',
    state.withSimulated && answer.simulated > 0 && `${count(answer.simulated)} simulated`,
    answer.excluded > 0 && `${count(answer.excluded)} simulated not shown`,
    answer.untrusted_excluded > 0 && `${count(answer.untrusted_excluded)} with another verdict than trusted not shown`,
    ...last,
  ].filter((part) => part !== false)
  const includes = state.withSimulated || state.withUntrusted
  if (parts.length === 0 && !includes) return null
  return (
    <div className={css.guard} role="note" aria-label="About these results">
      {answer.cautions.length > 0 && <Icon name="warn" />}
      <span>{parts.join(' · ')}</span>
      <span className={css.guardActs} {...oneStop}>
        {acts}
        {answer.excluded > 0 && <Act onPress={() => change({ withSimulated: true })}>Include simulated</Act>}
        {answer.untrusted_excluded > 0 && (
          <Act onPress={() => change({ withUntrusted: true })}>Include other verdicts</Act>
        )}
        {includes && (
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
          maxHeight={DETAILS_HIGH}
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
