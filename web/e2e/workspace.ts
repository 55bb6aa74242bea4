/** An app with a little data of its own, for workspace tests. */
import type { Page } from '@playwright/test'
import { openOwnApp, type OwnApp } from './app'
import { loaded, message, send } from './events'
import type { Instance } from './test'

export const entryOf = ({ own, appId }: OwnApp) => `/org-id/${own.orgId}/app-id/${appId}`
export const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Three people, with personal data about one of them. */
const ORDERS = [
  { event: 'order', device: 'd-1', user: 'lin.xiaoyu', os: 'macOS', properties: { amount: 10 } },
  { event: 'order', device: 'd-2', user: 'wang', os: 'HarmonyOS', properties: { amount: 30 } },
  {
    event: 'signup',
    device: 'd-1',
    user: 'lin.xiaoyu',
    os: 'macOS',
    properties: { email: 'lin@example.com', plan: 'pro' },
  },
  { event: 'page_view', device: 'd-3', os: 'Windows', properties: { referrer: 'unknown' } },
]

export async function openWithOrders(page: Page, instance: Instance, name: string) {
  const app = await openOwnApp(page, instance, name)
  await send(page, app.appId, ...ORDERS.map(message))
  await loaded(page, app.appId, ORDERS.length)
  return app
}
