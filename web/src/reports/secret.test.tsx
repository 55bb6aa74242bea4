/** Recordings must never show passwords, codes, or secrets, typed or displayed. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it } from 'vitest'
import { CodeInput } from '../components/form/CodeInput'
import { PasswordInput } from '../components/form/PasswordInput'
import { RecoveryCodeInput } from '../components/form/RecoveryCodeInput'
import { RecoveryCodes } from '../components/mfa/RecoveryCodes'
import { SecretDialog } from '../pages/application/keys/SecretDialog'
import { user } from '../testing/app'
import { SECRET } from './scrub'

const isLeftOut = (element: Element) => element.closest(SECRET.join(',')) !== null

it('a password, hidden or shown', async () => {
  render(<PasswordInput aria-label="password" />)
  const input = screen.getByLabelText('password')
  expect(isLeftOut(input)).toBe(true)
  await user.click(screen.getByRole('button', { name: '显示密码' }))
  expect(input.getAttribute('type')).toBe('text')
  expect(isLeftOut(input)).toBe(true)
})

it('a code', () => {
  render(<CodeInput aria-label="code" onChange={() => {}} />)
  render(<RecoveryCodeInput aria-label="recovery" onChange={() => {}} />)
  expect(isLeftOut(screen.getByLabelText('code'))).toBe(true)
  expect(isLeftOut(screen.getByLabelText('recovery'))).toBe(true)
})

it('what is shown once, of which only the value is left out', () => {
  const client = new QueryClient()
  const values = [{ label: 'Secret', value: 'sk-value', copy: 'copy' }]
  const router = createMemoryRouter([
    {
      path: '*',
      element: <SecretDialog title="t" lead="keep it" values={values} onStored={() => {}} />,
    },
  ])
  render(
    <QueryClientProvider client={client}>
      <RecoveryCodes codes={['abcde-fghij']} onStored={() => {}} />
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  expect(isLeftOut(screen.getByText('abcde-fghij'))).toBe(true)
  expect(isLeftOut(screen.getByText('sk-value'))).toBe(true)
  expect(isLeftOut(screen.getByText('keep it'))).toBe(false)
})

it('an ordinary field is recorded', () => {
  render(<input aria-label="name" />)
  expect(isLeftOut(screen.getByLabelText('name'))).toBe(false)
})
