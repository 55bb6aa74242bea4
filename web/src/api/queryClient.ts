import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './errors'

const isLost = (error: unknown) =>
  error instanceof ApiError && error.status === 0 && error.code !== 'timeout'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Whether there is a network is found out by asking, see connection.ts.
      networkMode: 'always',
      // A refusal stays a refusal; only a lost answer is worth one more try. Not one that took too
      // long: the person has waited for half a minute already.
      retry: (failures, error) => failures < 1 && isLost(error),
      staleTime: 30_000,
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always' },
  },
})
