import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './errors'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Whether there is a network is found out by asking, see connection.ts.
      networkMode: 'always',
      // A refusal stays a refusal; only a lost answer is worth one more try.
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.status === 0,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always' },
  },
})
