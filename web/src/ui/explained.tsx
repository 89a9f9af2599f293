// A number with its definition, number of runs and interval one key away.
import { type ReactNode, useRef, useState } from 'react'
import { Button as AriaButton, Dialog, Popover } from 'react-aria-components'

import controls from './controls.module.css'
import css from './explained.module.css'

interface Props {
  name: string
  rows: [name: string, value: ReactNode][]
  children: ReactNode // the number
}

export function Explained({ name, rows, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <AriaButton
        ref={button}
        className={css.figure ?? ''}
        aria-label={`${textOf(children)}, ${name}: definition`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={() => setOpen(!isOpen)}
      >
        {children}
      </AriaButton>
      {isOpen && (
        <Popover isOpen triggerRef={button} placement="bottom" onOpenChange={setOpen} className={controls.pop ?? ''}>
          <Dialog aria-label={name} className={css.explained ?? ''}>
            <h3>{name}</h3>
            <dl>
              {rows.map(([term, value]) => (
                <div key={term}>
                  <dt>{term}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </Dialog>
        </Popover>
      )}
    </>
  )
}

// A head of a column with the definition of its numbers.
export const ExplainedHead = ({
  name,
  unit,
  rows,
  className,
}: {
  name: string
  unit?: string
  rows: Props['rows']
  className?: string | undefined
}) => (
  <th scope="col" className={className}>
    <Explained name={name} rows={rows}>
      {name}
    </Explained>
    {unit && <span className="dim"> {unit}</span>}
  </th>
)

const textOf = (children: ReactNode) => (Array.isArray(children) ? children.join('') : String(children))
