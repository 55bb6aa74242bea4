import { asksSecondStep, type SignInAnswer, type User } from '../api/account'
import { follow } from './appEntry'
import { destinationFor, rememberUser, startUp } from './session'

/** Someone has just signed in: on to where they were heading, or to their app. */
export function arrive(user: User, search: string): void {
  rememberUser(user)
  follow(destinationFor(user, search), { replace: true })
}

/** What follows a way of signing in. */
export interface SignInCourse {
  search: string
  /** The first step was right, and the account wants a second one. */
  onSecondStep?: () => void
}

export function proceed(answer: SignInAnswer, { search, onSecondStep }: SignInCourse): void {
  if (asksSecondStep(answer)) onSecondStep?.()
  else arrive(answer, search)
}

/** Passes an answer on once it is known where `redirect` may lead: without the regions, only to us. */
export async function withRegions<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const signedIn = await answer
  await startUp().catch(() => {})
  return signedIn
}
