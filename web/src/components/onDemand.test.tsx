import { act, render, screen, waitFor } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { useConnection } from '../api/connection'
import { ok, stubServer } from '../testing/server'
import { MissingCode, onDemand, pageCode, useOutdated } from './onDemand'

const part = { default: ({ name }: { name: string }) => <p>part {name}</p> }
const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
const isThere = { '/build-info': ok({}) }

it('is fetched when it is first needed, and stays', async () => {
  const load = vi.fn(() => Promise.resolve(part))
  const Part = onDemand(load)
  const { rerender } = render(<Part needed={false} name="a" />)
  expect(load).not.toHaveBeenCalled()
  rerender(<Part needed name="a" />)
  await screen.findByText('part a')
  rerender(<Part needed={false} name="b" />)
  expect(screen.getByText('part b')).toBeShown()
  expect(load).toHaveBeenCalledTimes(1)
})

it('says so where the server has it no longer, and reloads nothing', async () => {
  stubServer(isThere)
  const missed = vi.fn()
  const Part = onDemand<object>(gone, missed)
  render(<Part needed />)
  await waitFor(() => expect(useOutdated.getState().outdated).toBe(true))
  expect(missed).toHaveBeenCalledTimes(1)
})

it('is asked for again when a lost connection is back', async () => {
  stubServer({})
  const load = vi.fn<() => Promise<typeof part>>(gone)
  const Part = onDemand(load)
  render(<Part needed name="a" />)
  await waitFor(() => expect(useConnection.getState().state).toBe('lost'))
  expect(useOutdated.getState().outdated).toBe(false)
  load.mockResolvedValue(part)
  act(() => useConnection.setState({ state: 'again' }))
  await screen.findByText('part a')
  act(() => useConnection.setState({ state: 'fine' }))
})

it('is an error of its own for a page, unless somebody else deals with it', async () => {
  await expect(pageCode(gone)).rejects.toBeInstanceOf(MissingCode)
  const settled = vi.fn()
  void pageCode(() => Promise.resolve(undefined)).finally(settled)
  await new Promise((resolve) => setTimeout(resolve))
  expect(settled).not.toHaveBeenCalled()
})
