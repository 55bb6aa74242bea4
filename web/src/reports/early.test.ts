import { beforeEach, expect, it, vi } from 'vitest'
import { forgetMishaps, reportError, tellMishaps, watchForErrors, type Mishap } from './early'

beforeEach(forgetMishaps)

it('remembers a few errors until someone listens, each once and with its place', () => {
  window.history.replaceState(null, '', '/login')
  const first = new Error('first')
  reportError(first)
  reportError(first)
  for (let n = 0; n < 20; n++) reportError(new Error(`error ${n}`))
  window.history.replaceState(null, '', '/data-dashboard')
  const told: Mishap[] = []
  tellMishaps((mishap) => told.push(mishap))
  expect(told.length).toBe(10)
  expect(told[0]).toEqual({ error: first, path: '/login', componentStack: undefined })
})

it('tells at once from then on', () => {
  const listener = vi.fn()
  tellMishaps(listener)
  reportError('thrown', '\n  at Page')
  expect(listener).toHaveBeenCalledExactlyOnceWith({
    error: 'thrown',
    path: '/',
    componentStack: '\n  at Page',
  })
})

it('hears what nobody caught, until the client does', () => {
  watchForErrors()
  const error = new Error('uncaught')
  // Dispatched by hand, because the test runner treats real uncaught errors as failures.
  const event = Object.assign(new Event('error'), { error })
  window.addEventListener('error', (heard) => heard.preventDefault(), { once: true })
  window.dispatchEvent(event)
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: 'refused' }))
  const told: unknown[] = []
  tellMishaps((mishap) => told.push(mishap.error))
  expect(told).toEqual([error, 'refused'])
  // From now on the client has its own listeners; reporting here too would count twice.
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: 'later' }))
  expect(told.length).toBe(2)
})
