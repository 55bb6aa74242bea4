import { useQueryClient } from '@tanstack/react-query'
import { allOrgs, orgQuery, type Org } from '../../../api/orgs'

/** Updates a changed organization everywhere it is shown. */
export function useOrgChange(): (changed: Org) => void {
  const client = useQueryClient()
  return (changed) => {
    client.setQueryData(orgQuery(changed.id).queryKey, changed)
    void client.invalidateQueries(allOrgs)
  }
}
