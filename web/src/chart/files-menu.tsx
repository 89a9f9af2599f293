// Saves the chart as a picture, or its data as a table.
import { memo, type RefObject, useRef, useState } from 'react'
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

import { pointsNow } from '../api/queries'
import type { Filter } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { IconButton } from '../ui/controls'
import controls from '../ui/controls.module.css'
import css from './chart.module.css'
import { readColours } from './colours'
import { pngOf, svgOf } from './draw'
import { notesOf, save, sheetOf, WIDTH } from './files'
import { type Chart, chartOf } from './items'
import { exactOf } from './model'
import { drawingOf } from './option'
import { columnsOf, csvOf, markdownOf } from './table'

// Loads the chart with all digits, as the drawing has fewer.
async function exact(chart: Chart, catalogue: Catalogue): Promise<Chart> {
  const request = exactOf(chart.answer.request)
  return request ? chartOf(chart.state, await pointsNow(request), catalogue) : chart
}

const ITEMS = [
  ['png', 'Save as PNG'],
  ['svg', 'Save as SVG'],
  ['csv', 'Save table as CSV'],
  ['markdown', 'Copy table as Markdown'],
] as const
const SAID_MS = 2500

// `of`: what is shown when something is chosen.
interface Props {
  of: RefObject<{ chart: Chart | null; catalogue: Catalogue; tree: Filter | undefined }>
  isDisabled: boolean // nothing is shown yet
}

export const Files = memo(function Files({ of, isDisabled }: Props) {
  const [said, setSaid] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const make = async (kind: string) => {
    const { chart, catalogue, tree } = of.current
    if (!chart) return
    const name = `profllm-${chart.state.kind}-${new Date(chart.answer.at).toISOString().slice(0, 19).replaceAll(':', '')}`
    if (kind === 'csv') {
      const whole = await exact(chart, catalogue)
      return save(`${name}.csv`, csvOf(columnsOf(whole), whole.items, notesOf(whole, catalogue, tree)), 'text/csv')
    }
    const notes = notesOf(chart, catalogue, tree)
    if (kind === 'markdown') {
      await navigator.clipboard.writeText(markdownOf(columnsOf(chart), chart.items, notes))
      return setSaid('Copied')
    }
    const colours = readColours()
    const { option, height } = sheetOf(
      drawingOf(chart, colours, WIDTH, kind === 'svg' ? 1 : undefined).option,
      chart,
      colours,
      notes,
    )
    if (kind === 'svg') return save(`${name}.svg`, svgOf(option, WIDTH, height), 'image/svg+xml')
    save(`${name}.png`, await pngOf(option, WIDTH, height, colours.sheet), 'image/png')
  }
  const act = (kind: string) => {
    make(kind)
      .catch((error: unknown) => {
        console.error(error)
        setSaid('Could not create the file')
      })
      .finally(() => setTimeout(() => setSaid(''), SAID_MS))
  }
  return (
    <MenuTrigger>
      <span className="small mid" role="status">
        {said}
      </span>
      <IconButton ref={button} icon="picture" name="Save the chart" isDisabled={isDisabled} />
      <Popover placement="bottom end" className={controls.pop ?? ''}>
        <Menu aria-label="Save the chart" className={css.list ?? ''} onAction={(key) => act(String(key))}>
          {ITEMS.map(([key, words]) => (
            <MenuItem key={key} id={key} className={css.option ?? ''}>
              {words}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
})
