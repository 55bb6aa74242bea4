import { Navigate, useLocation } from 'react-router'
import { paths } from '../paths'

/**
 * Redirects from a page the user may not open to /403, which says what it was and who could grant
 * access.
 */
export function Refused() {
  const { pathname, search, hash } = useLocation()
  // Already there.
  if (pathname === paths.forbidden()) return null
  return <Navigate replace to={paths.forbidden({ from: pathname + search + hash })} />
}
