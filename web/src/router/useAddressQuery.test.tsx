import { act, render } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it } from 'vitest'
import { useAddressQuery } from './useAddressQuery'

type Change = ReturnType<typeof useAddressQuery>[1]

it('adds a choice to one made before the page was drawn again', async () => {
  const drawn: Change[] = []
  function Board() {
    drawn.push(useAddressQuery()[1])
    return null
  }
  const router = createMemoryRouter([{ path: '*', Component: Board }], {
    initialEntries: ['/x?org=1'],
  })
  render(<RouterProvider router={router} />)

  // Both from the first render.
  const choose = (name: string) =>
    act(async () =>
      drawn[0]!((before) => {
        before.set(name, 'chosen')
        return before
      }),
    )
  await choose('compare')
  await choose('metric')

  expect(router.state.location.search).toBe('?org=1&compare=chosen&metric=chosen')
})
