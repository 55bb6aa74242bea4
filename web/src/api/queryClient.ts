import { QueryCache, QueryClient, type QueryFunctionContext } from '@tanstack/react-query'
import { notifyFailure, UNASKED, type CallOptions } from './client'
import { ApiError } from './errors'

const isLost = (error: unknown) =>
  error instanceof ApiError && error.status === 0 && error.code !== 'timeout'

/** For what is asked again by itself: once it is on screen, nobody asked for the next try. */
export function quietOnceShown({ client, queryKey }: QueryFunctionContext): CallOptions {
  return client.getQueryData(queryKey) === undefined ? {} : UNASKED
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // A fault at a field is a form's to show; where something was only read there is no form.
    onError(error, { state }) {
      const atField = error instanceof ApiError && Object.keys(error.fields).length > 0
      if (atField && state.data === undefined) notifyFailure(error)
    },
  }),
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
