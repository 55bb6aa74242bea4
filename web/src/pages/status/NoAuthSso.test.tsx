import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, it, vi } from 'vitest'
import type { LinkedOrg } from '../../api/account'
import { environmentQuery, type Environment } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { browser } from '../../lib/navigation'
import { user } from '../../testing/app'
import { anEnvironment, aUser, ok, stubServer } from '../../testing/server'
import { NoAuthSso } from './NoAuthSso'

function show(sso: boolean, linked: LinkedOrg[]) {
  const providers = { ...anEnvironment.providers, sso }
  const environment = { ...anEnvironment, providers } as Environment
  queryClient.setQueryData(environmentQuery.queryKey, environment)
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={['/no-auth?redirect=%2Fdata-dashboard']}>
        <NoAuthSso user={{ ...aUser, sso: linked }} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

it('is not there where no team has it', () => {
  show(false, [])
  expect(screen.queryByRole('button')).toBeNull()
})

it.each([
  ['a linked team', [{ org_id: 'o1', org_name: 'Acme' }], /“Acme”/, { organization: 'o1' }],
  ['the address', [], /用单点登录继续/, { email: aUser.email }],
])(
  'leads through the provider of %s to where the person was heading',
  async (_, linked, name, who) => {
    const assign = vi.spyOn(browser, 'assign').mockImplementation(() => {})
    const seen = stubServer({ '/sso/login': ok({ redirect_url: 'https://id.example/a' }) })
    show(true, linked)
    await user.click(screen.getByRole('button', { name }))
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://id.example/a'))
    expect(JSON.parse(seen[0]!.body)).toEqual({ ...who, redirect: '/data-dashboard' })
  },
)
