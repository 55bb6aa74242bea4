import { describe, expect, it } from 'vitest'
import type { Session } from '../../api/profile'
import { t } from '../../i18n/store'
import type { Environment } from '../../api/environment'
import { anEnvironment, aUser } from '../../testing/server'
import { shownProviders } from './bindings'
import { deviceName } from './deviceName'
import { channelsOf, isOn, withCell } from './notificationGrid'
import { allZones, zoneOf } from '../../components/form/zones'

describe('a device', () => {
  it.each([
    ['Chrome on macOS', 'macOS 上的 Chrome'],
    ['curl', 'curl'],
    ['?', '未知设备'],
    ['', '未知设备'],
  ])('%s is called %s', (user_agent, name) => {
    expect(deviceName(t, { user_agent } as Session)).toBe(name)
  })
})

describe('the time zones', () => {
  const found = (typed: string, language: string) =>
    allZones(language)
      .filter((zone) => zone.search.includes(typed))
      .map((zone) => zone.value)

  it('are all there, and found by city, name and offset', () => {
    expect(allZones('en-US').length).toBeGreaterThan(300)
    expect(found('shanghai', 'zh-CN')).toContain('Asia/Shanghai')
    expect(found('中国', 'zh-CN')).toContain('Asia/Shanghai')
    expect(found('new york', 'en-US')).toEqual(['America/New_York'])
    expect(found('utc+08:00', 'en-US')).toContain('Asia/Singapore')
  })

  it('show one that this browser does not know by its name', () => {
    expect(zoneOf('Mars/Olympus', 'en-US').label).toBe('Mars/Olympus')
  })
})

describe('the grid of notifications', () => {
  it('changes one cell and leaves what is not on screen alone', () => {
    const before = { security: ['email'], invitation: ['email', 'wechatwork'], later: ['email'] }
    const after = withCell(before, { type: 'invitation', channel: 'email', on: false })
    expect(after).toEqual({ ...before, invitation: ['wechatwork'] })
    expect(withCell(after, { type: 'key_expiry', channel: 'in_app', on: true })).toEqual({
      ...after,
      key_expiry: ['in_app'],
    })
  })

  it('never shows a warning about the account as off', () => {
    expect(isOn({}, 'security', 'email')).toBe(true)
    expect(isOn({}, 'security', 'in_app')).toBe(false)
    expect(channelsOf(undefined)).toEqual(['email', 'in_app'])
  })
})

describe('the chat services', () => {
  const environment = anEnvironment as Environment
  const offering = { ...environment, providers: { ...environment.providers, feishu: true } }
  const bound = {
    ...aUser,
    bindings: { wechatwork: { name: 'Lin', bound_at: aUser.created_at }, feishu: null },
  }

  it('are those that this instance offers, and those bound while it did', () => {
    expect(shownProviders(undefined, aUser)).toEqual([])
    expect(shownProviders(environment, aUser)).toEqual([])
    expect(shownProviders(offering, aUser)).toEqual(['feishu'])
    expect(shownProviders(environment, bound)).toEqual(['wechatwork'])
    expect(shownProviders(offering, bound)).toEqual(['wechatwork', 'feishu'])
  })
})
