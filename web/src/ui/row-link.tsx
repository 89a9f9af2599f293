// A link of a table row. It does not read the address, so that a change of the address does not render every row again,
// as it would with the router's own link.
import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { navigate } from 'wouter/use-browser-location'

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }

export function RowLink({ href, ...more }: Props) {
  const go = (event: MouseEvent) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.shiftKey
    )
      return
    event.preventDefault()
    navigate(href)
  }
  return <a {...more} href={href} onClick={go} />
}
