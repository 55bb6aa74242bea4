import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { SearchSelect, useTypeahead } from './SearchSelect'

const NAMES = ['Android', 'iOS', 'checkout_started', 'checkout', 'page_view']
const ANSWER_MS = 400
const chosen = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  chosen.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
  queryClient.clear()
})

/** A slow server that returns the previous results until it answers. */
function Choice({ tags = false }: { tags?: boolean }) {
  const typeahead = useTypeahead()
  const found = useQuery({
    queryKey: ['names', typeahead.search],
    queryFn: async () => {
      await new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
      return NAMES.filter((name) => name.includes(typeahead.search ?? ''))
    },
    placeholderData: (before: string[] | undefined) => before,
  })
  return (
    <SearchSelect<string | string[]>
      {...(tags && { mode: 'tags' as const })}
      typeahead={typeahead}
      found={found}
      aria-label="name"
      options={(found.data ?? []).map((name) => ({ value: name, label: name }))}
      onChange={(value) => chosen(value)}
    />
  )
}

async function open(tags = false) {
  render(
    <QueryClientProvider client={queryClient}>
      <Choice tags={tags} />
    </QueryClientProvider>,
  )
  const field = screen.getByRole('combobox')
  fireEvent.mouseDown(field)
  await act(() => vi.advanceTimersByTimeAsync(ANSWER_MS + 300))
  return field
}

async function type(field: HTMLElement, text: string) {
  for (let end = 1; end <= text.length; end += 1) {
    fireEvent.change(field, { target: { value: text.slice(0, end) } })
    await act(() => vi.advanceTimersByTimeAsync(100))
  }
}

const enter = (field: HTMLElement) => fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 })

it('takes the row that was typed although the answer is still the one before', async () => {
  const field = await open()
  await type(field, 'iO')
  enter(field)
  expect(chosen).toHaveBeenCalledExactlyOnceWith('iOS')
})

it('prefers what was typed in full', async () => {
  const field = await open()
  await type(field, 'checkout')
  enter(field)
  expect(chosen).toHaveBeenCalledExactlyOnceWith('checkout')
})

it('takes nothing while nothing matches', async () => {
  const field = await open()
  await type(field, 'zzz')
  enter(field)
  await act(() => vi.advanceTimersByTimeAsync(2_000))
  enter(field)
  expect(chosen).not.toHaveBeenCalled()
})

it('takes what was typed where free text may be', async () => {
  const field = await open(true)
  await type(field, 'iOS')
  enter(field)
  expect(chosen).toHaveBeenCalledExactlyOnceWith(['iOS'])
})
