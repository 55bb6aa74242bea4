import { useQuery } from '@tanstack/react-query'
import { regionsQuery } from '../../api/environment'
import { useT } from '../../i18n/useT'

/** The default region if none is configured. The operator names all others. */
const OWN = { region: 'local', name: 'Local' }

/** A region's display name, or its short name if the list failed to load. */
export function useRegionName(): (region: string) => string {
  const t = useT()
  // Loaded at start-up, see session.ts.
  const { data } = useQuery({ ...regionsQuery, enabled: false })
  return (region) => {
    const name = data?.get(region)?.name ?? region
    return region === OWN.region && name === OWN.name ? t('region.local') : name
  }
}
