import { Refused } from '../../components/Refused'
import { useApp } from '../../session/app'
import type { AppPermission } from '../../session/access'

/** The menu leaves out pages the user may not open, but a URL can still name one. */
export function Allowed({ to, children }: { to: AppPermission; children: React.ReactNode }) {
  return useApp().may(to) ? children : <Refused />
}
