import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it, vi } from 'vitest'
import { CodeInput, digitsOf } from './CodeInput'

function Held({ onComplete }: { onComplete: (code: string) => void }) {
  const [code, setCode] = useState('')
  return <CodeInput aria-label="code" value={code} onChange={setCode} onComplete={onComplete} />
}

const input = () => screen.getByLabelText<HTMLInputElement>('code')

it('is what phones and browsers look for when they offer a code', () => {
  render(<Held onComplete={() => {}} />)
  expect(input().getAttribute('autocomplete')).toBe('one-time-code')
  expect(input().getAttribute('inputmode')).toBe('numeric')
})

it('takes digits, no more than there are, and says once that all are there', async () => {
  const onComplete = vi.fn()
  render(<Held onComplete={onComplete} />)
  await userEvent.type(input(), '12a34-5')
  expect(input().value).toBe('12345')
  expect(onComplete).not.toHaveBeenCalled()
  await userEvent.type(input(), '67')
  expect(input().value).toBe('123456')
  expect(onComplete).toHaveBeenCalledExactlyOnceWith('123456')
})

it('takes a paste whole, as mail programs hand it over', async () => {
  const onComplete = vi.fn()
  render(<Held onComplete={onComplete} />)
  await userEvent.click(input())
  await userEvent.paste(' 123 456\n')
  expect(input().value).toBe('123456')
  expect(onComplete).toHaveBeenCalledExactlyOnceWith('123456')
})

it.each([
  ['１２３４５６', '123456'],
  ['123-456', '123456'],
  ['验证码：123456。', '123456'],
  ['', ''],
])('reads %s as %s', (text, digits) => expect(digitsOf(text)).toBe(digits))
