// Names of sides of a comparison: in the tray, where they are pinned, and on Compare.
import type { Comparison } from '../api/types'
import type { Catalogue } from '../fields/catalogue'
import { LETTERS, oneOf, type Side } from '../url/compare'
import { type DistinctName, distinctNames, Several } from './names'
import { cutMiddle } from './cut'
import { isGeneratedName } from './rows'

// The values of the inputs in which the sides differ, by side.
function differingValues({ inputs, sides }: Pick<Comparison, 'inputs' | 'sides'>): Record<string, unknown>[] {
  const between = inputs.differing.filter((input) => input.between)
  return sides.map((_, at) =>
    Object.fromEntries(
      between.flatMap(({ field, sides: told }) => {
        const { values = [], distinct = 0, null: unset = 0 } = told[at] ?? {}
        const all: unknown[] = [...values.map(({ value }) => value), ...(unset > 0 ? [null] : [])]
        if (all.length === 0) return []
        return [[field, all.length === 1 ? all[0] : new Several(all, Math.max(distinct, all.length))] as const]
      }),
    ),
  )
}

// The name of each side of a comparison, by what differs between them; a label that someone wrote stays as it is.
export function namesOfSides(
  answer: Pick<Comparison, 'inputs' | 'sides'>,
  sides: Side[],
  ownNames: string[],
  catalogue: Catalogue,
  fill?: number,
) {
  const values = differingValues(answer)
  const named = distinctNames(
    sides.map((side, at) => ({
      values: values[at] ?? {},
      name: ownNames[at],
      id:
        'ids' in side
          ? `${side.ids.length === 1 ? 'result' : 'results'} ${side.ids.join(', ')}`
          : `group ${LETTERS[at] ?? ''}`,
    })),
    catalogue,
    fill,
  )
  return sides.map((side, at) => ({
    ...(named[at] ?? { short: '', full: '' }),
    ...(side.label && { short: side.label }),
  }))
}

export interface TrayName extends DistinctName {
  own: string // as the row in the table is called; '': the short name says all
}

const TRAY_LETTERS = 24 // of a name of its own

// The name of each pin: that of its row in the table if no other pin has it, and what differs.
export function trayNames(
  named: readonly DistinctName[],
  sides: readonly Side[],
  ownNames: readonly string[],
): TrayName[] {
  return named.map((name, at) => {
    const own = ownNames[at] ?? ''
    const isOwn =
      oneOf(sides[at] as Side) !== null &&
      own !== name.short &&
      !isGeneratedName(own) &&
      ownNames.filter((other) => other === own).length === 1
    return { ...name, own: isOwn ? cutMiddle(own, TRAY_LETTERS) : '' }
  })
}
