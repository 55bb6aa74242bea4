import { QueryCache, QueryClient, type QueryFunctionContext } from '@tanstack/react-query'
import { notifyFailure, UNASKED, type CallOptions } from './client'
import { ApiError } from './errors'

const isLost = (error: unknown) =>
  error instanceof ApiError && error.status === 0 && error.code !== 'timeout'

/**
 * For polling: once data is on screen, later attempts are not the user's, so they fail silently.
 */
export function quietOnceShown({ client, queryKey }: QueryFunctionContext): CallOptions {
  return client.getQueryData(queryKey) === undefined ? {} : UNASKED
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A form shows errors at its fields, but a plain read has no form.
    onError(error, { state }) {
      const atField = error instanceof ApiError && Object.keys(error.fields).length > 0
      if (atField && state.data === undefined) notifyFailure(error)
    },
  }),
  defaultOptions: {
    queries: {
      // Whether there is a network is found out by probing; see connection.ts.
      networkMode: 'always',
      // A refusal won't change; only a lost answer is worth a retry. Not a timeout, after which the
      // user has already waited half a minute.
      retry: (failures, error) => failures < 1 && isLost(error),
      staleTime: 30_000,
      refetchOnWindowFocus: false,
    },
    mutations: { networkMode: 'always' },
  },
})
