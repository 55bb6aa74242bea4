/** The sections of the console, and which of them an address belongs to. */
import type { MessageKey } from '../i18n/store'
import { paths } from '../paths'

export interface Section {
  key: 'applications' | 'organization' | 'dashboard'
  label: MessageKey
  to: (org: string | null) => string
}

/** Applications are entered where one was last; a team's list of them is a page of the team. */
export const SECTIONS: Section[] = [
  { key: 'applications', label: 'section.applications', to: () => paths.root() },
  { key: 'organization', label: 'section.organization', to: () => paths.organizations() },
  { key: 'dashboard', label: 'section.dashboard', to: (org) => paths.dataDashboard({ org }) },
]

/** The section whose menu a page stands in. */
export function sectionOf(pathname: string): Section['key'] | null {
  if (/^\/(org-id\/|[^/]+\/authManagement)/.test(pathname)) return 'applications'
  if (pathname.startsWith('/organization')) return 'organization'
  if (pathname.startsWith('/data-dashboard')) return 'dashboard'
  return null
}
