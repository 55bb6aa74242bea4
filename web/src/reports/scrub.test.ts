import { describe, expect, it } from 'vitest'
import { toRoutes } from '../router/entry'
import { routeTable } from '../routes'
import { Scrubber } from './scrub'

const ORIGIN = 'https://atrium.example'
const scrubber = new Scrubber(toRoutes(routeTable), ORIGIN)

describe('an address', () => {
  it.each([
    [`${ORIGIN}/pwdReset/secret`, `${ORIGIN}/pwdReset/:token`],
    [`${ORIGIN}/emailValidator/secret?x=1#y`, `${ORIGIN}/emailValidator/:token`],
    ['/pwdReset/secret', '/pwdReset/:token'],
    ['/login?redirect=%2FpwdReset%2Fsecret', '/login'],
    [`${ORIGIN}/login?code=abc&state=def`, `${ORIGIN}/login`],
    [`${ORIGIN}/api/v1/register/token?token=secret`, `${ORIGIN}/api/v1/register/token`],
    [`${ORIGIN}/v25.10.202/assets/a-1.js?x`, `${ORIGIN}/v25.10.202/assets/a-1.js`],
    [`${ORIGIN}/no/such/secret`, `${ORIGIN}/*`],
    [`${ORIGIN}`, `${ORIGIN}/`],
    ['https://other.example/a?token=secret', 'https://other.example/a'],
  ])('%s is told as %s', (address, told) => {
    expect(scrubber.address(address)).toBe(told)
  })
})

describe('a text', () => {
  it.each([
    [`GET ${ORIGIN}/pwdReset/secret failed`, `GET ${ORIGIN}/pwdReset/:token failed`],
    ['went to /emailValidator/secret, then on', 'went to /emailValidator/:token then on'],
    ['see http://elsewhere/pwdReset/secret?x', 'see http://elsewhere/pwdReset/:token?x'],
    ['?code=123456&state=abc&page=2', '?code=***&state=***&page=2'],
    ['access_token=abc id_token=def', 'access_token=*** id_token=***'],
    ['/login#link=secret', '/login'],
    ['key qk_abcdefgh12345678 was refused', 'key qk_*** was refused'],
    ['nothing to hide: 50% of 7', 'nothing to hide: 50% of 7'],
  ])('%s', (text, told) => {
    expect(scrubber.all(text)).toBe(told)
  })

  it('is looked at in a recording, wherever an address stands', () => {
    const recording = JSON.stringify([
      { type: 4, data: { href: `${ORIGIN}/pwdReset/secret?lang=zh-CN` } },
      {
        type: 2,
        data: {
          attributes: {
            href: `${ORIGIN}/data-dashboard?org=1`,
            style: `url(${ORIGIN}/v1.2/assets/a.png)`,
          },
        },
      },
    ])
    expect(JSON.parse(scrubber.text(recording))).toEqual([
      { type: 4, data: { href: `${ORIGIN}/pwdReset/:token` } },
      {
        type: 2,
        data: {
          attributes: {
            href: `${ORIGIN}/data-dashboard`,
            style: `url(${ORIGIN}/v1.2/assets/a.png)`,
          },
        },
      },
    ])
  })
})

describe('a thing', () => {
  it('is looked through however deep', () => {
    const event = {
      breadcrumbs: [
        { data: { from: '/pwdReset/secret', to: '/login?redirect=%2Fx', status: 200 } },
      ],
      when: new Date(0),
      nothing: null,
    }
    expect(scrubber.all(event)).toEqual({
      breadcrumbs: [{ data: { from: '/pwdReset/:token', to: '/login', status: 200 } }],
      when: new Date(0),
      nothing: null,
    })
  })
})
