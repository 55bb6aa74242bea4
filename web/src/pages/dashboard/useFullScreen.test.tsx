import { act, fireEvent, renderHook } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useFullScreen } from './useFullScreen'

const show = (element: Partial<HTMLElement>) =>
  renderHook(() => useFullScreen({ current: element as HTMLElement })).result

it('covers the page where the browser has no full screen, until Escape', () => {
  const screen = show({})
  act(() => screen.current.toggle())
  expect(screen.current.full).toBe(true)
  fireEvent.keyDown(document, { key: 'Escape' })
  expect(screen.current.full).toBe(false)
})

it('covers the page where the browser refuses', async () => {
  const screen = show({ requestFullscreen: () => Promise.reject(new TypeError('not allowed')) })
  await act(async () => screen.current.toggle())
  expect(screen.current.full).toBe(true)
  act(() => screen.current.toggle())
  expect(screen.current.full).toBe(false)
})

it('takes the browser’s where there is one, and follows it', () => {
  const requestFullscreen = vi.fn(() => Promise.resolve())
  const screen = show({ requestFullscreen })
  act(() => screen.current.toggle())
  expect(requestFullscreen).toHaveBeenCalledOnce()
  expect(screen.current.full).toBe(false)

  const now = (element: Element | null) => {
    Object.defineProperty(document, 'fullscreenElement', { value: element, configurable: true })
    act(() => void document.dispatchEvent(new Event('fullscreenchange')))
  }
  now(document.body)
  expect(screen.current.full).toBe(true)
  now(null)
  expect(screen.current.full).toBe(false)
})
