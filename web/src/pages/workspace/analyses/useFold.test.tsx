import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useFold } from './useFold'

const folding = (needed: boolean) =>
  renderHook(({ isNeeded }) => useFold(isNeeded), { initialProps: { isNeeded: needed } })

it('starts folded above an answer, and is opened and folded by its button', () => {
  const { result } = folding(false)
  expect(result.current.isOpen).toBe(false)
  act(() => result.current.toggle!())
  expect(result.current.isOpen).toBe(true)
  act(() => result.current.toggle!())
  expect(result.current.isOpen).toBe(false)
})

it('is open while something in it is missing or wrong, with no button to fold it', () => {
  const { result } = folding(true)
  expect(result.current).toMatchObject({ isOpen: true, toggle: null })
})

it('opens by itself when something turns out to be wrong, and stays open once it is mended', () => {
  const { result, rerender } = folding(false)
  rerender({ isNeeded: true })
  expect(result.current.isOpen).toBe(true)
  rerender({ isNeeded: false })
  expect(result.current.isOpen).toBe(true)
  expect(result.current.toggle).not.toBeNull()
})

it('folds for a whole question that was opened in place of an empty one', () => {
  const { result, rerender } = folding(true)
  act(() => result.current.close())
  expect(result.current.isOpen).toBe(true)
  rerender({ isNeeded: false })
  expect(result.current.isOpen).toBe(false)
})
