import { Refused } from '../../components/Refused'
import { useApp } from '../../session/app'
import type { AppPermission } from '../../session/access'

/** The menu leaves out what a person may not open; an address does not. */
export function Allowed({ to, children }: { to: AppPermission; children: React.ReactNode }) {
  return useApp().may(to) ? children : <Refused />
}
