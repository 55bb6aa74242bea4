import { redirect, type LoaderFunctionArgs } from 'react-router'
import { paths } from '../paths'

/**
 * "/organization/authManagement" is an unknown path under /organization, not an app called
 * "organization". But the router ranks a static last segment above a catch-all, so it ends up here.
 */
export function leaveReservedAppId({ params }: LoaderFunctionArgs): Response | null {
  return params.appId?.toLowerCase() === 'organization' ? redirect(paths.organizations()) : null
}
