// Needs no page.
import { describe, expect, it } from 'vitest'
import { safeDestination } from './destination'

const trusted = {
  origin: 'https://atrium.example',
  endpoints: [
    'https://eu.atrium.example',
    'https://shared.example/tenants/a',
    'ftp://files.example',
  ],
}

const taken: [why: string, raw: string, to: string][] = [
  ['a path', '/data-dashboard', '/data-dashboard'],
  ['a path with query and fragment', '/organization/list?org=1#x', '/organization/list?org=1#x'],
  ['our own origin, spelled out', 'https://atrium.example/403', '/403'],
  ['the origin in capitals', 'HTTPS://ATRIUM.EXAMPLE/403', '/403'],
  ['the default port', 'https://atrium.example:443/403', '/403'],
  [
    'an address inside the query',
    '/no-auth?redirect=https://evil.example',
    '/no-auth?redirect=https://evil.example',
  ],
  ['letters beyond ASCII', '/团队', '/%E5%9B%A2%E9%98%9F'],
  ['a path that only begins like sign-in', '/login-history', '/login-history'],
  ['dots that stay inside', '/a/../403', '/403'],
]

const takenOutside: [why: string, raw: string][] = [
  ['a region', 'https://eu.atrium.example/org-id/1/app-id/2'],
  ['a region without a path', 'https://eu.atrium.example/'],
  ['below a region’s prefix', 'https://shared.example/tenants/a/org-id/1'],
]

const refused: [why: string, raw: string | null | undefined][] = [
  ['nothing', null],
  ['not even a parameter', undefined],
  ['empty', ''],
  ['another host', 'https://evil.example/'],
  ['scheme-relative', '//evil.example'],
  ['scheme-relative, three slashes', '///evil.example'],
  ['a backslash after the slash', '/\\evil.example'],
  ['two backslashes', '\\\\evil.example'],
  ['a backslash in an absolute address', 'https:\\\\evil.example'],
  ['a scheme without slashes', 'https:evil.example'],
  ['a tab between the slashes', '/\t/evil.example'],
  ['a line break between the slashes', '/\n/evil.example'],
  ['a leading space', ' //evil.example'],
  ['a NUL', '/\u0000/evil.example'],
  ['a path that climbs out to two slashes', '/x/..//evil.example'],
  ['encoded dots that climb out to two slashes', '/x/%2e%2e//evil.example'],
  ['our host as user name', 'https://atrium.example@evil.example/'],
  ['our origin with a user name', 'https://me@atrium.example/'],
  ['our origin with a password', 'https://me:pw@atrium.example/'],
  ['our host as a prefix', 'https://atrium.example.evil.example/'],
  ['our host as a suffix', 'https://evil-atrium.example/'],
  ['a host below ours', 'https://sub.atrium.example/'],
  ['another port', 'https://atrium.example:8443/'],
  ['our host without encryption', 'http://atrium.example/'],
  ['a full-width host', 'https://ｅｖｉｌ.example/'],
  ['an ideographic full stop in the host', 'https://atrium。example.evil。example/'],
  ['a right-to-left override', '/\u202egro.live//:sptth'],
  ['a script', 'javascript:alert(1)'],
  ['a script in mixed case', 'JaVaScRiPt:alert(1)'],
  ['a script behind a control character', '\u0001javascript:alert(1)'],
  ['a script with our address behind it', 'javascript://atrium.example/%0aalert(1)'],
  ['inline data', 'data:text/html,<script>alert(1)</script>'],
  ['a blob of our origin', 'blob:https://atrium.example/0198'],
  ['a file', 'file:///etc/passwd'],
  ['another scheme, even when configured', 'ftp://files.example/x'],
  ['a relative path', 'organization/list'],
  ['a query alone', '?logout'],
  ['a host that is no host', 'https://[/'],
  ['beside a region’s prefix', 'https://shared.example/tenants/b'],
  ['a prefix that is not a whole segment', 'https://shared.example/tenants/abc'],
  ['climbing out of a region’s prefix', 'https://shared.example/tenants/a/../b'],
  ['climbing out of it encoded', 'https://shared.example/tenants/a/%2e%2e/b'],
  ['sign-in itself', '/login'],
  ['sign-in with its own redirect', '/login?redirect=/login'],
  ['sign-out', '/login?logout'],
  ['sign-in with a trailing slash', '/login/'],
  ['sign-in in other case', '/LOGIN'],
  ['sign-in escaped', '/%6cogin'],
  ['sign-in by its full address', 'https://atrium.example/login'],
  ['an endless address', `/${'a'.repeat(9000)}`],
]

describe('a redirect parameter', () => {
  it.each(taken)('is followed within the console: %s', (_, raw, to) => {
    expect(safeDestination(raw, trusted)).toEqual({ kind: 'internal', to })
  })
  it.each(takenOutside)('is followed to %s', (_, href) => {
    expect(safeDestination(href, trusted)).toEqual({ kind: 'external', href })
  })
  it.each(refused)('is ignored: %s', (_, raw) => {
    expect(safeDestination(raw, trusted)).toBeNull()
  })
})
