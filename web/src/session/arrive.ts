import { asksSecondStep, type SignInAnswer, type User } from '../api/account'
import { follow } from './appEntry'
import { destinationFor, rememberUser, startUp } from './session'

/** After signing in: go to the requested destination, or to the user's app. */
export function arrive(user: User, search: string): void {
  rememberUser(user)
  follow(destinationFor(user, search), { replace: true })
}

/** What happens after signing in. */
export interface SignInCourse {
  search: string
  /** The first step succeeded, and the account requires a second. */
  onSecondStep?: () => void
}

export function proceed(answer: SignInAnswer, { search, onSecondStep }: SignInCourse): void {
  if (asksSecondStep(answer)) onSecondStep?.()
  else arrive(answer, search)
}

/**
 * Delays an answer until it is known where `redirect` may lead: without the regions, only to our
 * own origin.
 */
export async function withRegions<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const signedIn = await answer
  await startUp().catch(() => {})
  return signedIn
}
