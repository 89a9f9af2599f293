import { useLocation } from 'wouter'

import page from './ui/page.module.css'
import { ButtonLink, join } from './ui/controls'
import { paths } from './url/paths'

export function Missing() {
  const [location] = useLocation()
  return (
    <main id="main" className={join(page.read, page.wide)}>
      <h1>Page not found</h1>
      <p className={page.lead}>
        No page has the address <code>{location}</code>.
      </p>
      <ButtonLink href={paths.explore()} look="line">
        Explore experiments
      </ButtonLink>
    </main>
  )
}
