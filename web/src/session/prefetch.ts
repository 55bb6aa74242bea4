/** What a page will ask for, asked for before it is drawn. Failures are the page's to tell. */
import { firstOrgsQuery, orgChoicesQuery } from '../api/orgs'
import { queryClient } from '../api/queryClient'

export function prefetchOrgs({ url }: Request): void {
  void queryClient.prefetchQuery(orgChoicesQuery)
  // What else is in the address, the page's own reading of it decides.
  if (new URL(url).search === '') void queryClient.prefetchQuery(firstOrgsQuery)
}
