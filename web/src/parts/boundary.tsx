/** A page that breaks says so, and leaves the menu where it is. */

import { Component, type ReactNode } from 'react'

type Props = {
  /** Where one is: another page is tried again. One that works is left alone, with all that is in it. */
  place?: string
  children: ReactNode
}

export class Boundary extends Component<Props, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override componentDidUpdate(before: Props) {
    if (this.state.isBroken && before.place !== this.props.place) this.setState({ isBroken: false })
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
