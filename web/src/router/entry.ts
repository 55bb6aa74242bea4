/** What one line of the route table says, and how it becomes a route of the router. */
import type { ComponentType } from 'react'
import { generatePath, redirect, type LoaderFunctionArgs, type RouteObject } from 'react-router'
import { LoadingScreen } from '../components/LoadingScreen'
import { pageCode } from '../components/onDemand'
import type { MessageKey } from '../i18n/store'
import { canonicalPath } from '../lib/url'
import { admit, type RouteInfo } from '../session/guard'

type Load = () => Promise<{ default: ComponentType }>

/** Routes need a user unless they say otherwise: forgetting it must not open a page. */
interface Shared {
  title?: MessageKey
  hasUser?: boolean
  skipsGate?: boolean
}

interface PathEntry extends Shared {
  path: string
  /** A screen of its own, loaded on demand. */
  page?: Load
  /** Another place instead of a screen, relative to the parent's path. */
  redirect?: string
  /** Asks for what the page will ask for, while its code still travels or is drawn. */
  prefetch?: (request: Request) => void
  /** In place of the guard, for the few routes that decide for themselves. */
  loader?: (args: LoaderFunctionArgs) => unknown
  children?: RouteEntry[]
}

/** Puts a frame around routes without adding to their paths. */
interface LayoutEntry {
  layout: Load
  children: RouteEntry[]
}

export type RouteEntry = PathEntry | LayoutEntry

/** What a matched route carries for the frame around it. */
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
    // The guard and the screen's code travel at the same time.
    loader: entry.loader ?? (entry.page && (({ request }) => enter(entry, info, request))),
    lazy: entry.page && lazily(entry.page),
    // A route that only leads on shows that it is on its way.
    Component: entry.page || entry.children ? undefined : LoadingScreen,
    children: entry.children && toRoutes(entry.children, full),
  } as RouteObject
}

/** Only for someone whom the guard lets in: nobody else has anything to ask for. */
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

/** The query stays: it holds the organization on screen. */
function redirectWithin(parent: string, to: string) {
  return ({ params, request }: LoaderFunctionArgs) => {
    const base = generatePath(parent, params as Record<string, string>)
    return redirect(canonicalPath(`${base}/${to}`) + new URL(request.url).search)
  }
}
