// Copies the address, and saves the configurations.
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { Button } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Copy } from '../ui/copy'
import { Icon } from '../ui/icons'
import { save } from '../ui/save'
import { csvOf, jsonOf, type Shown } from './files'
import css from './pareto.module.css'

const FILES = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
} as const

export function Tools(shown: Omit<Shown, 'link'>) {
  const write = (key: string) => {
    const [, of, type] = FILES[key as keyof typeof FILES]
    const when = new Date(shown.answer.at).toISOString().slice(0, 19).replaceAll(':', '')
    save(`profllm-pareto-${when}.${key}`, of({ ...shown, link: window.location.href }), type)
  }
  return (
    <>
      <Copy text={() => window.location.href}>Copy link</Copy>
      <MenuTrigger>
        <Button look="line">
          <Icon name="upload" />
          Export
        </Button>
        <Popover placement="bottom end" className={controls.pop ?? ''}>
          <Menu
            aria-label="Export the configurations"
            className={css.menu ?? ''}
            onAction={(key) => write(String(key))}
          >
            {Object.entries(FILES).map(([key, [words]]) => (
              <MenuItem key={key} id={key} className={css.option ?? ''}>
                {words}
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
    </>
  )
}
