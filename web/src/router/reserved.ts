import { redirect, type LoaderFunctionArgs } from 'react-router'
import { paths } from '../paths'

/**
 * "/organization/authManagement" is an unknown path of /organization, not an app called
 * "organization", yet the router ranks a fixed last segment above a catch-all and brings it here.
 */
export function leaveReservedAppId({ params }: LoaderFunctionArgs): Response | null {
  return params.appId?.toLowerCase() === 'organization' ? redirect(paths.organizations()) : null
}
