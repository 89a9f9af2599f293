// A field that a link names and that does not exist: what is wrong, and the two ways on.
import { Act } from './controls'

interface Unknown {
  id: string
  nearest: string | null
  use: string
}

export const UnknownFieldWords = ({ unknown: { id, nearest, use } }: { unknown: Unknown }) => (
  <><b>This link {use} a field that does not exist:</b> <code><bdi>{id}</bdi></code>.{nearest !== null && <> The nearest name is <code>{nearest}</code>.</>}</>
)

export const UnknownFieldActs = ({ unknown: { id, nearest, use }, onField }: { unknown: Unknown; onField: (id: string, to: string | null) => void }) => (
  <>
    {nearest !== null && <Act onPress={() => onField(id, nearest)}>Use {nearest}</Act>}
    <Act onPress={() => onField(id, null)}>{use === 'filters by' ? 'Remove this filter' : 'Remove this field'}</Act>
  </>
)
