/**
 * Contains a crash to one part of the console: that part disappears, everything else keeps working.
 */
import { Component, type ReactNode } from 'react'

export class Contained extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  // React's root reports the error, like every caught one.
  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? null : this.props.children
  }
}
