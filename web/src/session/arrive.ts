import type { User } from '../api/account'
import { follow } from './appEntry'
import { destinationFor, rememberUser } from './session'

/** Someone has just signed in: on to where they were heading, or to their app. */
export function arrive(user: User, search: string): void {
  rememberUser(user)
  follow(destinationFor(user, search), { replace: true })
}
