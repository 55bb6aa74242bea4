import { beforeEach, describe, expect, it, vi } from 'vitest'
import { bindNavigator, browser } from '../lib/navigation'
import { aUser } from '../testing/server'
import { openAppEntry } from './appEntry'
import { loadUser, rememberUser } from './session'

const here = { org_id: 'o 1', app_id: 'a/2', endpoint: 'https://atrium.example/', is_local: false }
const elsewhere = {
  org_id: 'o',
  app_id: 'a',
  endpoint: 'https://eu.example/base/',
  is_local: false,
}

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

describe('the application entry', () => {
  it('stays in the console where our own origin is the endpoint', () => {
    openAppEntry(here)
    expect(navigate).toHaveBeenCalledWith('/org-id/o%201/app-id/a%2F2', expect.anything())
  })

  it('stays where it is for an app of this instance, by whatever address it was reached', () => {
    openAppEntry({ ...here, endpoint: 'http://127.0.0.1:8080', is_local: true })
    expect(navigate).toHaveBeenCalledWith('/org-id/o%201/app-id/a%2F2', expect.anything())
  })

  it('leaves in the same window for another endpoint', () => {
    const assign = vi.spyOn(browser, 'assign').mockReturnValue()
    openAppEntry(elsewhere, { extra: '/events?x=1' })
    expect(assign).toHaveBeenCalledWith('https://eu.example/base/org-id/o/app-id/a/events?x=1')
    expect(navigate).not.toHaveBeenCalled()
  })

  it('is home from then on, also before the app is on screen, and not for another window', async () => {
    vi.spyOn(browser, 'open').mockReturnValue(null)
    rememberUser(aUser)
    openAppEntry(here)
    expect((await loadUser()).last_app).toEqual(here)
    openAppEntry(elsewhere, { target: '_blank' })
    expect((await loadUser()).last_app).toEqual(here)
  })

  it('opens in a chosen target, ours or another’s', () => {
    const open = vi.spyOn(browser, 'open').mockReturnValue(null)
    openAppEntry(elsewhere, { target: '_blank' })
    openAppEntry(here, { target: 'apps' })
    expect(open.mock.calls).toEqual([
      ['https://eu.example/base/org-id/o/app-id/a', '_blank'],
      ['https://atrium.example/org-id/o%201/app-id/a%2F2', 'apps'],
    ])
  })

  it('leads to the team’s apps where there is no app', () => {
    openAppEntry(null, { replace: true })
    expect(navigate).toHaveBeenCalledWith('/organization/config/config-app', { replace: true })
  })

  it('does not take a path of our own origin for ourselves', () => {
    const assign = vi.spyOn(browser, 'assign').mockReturnValue()
    openAppEntry({ ...here, endpoint: 'https://atrium.example/other' })
    expect(assign).toHaveBeenCalledWith('https://atrium.example/other/org-id/o%201/app-id/a%2F2')
  })
})
