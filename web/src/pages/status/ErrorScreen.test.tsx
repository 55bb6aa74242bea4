import { render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { errorOfAnswer } from '../../api/errors'
import { forgetMishaps, tellMishaps } from '../../reports/early'
import { ErrorScreen } from './ErrorScreen'

const told = vi.fn()

beforeEach(() => {
  forgetMishaps()
  told.mockReset()
  tellMishaps(({ error }) => told(error))
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(forgetMishaps)

async function fail(error: unknown): Promise<void> {
  const router = createMemoryRouter([
    {
      path: '/',
      loader: () => {
        throw error
      },
      ErrorBoundary: ErrorScreen,
      HydrateFallback: () => null,
      Component: () => null,
    },
  ])
  render(<RouterProvider router={router} />)
  await screen.findByRole('button', { name: '重新加载' })
}

it('reports code that did not arrive', async () => {
  const error = new TypeError('Failed to fetch dynamically imported module')
  await fail(error)
  expect(told).toHaveBeenCalledExactlyOnceWith(error)
})

it('leaves what the server answered to the server', async () => {
  await fail(errorOfAnswer(new Response('', { status: 500 }), ''))
  await fail(new Response('', { status: 404 }))
  expect(told).not.toHaveBeenCalled()
})
