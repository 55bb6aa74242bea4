// happy-dom drops the mark's picture, as its address has parentheses.
// @vitest-environment jsdom

import { QueryClientProvider } from '@tanstack/react-query'
import { act, render, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { currentUserQuery } from '../../api/account'
import { environmentQuery } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { forgetUser } from '../../session/session'
import { Watermark } from './Watermark'

afterEach(() => queryClient.clear())

const marks = () =>
  [...document.body.querySelectorAll<HTMLElement>(':scope > div')]
    .map((element) => decodeURIComponent(element.style.backgroundImage))
    .filter((picture) => picture.includes('svg'))

function show(watermark: boolean) {
  queryClient.setQueryData(environmentQuery.queryKey, { watermark } as never)
  return render(
    <QueryClientProvider client={queryClient}>
      <Watermark />
    </QueryClientProvider>,
  )
}

const signIn = (name: string) =>
  act(() => {
    queryClient.setQueryData(currentUserQuery.queryKey, {
      name,
      email: 'lin@example.com',
    } as never)
  })

it('says who is signed in, and nothing where nobody is', async () => {
  show(true)
  expect(marks()).toEqual([])
  signIn('林小雨')
  await waitFor(() => expect(marks()).toHaveLength(1))
  expect(marks()[0]).toContain('林小雨 lin@example.com')
  signIn('林大雨')
  await waitFor(() => expect(marks()[0]).toContain('林大雨'))
  expect(marks()).toHaveLength(1)
  act(() => forgetUser())
  await waitFor(() => expect(marks()).toEqual([]))
})

it('is off where the operator says so', async () => {
  show(false)
  signIn('林小雨')
  await act(async () => {})
  expect(marks()).toEqual([])
})

it('goes with the console', async () => {
  const { unmount } = show(true)
  signIn('林小雨')
  await waitFor(() => expect(marks()).toHaveLength(1))
  unmount()
  expect(marks()).toEqual([])
})
