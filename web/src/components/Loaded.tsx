/** Renders a query's data, or the loading, empty, and failure states in its place. */
import { Skeleton } from 'antd'
import { ApiError } from '../api/errors'
import { LoadFailure } from './LoadFailure'
import { Waiting } from './Waiting'

export interface LoadedQuery<Data> {
  data: Data | undefined
  error: Error | null
  isFetching: boolean
  refetch: () => unknown
}

interface LoadedProps<Data> {
  query: LoadedQuery<Data>
  /**
   * Placeholders of the final size, to avoid layout shift; a number means that many lines of text.
   */
  skeleton: React.ReactNode
  /** Shown for an empty list or null. */
  empty?: React.ReactNode
  /** Shown instead of the failure if the server says it doesn't exist. */
  missing?: React.ReactNode
  /** For decisions: only a fresh answer will do. */
  fresh?: boolean
  children: (data: NonNullable<Data>) => React.ReactNode
}

export function Loaded<Data>(props: LoadedProps<Data>) {
  const { query, skeleton, empty, missing, fresh, children } = props
  const { data, error, isFetching, refetch } = query
  const waits = fresh && isFetching
  if (data !== undefined && !waits)
    return isEmpty(data) && empty !== undefined ? empty : children(data!)
  if (!error || waits) return <Waiting>{skeletonOf(skeleton)}</Waiting>
  if (missing !== undefined && error instanceof ApiError && error.status === 404) return missing
  return <LoadFailure error={error} retrying={isFetching} onRetry={() => void refetch()} />
}

const isEmpty = (data: unknown) => data === null || (Array.isArray(data) && data.length === 0)

const skeletonOf = (skeleton: React.ReactNode) =>
  typeof skeleton === 'number' ? (
    <Skeleton active title={false} paragraph={{ rows: skeleton }} />
  ) : (
    skeleton
  )

/** Combines two queries: loaded once both are, failed if either is. */
export function together<One, Other>(
  one: LoadedQuery<One>,
  other: LoadedQuery<Other>,
): LoadedQuery<[One, Other]> {
  const failed = [one, other].find(({ data, error }) => data === undefined && error)
  return {
    data: one.data === undefined || other.data === undefined ? undefined : [one.data, other.data],
    error: failed?.error ?? null,
    isFetching: (failed ?? one).isFetching,
    refetch: () => (failed ?? one).refetch(),
  }
}
