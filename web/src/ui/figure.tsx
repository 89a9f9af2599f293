// A number in a right-aligned column. Missing decimals are padded with space, so that decimal points align; copies
// contain only the number.
import { type Form, paddingOf, showNumber } from '../format/number'

export const Padding = ({ value, form }: { value: unknown; form: Form }) => {
  const places = typeof value === 'number' ? paddingOf(value, form) : 0
  return places > 0 ? <i aria-hidden="true" style={{ paddingInlineEnd: `${places}ch` }} /> : null
}

export const Figure = ({ value, form }: { value: number; form: Form }) => (
  <>
    {showNumber(value, form)}
    <Padding value={value} form={form} />
  </>
)
