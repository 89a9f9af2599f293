// Shows an error in place of a part that cannot be loaded or rendered. A new `place` retries.
import { Component, type ReactNode } from 'react'

import { Button, join, Note } from './controls'
import page from './page.module.css'

interface Props {
  place: string
  children: ReactNode
}

interface State {
  failure: { error: unknown } | null
  place: string
}

export class Boundary extends Component<Props, State> {
  override state: State = { failure: null, place: this.props.place }

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } }
  }

  static getDerivedStateFromProps({ place }: Props, state: State) {
    return place === state.place ? null : { failure: null, place }
  }

  override render() {
    const { failure } = this.state
    if (!failure) return this.props.children
    return (
      <main id="main" className={join(page.read, page.wide)}>
        <h1>Could not show this page</h1>
        <div className={page.notice}>
          <Note kind="bad" role="alert">
            {failure.error instanceof Error ? failure.error.message : String(failure.error)}
          </Note>
        </div>
        <p className={page.lead}>
          Stored results are not affected. Reload the page; if that does not help, check that profllm-dashboard is
          running.
        </p>
        <Button look="line" onPress={() => window.location.reload()}>
          Reload
        </Button>
      </main>
    )
  }
}
