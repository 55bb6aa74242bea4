// Needs no page.
import { expect, it } from 'vitest'
import { sectionOf } from './sections'

it.each([
  // It is in the team's menu, so in the team's section.
  ['/organization/config/config-app', 'organization'],
  ['/organization/config/archived-app', 'organization'],
  ['/organization/config/member', 'organization'],
  ['/organization/list', 'organization'],
  ['/org-id/o/app-id/a/events', 'applications'],
  ['/a/authManagement/appDetail', 'applications'],
  ['/data-dashboard', 'dashboard'],
  ['/account/user-info', null],
])('%s lights %s', (path, section) => {
  expect(sectionOf(path)).toBe(section)
})
