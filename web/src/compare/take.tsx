// Copy as Markdown, or a file.
import { useState } from 'react'
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { Button } from '../ui/controls'
import controls from '../ui/controls.module.css'
import { Icon } from '../ui/icons'
import { save } from '../ui/save'
import css from './compare.module.css'
import { csvOf, jsonOf, markdownOf, type Shown } from './files'

const SAID_MS = 2500
const FILES = {
  csv: ['CSV', csvOf, 'text/csv'],
  json: ['JSON', jsonOf, 'application/json'],
  md: ['Markdown', markdownOf, 'text/markdown'],
} as const

export function Take({ shown }: { shown: Shown }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(markdownOf(shown))
      setSaid('Copied')
    } catch {
      setSaid('Could not copy the table')
    }
    setTimeout(() => setSaid(''), SAID_MS)
  }
  const write = (key: string) => {
    const [, of, type] = FILES[key as keyof typeof FILES]
    save(
      `profllm-comparison-${new Date(shown.answer.at).toISOString().slice(0, 19).replaceAll(':', '')}.${key}`,
      of(shown),
      type,
    )
  }
  return (
    <>
      <Button look="line" onPress={() => void copy()}>
        <Icon name="copy" />
        <span aria-live="polite">{said || 'Copy as Markdown'}</span>
      </Button>
      <MenuTrigger>
        <Button look="line">
          <Icon name="upload" />
          Export
        </Button>
        <Popover placement="bottom end" className={controls.pop ?? ''}>
          <Menu aria-label="Export the comparison" className={css.menu ?? ''} onAction={(key) => write(String(key))}>
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
