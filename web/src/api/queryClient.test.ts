import { afterEach, expect, it } from 'vitest'
import { errorWithoutAnswer, type LocalCode } from './errors'
import { queryClient } from './queryClient'

afterEach(() => queryClient.clear())

/** How many times a read that always fails like this is attempted. */
async function tries(code: LocalCode): Promise<number> {
  let count = 0
  const queryFn = () => {
    count += 1
    return Promise.reject(errorWithoutAnswer(code))
  }
  await queryClient
    .fetchQuery({
      queryKey: [code],
      queryFn,
      retryDelay: 0,
      retry: queryClient.getDefaultOptions().queries?.retry,
    })
    .catch(() => {})
  return count
}

it('asks once more after a lost answer, but not after one that took too long', async () => {
  expect(await tries('network')).toBe(2)
  expect(await tries('timeout')).toBe(1)
})
