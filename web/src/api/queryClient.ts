import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './errors'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays a refusal; only a lost answer is worth one more try.
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.status === 0,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
    },
  },
})
