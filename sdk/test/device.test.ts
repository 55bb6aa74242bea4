import { expect, it } from 'vitest'
import { describeDevice } from '../src/device'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

it.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`,
    ['Windows', 'PC', 'Chrome', '140.0.0.0'],
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/141.2`,
    ['Windows', 'PC', 'Edge', '141.2'],
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 OPR/120.0`,
    ['Linux', 'PC', 'Opera', '120.0'],
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
    ['macOS', 'PC', 'Safari', '18.4'],
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Mobile/15E148 Safari/604.1',
    ['iOS', 'Mobile', 'Safari', '18.4'],
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
    ['iOS', 'Mobile', 'Chrome', '140.0'],
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S921B) ${WEBKIT} SamsungBrowser/25.0 Chrome/121.0 Mobile Safari/537.36`,
    ['Android', 'Mobile', 'Samsung Internet', '25.0'],
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; Pixel Tablet) ${WEBKIT} Chrome/140.0 Safari/537.36`,
    ['Android', 'Mobile', 'Chrome', '140.0'],
  ],
  [
    `Mozilla/5.0 (Phone; OpenHarmony 5.0) ${WEBKIT} Chrome/114.0 Safari/537.36 ArkWeb/4.1 Mobile`,
    ['HarmonyOS', 'Mobile', 'Chrome', '114.0'],
  ],
  [
    `Mozilla/5.0 (Linux; Android 14) ${WEBKIT} Version/4.0 Chrome/116.0 Mobile Safari/537.36 MicroMessenger/8.0.50`,
    ['Android', 'Mobile', 'WeChat', '8.0.50'],
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ['Linux', 'PC', 'Firefox', '140.0'],
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/140.0 Safari/537.36`,
    ['Chrome OS', 'PC', 'Chrome', '140.0'],
  ],
])('%s', (userAgent, [os, device_type, browser, browser_version]) => {
  const device = describeDevice({ userAgent, platform: 'x', maxTouchPoints: 1 } as Navigator)
  expect(device).toEqual({ os, device_type, browser, browser_version })
})

it('tells an iPad from a Mac by its touch screen', () => {
  const userAgent =
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15'
  expect(describeDevice({ userAgent, maxTouchPoints: 5 } as Navigator)).toMatchObject({
    os: 'iOS',
    device_type: 'Mobile',
  })
})

it('falls back to the platform, and says when it does not know', () => {
  expect(describeDevice({ userAgent: 'curl/8', platform: 'Plan9' } as Navigator)).toEqual({
    os: 'Plan9',
    device_type: 'PC',
    browser: 'unknown',
    browser_version: '',
  })
  expect(describeDevice({ userAgent: '', platform: '' } as Navigator).os).toBe('unknown')
})
