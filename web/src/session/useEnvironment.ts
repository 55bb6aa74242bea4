import { useQuery } from '@tanstack/react-query'
import { environmentQuery, type Environment } from '../api/environment'

/**
 * What the server said about itself at start-up. Undefined until then, and where it could not be
 * had: what hangs on it must do without.
 */
export function useEnvironment(): Environment | undefined {
  return useQuery({ ...environmentQuery, enabled: false }).data
}
