import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '../api/errors'
import { queryClient } from '../api/queryClient'
import { ResendButton } from './ResendButton'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const button = () => screen.getByRole<HTMLButtonElement>('button')
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

/** Whether emails are sent at all comes from the environment. */
const show = (element: React.ReactElement) =>
  render(<QueryClientProvider client={queryClient}>{element}</QueryClientProvider>)

async function press() {
  fireEvent.click(button())
  await pass(0)
}

it('waits 60 s after the last mail, sends, and waits again', async () => {
  const send = vi.fn(() => Promise.resolve())
  show(<ResendButton send={send} sentAt={Date.now()} />)
  expect(button().disabled).toBe(true)
  expect(button().textContent).toBe('60 秒后可重新发送')
  await pass(60_000)
  expect(button().disabled).toBe(false)
  await press()
  expect(send).toHaveBeenCalledOnce()
  expect(screen.getByRole('status').textContent).toBe('已重新发送')
  expect(button().textContent).toBe('60 秒后可重新发送')
})

it('waits as long as the server says', async () => {
  const refused = new ApiError({
    status: 429,
    code: 'throttled',
    text: () => '请稍后再试',
    retryAt: Date.now() + 17_000,
  })
  show(<ResendButton send={() => Promise.reject(refused)} sentAt={null} />)
  expect(button().disabled).toBe(false)
  await press()
  expect(screen.getByRole('alert').textContent).toBe('请稍后再试')
  expect(button().textContent).toBe('17 秒后可重新发送')
})
