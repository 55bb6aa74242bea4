import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, it } from 'vitest'
import { currentUserQuery, type User } from '../api/account'
import { queryClient } from '../api/queryClient'
import { aUser } from '../testing/server'
import { FactorNotice } from './FactorNotice'

function show(mfa: Partial<User['mfa']>) {
  queryClient.setQueryData(currentUserQuery.queryKey, { ...aUser, mfa: { ...aUser.mfa, ...mfa } })
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <FactorNotice />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

const from = '2026-12-01T04:00:00.000Z'

it('says from when on an owner needs a second factor, and where to set it up', () => {
  show({ required_from: from })
  expect(screen.getByRole('note').textContent).toContain('12月1日')
  expect(screen.getByRole('link').getAttribute('href')).toBe('/account/user-info#mfa')
})

it.each([
  ['nobody is asked', {}],
  ['there is one', { required_from: from, totp: true }],
  ['a passkey is one', { required_from: from, passkeys: 1 }],
  ['the time is over', { required_from: from, required: true }],
])('says nothing where %s', (_, mfa) => {
  show(mfa)
  expect(screen.queryByRole('note')).toBeNull()
})
