import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useForm } from 'react-hook-form'
import { expect, it } from 'vitest'
import { ok, stubServer } from '../../testing/server'
import { NewPasswordField } from './NewPasswordField'

function Form() {
  const { control } = useForm({ defaultValues: { password: '' } })
  return (
    <NewPasswordField
      control={control}
      name="password"
      label="密码"
      personal={['lin@example.com', '蓝鲸']}
      token="t-1"
    />
  )
}

const level = () => screen.getByRole('meter').getAttribute('aria-valuenow')

it('goes by what the server says, and tells why', async () => {
  const message = '这个密码容易被猜到。'
  const verdict = { acceptable: false, code: 'password_guessable', message }
  const seen = stubServer({ '/password/check': ok(verdict) })
  render(<Form />)
  await userEvent.type(screen.getByLabelText('密码'), 'vtqkwzmfbphdcgjl')
  expect(level()).toBe('4')
  expect(await screen.findByText(message)).toBeShown()
  expect(level()).toBe('2')
  expect(JSON.parse(seen.at(-1)!.body)).toEqual({
    password: 'vtqkwzmfbphdcgjl',
    about: ['lin@example.com', '蓝鲸'],
    token: 't-1',
  })
})

it('calls good what the server takes', async () => {
  stubServer({ '/password/check': ok({ acceptable: true, code: null, message: null }) })
  render(<Form />)
  await userEvent.type(screen.getByLabelText('密码'), 'kfmvtqwz')
  expect(level()).toBe('2')
  await screen.findByText('良好')
  expect(level()).toBe('3')
})

it('does without an answer, and does not ask about what is too short', async () => {
  const seen = stubServer({})
  render(<Form />)
  await userEvent.type(screen.getByLabelText('密码'), 'kfmvtqw')
  expect(level()).toBe('1')
  expect(seen).toHaveLength(0)
})
