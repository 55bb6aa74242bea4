import { useQuery } from '@tanstack/react-query'
import { regionsQuery } from '../../../api/environment'

/** The name people read; the short one that apps carry, where the list did not arrive. */
export function RegionName({ region }: { region: string }) {
  const { data } = useQuery({ ...regionsQuery, enabled: false })
  return data?.get(region)?.name ?? region
}
