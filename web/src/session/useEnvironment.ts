import { useQuery } from '@tanstack/react-query'
import { environmentQuery, type Environment } from '../api/environment'

/**
 * What the server said about itself at start-up. Undefined until then or if it failed; callers must
 * cope without it.
 */
export function useEnvironment(): Environment | undefined {
  return useQuery({ ...environmentQuery, enabled: false }).data
}
