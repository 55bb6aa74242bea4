import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useCountdown } from './useCountdown'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function Shown({ until }: { until: number | null }) {
  return <output>{useCountdown(until)}</output>
}

const shown = () => screen.getByRole('status').textContent
const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })

it('counts whole seconds down to nought and then rests', () => {
  render(<Shown until={Date.now() + 2500} />)
  expect(shown()).toBe('3')
  pass(1000)
  expect(shown()).toBe('2')
  pass(2000)
  expect(shown()).toBe('0')
  expect(vi.getTimerCount()).toBe(0)
})

it('is right at once after a tab has slept', () => {
  render(<Shown until={Date.now() + 60_000} />)
  vi.setSystemTime(Date.now() + 45_000)
  pass(250)
  expect(shown()).toBe('15')
})

it('is nought where there is nothing to wait for, and follows a new moment', () => {
  const { rerender } = render(<Shown until={null} />)
  expect(shown()).toBe('0')
  rerender(<Shown until={Date.now() + 5000} />)
  expect(shown()).toBe('5')
  rerender(<Shown until={Date.now() - 1} />)
  expect(shown()).toBe('0')
})
