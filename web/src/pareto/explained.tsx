// A number with its definition, number of runs and interval one key away.
import type { ReactNode } from 'react'
import { Button as AriaButton, Dialog, DialogTrigger, Popover } from 'react-aria-components'

import controls from '../ui/controls.module.css'
import css from './pareto.module.css'

interface Props {
  name: string
  rows: [name: string, value: ReactNode][]
  children: ReactNode // the number
}

export const Explained = ({ name, rows, children }: Props) => (
  <DialogTrigger>
    <AriaButton className={css.figure ?? ''} aria-label={`${textOf(children)}, ${name}: definition`}>
      {children}
    </AriaButton>
    <Popover placement="bottom" className={controls.pop ?? ''}>
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
  </DialogTrigger>
)

const textOf = (children: ReactNode) => (Array.isArray(children) ? children.join('') : String(children))
