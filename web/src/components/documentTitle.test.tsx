import { QueryClientProvider } from '@tanstack/react-query'
import { render, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it } from 'vitest'
import { queryClient } from '../api/queryClient'
import AppSettingsLayout from '../layouts/AppSettingsLayout'
import WorkspaceLayout from '../layouts/WorkspaceLayout'
import { RootFrame } from '../router/RootFrame'
import { rememberUser } from '../session/session'
import { anApp } from '../testing/app'
import { aUser, ok, refusal, stubServer } from '../testing/server'

function show(path: string, answers: Parameters<typeof stubServer>[0] = {}) {
  rememberUser(aUser)
  stubServer({
    '/apps/app-1': ok(anApp),
    '/apps/app-1/role': ok({ role: null, permissions: ['app:view'], via: 'app' }),
    '/orgs/org-1': ok({ id: 'org-1', name: 'Acme' }),
    '/current': ok(aUser),
    ...answers,
  })
  const page = (title: string) => ({ handle: { title }, element: <p>page</p> })
  const children = [
    {
      path: ':appId/authManagement',
      Component: AppSettingsLayout,
      children: [{ path: 'appDetail', ...page('title.appDetail') }],
    },
    {
      path: 'org-id/:orgId/app-id/:appId',
      Component: WorkspaceLayout,
      children: [{ path: 'quick-start', ...page('title.quickStart') }],
    },
    { path: 'elsewhere', ...page('title.organizationList') },
  ]
  const router = createMemoryRouter([{ Component: RootFrame, children }], {
    initialEntries: [path],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return router
}

const titled = (title: string) => waitFor(() => expect(document.title).toBe(title))

it('names the app that a page is of, and no longer elsewhere', async () => {
  const router = show('/app-1/authManagement/appDetail')
  await titled('应用详情 · 商城-Atrium')
  await router.navigate('/elsewhere')
  await titled('团队列表-Atrium')
})

it('names it in the workspace too', async () => {
  show('/org-id/org-1/app-id/app-1/quick-start')
  await titled('快速开始 · 商城-Atrium')
})

it('says what is shown where that is not the page', async () => {
  const missing = refusal(404, { message: '', errors: [{ error: 'x', code: 'not_found' }] })
  show('/app-1/authManagement/appDetail', { '/apps/app-1': missing, '/apps/app-1/role': missing })
  await titled('页面不存在-Atrium')
})
