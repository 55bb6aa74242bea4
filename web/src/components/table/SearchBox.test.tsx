import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SearchBox } from './SearchBox'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const box = () => screen.getByLabelText<HTMLInputElement>('搜索')
const type = (value: string) => fireEvent.change(box(), { target: { value } })
const wait = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })

it('searches once the typing pauses', () => {
  const onSearch = vi.fn()
  render(<SearchBox label="搜索" value={undefined} onSearch={onSearch} />)
  type('l')
  wait(200)
  type('lin ')
  wait(299)
  expect(onSearch).not.toHaveBeenCalled()
  wait(1)
  expect(onSearch).toHaveBeenCalledExactlyOnceWith('lin')
})

it('takes the search out of the address when it is emptied', () => {
  const onSearch = vi.fn()
  render(<SearchBox label="搜索" value="lin" onSearch={onSearch} />)
  wait(1000)
  expect(onSearch).not.toHaveBeenCalled()
  type('')
  wait(300)
  expect(onSearch).toHaveBeenCalledExactlyOnceWith(undefined)
})

it('follows the address, but not over what is being typed', () => {
  const { rerender } = render(<SearchBox label="搜索" value="lin" onSearch={() => {}} />)
  rerender(<SearchBox label="搜索" value={undefined} onSearch={() => {}} />)
  expect(box().value).toBe('')

  // A trailing space means another word follows.
  type('lin ')
  rerender(<SearchBox label="搜索" value="lin" onSearch={() => {}} />)
  expect(box().value).toBe('lin ')
})
