import { useQuery } from '@tanstack/react-query'
import { regionsQuery } from '../../api/environment'
import { useT } from '../../i18n/useT'

/** The one that is there where none is configured. All others are named by who runs the instance. */
const OWN = { region: 'local', name: 'Local' }

/** The name people read; the short one that apps carry, where the list did not arrive. */
export function useRegionName(): (region: string) => string {
  const t = useT()
  // Loaded at start-up, see session.ts.
  const { data } = useQuery({ ...regionsQuery, enabled: false })
  return (region) => {
    const name = data?.get(region)?.name ?? region
    return region === OWN.region && name === OWN.name ? t('region.local') : name
  }
}
