// The error about a link with a field that does not exist, with two actions: use the nearest field, or remove it.
import { Act } from './controls'

interface Unknown {
  id: string
  nearest: string | null
  use: string
}

export const UnknownFieldWords = ({ unknown: { id, nearest, use } }: { unknown: Unknown }) => (
  <>
    <b>This link {use} a field that does not exist:</b>{' '}
    <code>
      <bdi>{id}</bdi>
    </code>
    .{use === 'sorts by' && ' The rows have the default order.'}
    {nearest !== null && (
      <>
        {' '}
        The nearest name is <code>{nearest}</code>.
      </>
    )}
  </>
)

export const UnknownFieldActs = ({
  unknown: { id, nearest, use },
  onField,
}: {
  unknown: Unknown
  onField: (id: string, to: string | null) => void
}) => (
  <>
    {nearest !== null && <Act onPress={() => onField(id, nearest)}>Use {nearest}</Act>}
    <Act onPress={() => onField(id, null)}>{use === 'filters by' ? 'Remove this filter' : 'Remove from the link'}</Act>
  </>
)
