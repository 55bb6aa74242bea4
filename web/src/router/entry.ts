/** An entry of the route table, and how it becomes a router route. */
import type { ComponentType } from 'react'
import { generatePath, redirect, type LoaderFunctionArgs, type RouteObject } from 'react-router'
import { LoadingScreen } from '../components/LoadingScreen'
import { pageCode } from '../components/onDemand'
import type { MessageKey } from '../i18n/store'
import { canonicalPath } from '../lib/url'
import { admit, type RouteInfo } from '../session/guard'

type Load = () => Promise<{ default: ComponentType }>

/** Routes require a user by default: forgetting to say so must not expose a page. */
interface Shared {
  title?: MessageKey
  hasUser?: boolean
  skipsGate?: boolean
}

interface PathEntry extends Shared {
  path: string
  /** A screen, loaded on demand. */
  page?: Load
  /** Redirects instead of showing a screen; relative to the parent's path. */
  redirect?: string
  /** Prefetches the page's data while its code loads. */
  prefetch?: (request: Request) => void
  /** Replaces the guard, for the few routes that decide for themselves. */
  loader?: (args: LoaderFunctionArgs) => unknown
  children?: RouteEntry[]
}

/** A layout around routes that adds nothing to their paths. */
interface LayoutEntry {
  layout: Load
  children: RouteEntry[]
}

export type RouteEntry = PathEntry | LayoutEntry

/** What a matched route provides to the frame around it. */
export interface RouteHandle extends RouteInfo {
  title?: MessageKey
}

export function toRoutes(entries: RouteEntry[], parent = '/'): RouteObject[] {
  return entries.map((entry) =>
    'layout' in entry
      ? { lazy: lazily(entry.layout), children: toRoutes(entry.children, parent) }
      : toRoute(entry, parent),
  )
}

function toRoute(entry: PathEntry, parent: string): RouteObject {
  const full = canonicalPath(`${parent}/${entry.path}`)
  const info: RouteInfo = { hasUser: entry.hasUser ?? true, skipsGate: entry.skipsGate }
  const handle: RouteHandle = { ...info, title: entry.title }

  if (entry.redirect !== undefined) {
    return {
      ...place(entry.path),
      loader: redirectWithin(parent, entry.redirect),
      Component: LoadingScreen,
    }
  }
  return {
    ...place(entry.path),
    handle,
    // The guard and the screen's code load in parallel.
    loader: entry.loader ?? (entry.page && (({ request }) => enter(entry, info, request))),
    lazy: entry.page && lazily(entry.page),
    // A redirecting route shows the loading screen meanwhile.
    Component: entry.page || entry.children ? undefined : LoadingScreen,
    children: entry.children && toRoutes(entry.children, full),
  } as RouteObject
}

/** Only after the guard has let the user in. */
async function enter(entry: PathEntry, info: RouteInfo, request: Request) {
  const user = await admit(info, request)
  entry.prefetch?.(request)
  return user
}

function place(path: string): { index: true } | { path: string } {
  return path === '' ? { index: true } : { path }
}

function lazily(load: Load) {
  return async () => ({ Component: (await pageCode(load)).default })
}

/** Keeps the query, which contains the current organization. */
function redirectWithin(parent: string, to: string) {
  return ({ params, request }: LoaderFunctionArgs) => {
    const base = generatePath(parent, params as Record<string, string>)
    return redirect(canonicalPath(`${base}/${to}`) + new URL(request.url).search)
  }
}
