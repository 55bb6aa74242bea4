import { Refused } from '../../components/Refused'
import { useApp } from '../../layouts/AppSettingsLayoutContext'
import type { AppPermission } from './gating'

/** The menu leaves out what a person may not open; an address does not. */
export function Allowed({ to, children }: { to: AppPermission; children: React.ReactNode }) {
  return useApp().may(to) ? children : <Refused />
}
