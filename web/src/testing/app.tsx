/** Renders an app's page in a unit test, without the frame that would load the app. */
import { QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider, useLocation } from 'react-router'
import type { App } from '../api/app'
import { queryClient } from '../api/queryClient'
import { AppContext } from '../session/app'
import { accessTo, type AppPermission } from '../session/access'
import { rememberUser } from '../session/session'
import { aUser, stubServer, type SeenRequest } from './server'

export const anApp: App = {
  id: 'app-1',
  org_id: 'org-1',
  name: '商城',
  description: '',
  region: 'local',
  endpoint: 'https://atrium.example',
  is_local: true,
  timezone: 'Asia/Shanghai',
  status: 'active',
  created_by: null,
  created_at: aUser.created_at,
  purge_started: false,
  member_count: 1,
  events_24h: 1_284_033,
  permissions: [],
  retention_days: null,
  org_retention_days: 365,
  collect_key: 'ck_public',
}

/** The target of refused pages: shows where the refusal came from. */
export const refusedRoute = { path: '/403', Component: RefusedFrom }

function RefusedFrom() {
  return <p>refused: {new URLSearchParams(useLocation().search).get('from')}</p>
}

interface Shown {
  may: AppPermission[]
  answers: Parameters<typeof stubServer>[0]
  app?: Partial<App>
  search?: string
}

export function showInApp(page: React.ReactNode, shown: Shown): SeenRequest[] {
  rememberUser(aUser)
  const app = { ...anApp, ...shown.app }
  const seen = stubServer(shown.answers)
  const element = <AppContext value={{ app, ...accessTo(app, shown.may) }}>{page}</AppContext>
  const router = createMemoryRouter([refusedRoute, { path: '*', element }], {
    initialEntries: [`/app-1/authManagement/x${shown.search ?? ''}`],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return seen
}

/** Browser tests check that clicks get through; checking each one takes seconds here. */
export const user = userEvent.setup({ delay: null, pointerEventsCheck: 0 })

/**
 * Without the console's settings, Ant Design inserts a space between two characters; a button that
 * was busy says so.
 */
export const spaced = ([first, second]: string) => new RegExp(`^(loading )?${first}\\s?${second}$`)
