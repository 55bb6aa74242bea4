/** Keeps a fault of one part of the console to that part: it disappears, and everything else goes on. */
import { Component, type ReactNode } from 'react'

export class Contained extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  // The error itself is reported where the root is made, like every one that was caught.
  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? null : this.props.children
  }
}
