import { act, render, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useConnection } from '../../api/connection'
import { MissingCode, pageCode } from '../../components/onDemand'
import { browser } from '../../lib/navigation'
import { forgetMishaps, tellMishaps } from '../../reports/early'
import { ok, stubServer } from '../../testing/server'
import { ErrorScreen } from './ErrorScreen'

const reload = vi.fn()
const told = vi.fn()
beforeEach(() => {
  forgetMishaps()
  told.mockReset()
  tellMishaps(({ error }) => told(error))
  sessionStorage.clear()
  reload.mockReset()
  vi.spyOn(browser, 'reload').mockImplementation(reload)
})

afterEach(forgetMishaps)

function open() {
  const lazy = async () => ({
    Component: await pageCode<never>(() => Promise.reject(new TypeError('gone'))),
  })
  const router = createMemoryRouter([
    { ErrorBoundary: ErrorScreen, children: [{ path: '/', lazy }], HydrateFallback: () => null },
  ])
  return render(<RouterProvider router={router} />)
}

it('reloads once, and then reports it and leaves it to the person', async () => {
  stubServer({ '/build-info': ok({}) })
  const first = open()
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1))
  expect(screen.queryByRole('heading')).toBeNull()
  first.unmount()
  expect(told).not.toHaveBeenCalled()

  open()
  expect((await screen.findByRole('heading')).textContent).toBe('页面未能加载')
  expect(told).toHaveBeenCalledExactlyOnceWith(expect.any(MissingCode))
  expect(reload).toHaveBeenCalledTimes(1)
  screen.getByRole('button').click()
  expect(reload).toHaveBeenCalledTimes(2)
})

it('does not reload into nowhere: it waits for the connection', async () => {
  stubServer({})
  open()
  expect((await screen.findByRole('heading')).textContent).toBe('网络连接已断开')
  expect(reload).not.toHaveBeenCalled()
  stubServer({ '/build-info': ok({}) })
  act(() => useConnection.setState({ state: 'again' }))
  await waitFor(() => expect(reload).toHaveBeenCalledTimes(1))
})
