import { Navigate, useLocation } from 'react-router'
import { paths } from '../paths'

/** In place of a page that is not this person's to open: /403 says what it was and who could grant it. */
export function Refused() {
  const { pathname, search, hash } = useLocation()
  // It leads nowhere from there.
  if (pathname === paths.forbidden()) return null
  return <Navigate replace to={paths.forbidden({ from: pathname + search + hash })} />
}
