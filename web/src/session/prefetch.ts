/** Prefetches what a page will request. The page itself reports failures. */
import { firstOrgsQuery, orgChoicesQuery } from '../api/orgs'
import { queryClient } from '../api/queryClient'

export function prefetchOrgs({ url }: Request): void {
  void queryClient.prefetchQuery(orgChoicesQuery)
  // With other parameters, the page's own query differs.
  if (new URL(url).search === '') void queryClient.prefetchQuery(firstOrgsQuery)
}
