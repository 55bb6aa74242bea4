/**
 * Runs before a route renders: start-up, then the user if the route needs one, then the access
 * check. Redirects or lets the route through.
 */
import { redirect, redirectDocument } from 'react-router'
import type { User } from '../api/account'
import { notifyFailure } from '../api/client'
import { isUnauthorized, type ApiError } from '../api/errors'
import { paths } from '../paths'
import { goTo } from '../lib/navigation'
import { isSignInPage, type Destination } from './destination'
import { destinationFor, forgetUser, loadUser, opening, startUp } from './session'

export interface RouteInfo {
  /** The route requires a signed-in user. */
  hasUser: boolean
  /** The page that explains missing access must be reachable without it. */
  skipsGate?: boolean
}

export async function admit(route: RouteInfo, request: Request): Promise<User | null> {
  const here = addressOf(request)
  try {
    // Both load in parallel, and are awaited in turn.
    const starting = startUp()
    const person = route.hasUser ? loadUser() : null
    person?.catch(() => {})
    await starting
    if (!person) return null
    const user = await person
    // Missing counts as refused: an older server that doesn't know the field must not grant access.
    if (user.allow_visited_app !== true && !route.skipsGate) {
      throw redirect(paths.noAuth({ redirect: here }))
    }
    return user
  } catch (failure) {
    if (failure instanceof Response) throw failure
    // Not being signed in is expected; report anything else.
    if (!isUnauthorized(failure)) notifyFailure(failure)
    throw redirect(paths.login({ redirect: here }))
  }
}

/** For public pages that look different when signed in. */
export async function admitAnyone(request: Request): Promise<User | null> {
  await admit({ hasUser: false }, request)
  return loadUser().catch(() => null)
}

/** The root path has no page: it redirects once the user is known. */
export async function leaveRoot(request: Request): Promise<never> {
  const user = (await admit({ hasUser: true }, request))!
  await opening(user)
  throw redirectTo(destinationFor(user, new URL(request.url).search))
}

function redirectTo(destination: Destination): Response {
  return destination.kind === 'internal'
    ? redirect(destination.to)
    : redirectDocument(destination.href)
}

/** Path, query, and fragment. Requests carry no fragment, but the browser's URL does. */
function addressOf(request: Request): string {
  const { pathname, search } = new URL(request.url)
  const shown = window.location
  const hash = shown.pathname === pathname && shown.search === search ? shown.hash : ''
  return pathname + search + hash
}

/** The current URL, to return to after signing in again. */
export function shownAddress(): string {
  const { pathname, search, hash } = window.location
  return pathname + search + hash
}

/**
 * Handles a session that ended while the console was open. On the sign-in page, there is nowhere to
 * go.
 */
export function leaveForSignIn(error: ApiError): void {
  forgetUser()
  const here = shownAddress()
  if (isSignInPage(window.location.pathname)) return
  notifyFailure(error)
  goTo(paths.login({ redirect: here }))
}
