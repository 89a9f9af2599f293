// A name that may wrap after a separator, so that it is whole where there is little room.
import { Fragment } from 'react'

const AFTER = /(?<=[^\s\d][-_/])|(?<=\d[-_/])(?=[a-z])|(?<=[.:])(?=[a-z])/i

export const Breaks = ({ text }: { text: string }) =>
  text.split(AFTER).map((part, i) => (
    <Fragment key={i}>
      {i > 0 && <wbr />}
      {part}
    </Fragment>
  ))
