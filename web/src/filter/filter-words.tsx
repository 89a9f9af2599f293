// A tree in words, with "and", "or" and "not" set apart from the words of its conditions.
import type { Piece } from './tree-words'

export const FilterWords = ({ pieces }: { pieces: Piece[] }) =>
  pieces.map(({ text, isJoint }, i) =>
    isJoint ? (
      <em key={i} className="mid">
        {text}
      </em>
    ) : (
      text
    ),
  )
