/** The console's sections, and which one a path belongs to. */
import type { MessageKey } from '../i18n/store'
import { paths } from '../paths'

export interface Section {
  key: 'applications' | 'organization' | 'dashboard'
  label: MessageKey
  to: (org: string | null) => string
}

/** Apps open where the user last was; a team's app list is a team page. */
export const SECTIONS: Section[] = [
  { key: 'applications', label: 'section.applications', to: () => paths.root() },
  { key: 'organization', label: 'section.organization', to: () => paths.organizations() },
  { key: 'dashboard', label: 'section.dashboard', to: (org) => paths.dataDashboard({ org }) },
]

/** The section whose menu contains a page. */
export function sectionOf(pathname: string): Section['key'] | null {
  if (/^\/(org-id\/|[^/]+\/authManagement)/.test(pathname)) return 'applications'
  if (pathname.startsWith('/organization')) return 'organization'
  if (pathname.startsWith('/data-dashboard')) return 'dashboard'
  return null
}
