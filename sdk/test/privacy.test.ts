import { describe, expect, it } from 'vitest'
import {
  answers,
  events,
  flushed,
  goOffline,
  pass,
  sent,
  setBeacon,
  settle,
  start,
  stub,
  usePage,
} from './support'

usePage()

describe('a browser that asks not to be tracked', () => {
  it.each([
    ['navigator.doNotTrack', () => stub(navigator, 'doNotTrack', '1')],
    ['window.doNotTrack', () => stub(window, 'doNotTrack', '1')],
    ['Global Privacy Control', () => stub(navigator, 'globalPrivacyControl', true)],
  ])('is heard: %s', async (_, ask) => {
    ask()
    const client = start({ pageView: true, clicks: true })
    client.track('a')
    document.body.click()
    await flushed(client)
    expect(sent).toEqual([])
    expect(client.isOptedOut()).toBe(true)
    expect(localStorage.getItem('atrium_device_id')).toBeNull()
  })

  it('is overruled only by respectDoNotTrack: false', async () => {
    stub(navigator, 'doNotTrack', '1')
    const client = start({ respectDoNotTrack: false })
    client.track('a')
    await flushed(client)
    expect(events()).toEqual(['a'])
    expect(client.isOptedOut()).toBe(false)
  })

  it('may also say that it does not mind', async () => {
    stub(navigator, 'doNotTrack', '0')
    const client = start()
    client.track('a')
    await flushed(client)
    expect(events()).toEqual(['a'])
  })
})

describe('opting out', () => {
  it('empties the queue and collects nothing more', async () => {
    const client = start()
    client.track('before')
    client.optOut()
    client.track('after')
    await flushed(client)
    await pass(5000)
    expect(sent).toEqual([])
    expect(client.isOptedOut()).toBe(true)
  })

  it('is kept in local storage, for the next page and for other tabs', async () => {
    const other = start()
    other.track('gathered in another tab')
    start().optOut()
    expect(localStorage.getItem('atrium_opt_out')).toBe('1')
    await flushed(other)
    const next = start({ pageView: true })
    next.track('a')
    await flushed(next)
    expect(sent).toEqual([])
  })

  it('forgets what waited for the network', async () => {
    goOffline(true)
    const client = start()
    client.track('a')
    await flushed(client)
    client.optOut()
    await settle()
    client.optIn()
    goOffline(false)
    await settle()
    expect(sent).toEqual([])
  })

  it('holds for what fails on its way', async () => {
    setBeacon(undefined)
    answers.push(new Error('cut off'))
    const client = start()
    client.track('a')
    const done = client.flush()
    client.optOut()
    await done
    await settle()
    client.optIn()
    await pass(120_000)
    expect(sent).toHaveLength(1)
  })

  it('can be taken back', async () => {
    const client = start()
    client.track('before')
    client.optOut()
    client.track('meanwhile')
    client.optIn()
    expect(client.isOptedOut()).toBe(false)
    expect(localStorage.getItem('atrium_opt_out')).toBeNull()
    client.track('a')
    await flushed(client)
    expect(events()).toEqual(['a'])
  })
})
