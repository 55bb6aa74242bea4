/** The sections of the console, and which of them an address belongs to. */
import type { MessageKey } from '../i18n/store'
import { paths } from '../paths'

export interface Section {
  key: 'applications' | 'organization' | 'dashboard'
  label: MessageKey
  to: (org: string | null) => string
}

export const SECTIONS: Section[] = [
  { key: 'applications', label: 'section.applications', to: (org) => paths.teamApps({ org }) },
  { key: 'organization', label: 'section.organization', to: () => paths.organizations() },
  { key: 'dashboard', label: 'section.dashboard', to: (org) => paths.dataDashboard({ org }) },
]

/** An app's own pages belong to the applications, wherever the route table keeps them. */
export function sectionOf(pathname: string): Section['key'] | null {
  if (/^\/organization\/config\/(config|archived|delete)-app$/.test(pathname)) return 'applications'
  if (/^\/(org-id\/|[^/]+\/authManagement)/.test(pathname)) return 'applications'
  if (pathname.startsWith('/organization')) return 'organization'
  if (pathname.startsWith('/data-dashboard')) return 'dashboard'
  return null
}
