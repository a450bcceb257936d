/** A page that breaks says so, and leaves the menu where it is. */

import { Component, type ReactNode } from 'react'

type Props = { children: ReactNode }

export class Boundary extends Component<Props, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <div className="empty" role="alert">
        <h1>This page could not be shown</h1>
        <p>The gateway may have been restarted, or updated while you were here.</p>
        <button type="button" className="button primary" onClick={() => location.reload()}>
          Load it again
        </button>
      </div>
    )
  }
}
