import { Link } from 'react-router'
import type { App } from '../../api/app'
import { appEntryDestination } from '../../session/appEntry'

interface EntryLinkProps {
  app: App
  /** A path below the entry, with a leading slash. */
  extra?: string
  className?: string
  children: React.ReactNode
}

/** A link into an app, which may be at another region's address. */
export function EntryLink({ app, extra, className, children }: EntryLinkProps) {
  const { org_id, id: app_id, endpoint, is_local } = app
  const destination = appEntryDestination({ org_id, app_id, endpoint, is_local }, extra)
  return destination.kind === 'internal' ? (
    <Link to={destination.to} className={className}>
      {children}
    </Link>
  ) : (
    <a href={destination.href} className={className}>
      {children}
    </a>
  )
}
