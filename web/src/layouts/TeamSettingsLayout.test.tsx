import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it } from 'vitest'
import { queryClient } from '../api/queryClient'
import { rememberUser } from '../session/session'
import { aUser, ok, stubServer } from '../testing/server'
import TeamSettingsLayout from './TeamSettingsLayout'

async function menuFor(permissions: string[]) {
  rememberUser(aUser)
  stubServer({ '/orgs/org-1': ok({ id: 'org-1', name: 'Acme', permissions }) })
  const children = [{ path: '*', element: <p>the page</p> }]
  const router = createMemoryRouter([{ path: '/', Component: TeamSettingsLayout, children }], {
    initialEntries: ['/organization/config/member?org=org-1'],
  })
  const { unmount } = render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await screen.findByText('the page')
  const links = within(screen.getByRole('navigation')).getAllByRole('link')
  const menu = Object.fromEntries(
    links.map((link) => [link.textContent, link.getAttribute('href')]),
  )
  unmount()
  queryClient.clear()
  return menu
}

it('offers single sign-on to owners alone, of the team on screen', async () => {
  const owner = await menuFor(['org:view', 'org:update', 'org_sso:manage'])
  expect(owner['单点登录']).toBe('/organization/config/sso?org=org-1')
  const admin = await menuFor(['org:view', 'org:update'])
  expect(admin['团队设置']).toBeDefined()
  expect(admin['单点登录']).toBeUndefined()
})
