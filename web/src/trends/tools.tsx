// Copies the address, and saves the list of verdicts.
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { Button } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Copy } from '../ui/copy'
import { Icon } from '../ui/icons'
import { save } from '../ui/save'
import { csvOf, jsonOf, type Shown } from './files'
import css from './trends.module.css'

const FILES = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
} as const

export function Tools({ shown }: { shown: Shown['answer'] }) {
  const write = (key: string) => {
    const [, of, type] = FILES[key as keyof typeof FILES]
    const when = new Date(shown.at).toISOString().slice(0, 19).replaceAll(':', '')
    save(`profllm-trends-${when}.${key}`, of({ answer: shown, link: window.location.href }), type)
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
          <Menu aria-label="Export the verdicts" className={css.menu ?? ''} onAction={(key) => write(String(key))}>
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
