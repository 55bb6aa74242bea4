// Needs no page.
import { describe, expect, it } from 'vitest'
import { paths } from '../paths'
import { formatQuery, limitQuery, parseQuery, queryText, withoutParameter } from './query'
import { canonicalPath } from './url'

describe('a path', () => {
  it.each([
    ['/', '/'],
    ['/a', '/a'],
    ['/a/', '/a'],
    ['/a//', '/a'],
    ['//', '/'],
    ['//evil.example/', '/evil.example'],
    ['/a//b/', '/a/b'],
  ])('%s is spelled %s', (given, canonical) => expect(canonicalPath(given)).toBe(canonical))
})

describe('a query', () => {
  it('is read within the limits: 20 items, 5 levels, 1000 parameters', () => {
    // Up to the limit it stays a list; beyond it, qs returns an object with numeric keys.
    expect(Array.isArray(parseQuery('?a[19]=x').a)).toBe(true)
    expect(Array.isArray(parseQuery('?a[20]=x').a)).toBe(false)
    const deep = parseQuery('?a[b][c][d][e][f][g]=1')
    expect(JSON.stringify(deep)).toContain('[g]')
    const many = Array.from({ length: 1001 }, (_, n) => `p${n}=1`).join('&')
    expect(Object.keys(parseQuery(many))).toHaveLength(1000)
  })

  it('is the same for the router, repeated names included', () => {
    const kept = 'filter=a~b&filter=c&range=2026-02-10..2026-02-28&q=%E5%AE%98+x&bare='
    expect(limitQuery(new URLSearchParams(kept)).toString()).toBe(
      new URLSearchParams(kept).toString(),
    )
    const many = Array.from({ length: 1001 }, (_, n) => `p${n}=1`).join('&')
    expect(limitQuery(new URLSearchParams(many)).size).toBe(1000)
    const list = Array.from({ length: 21 }, () => 'a=1').join('&')
    expect(limitQuery(new URLSearchParams(list)).getAll('a')).toEqual([])
  })

  it('gives one text per name, or none', () => {
    const query = parseQuery('?one=1&two=a&two=b&nested[x]=1&empty=&bare')
    expect(queryText(query, 'one')).toBe('1')
    expect(queryText(query, 'two')).toBe('a')
    expect(queryText(query, 'nested')).toBeNull()
    expect(queryText(query, 'empty')).toBe('')
    expect(queryText(query, 'gone')).toBeNull()
    expect('bare' in query).toBe(true)
  })

  it('does not let a name reach into every object', () => {
    expect(parseQuery('?__proto__[x]=1&constructor[prototype][x]=1')).not.toHaveProperty('x')
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('is written without what is absent', () => {
    expect(formatQuery({ org: null, redirect: undefined })).toBe('')
    expect(formatQuery({ redirect: '/a?b=c&d#e' })).toBe('?redirect=%2Fa%3Fb%3Dc%26d%23e')
  })
})

describe('a query without one parameter', () => {
  it.each([
    ['?logout', ''],
    ['?logout=1&redirect=%2Fa%3Fb', '?redirect=%2Fa%3Fb'],
    [
      '?lang=en-US&logout&utm_source=x&a=1&a=2&register',
      '?lang=en-US&utm_source=x&a=1&a=2&register',
    ],
    ['?logout[x]=1&log%6Fut=2&b', '?b'],
    ['?notlogout=1', '?notlogout=1'],
    ['', ''],
  ])('%s is %s', (search, rest) => {
    expect(withoutParameter(search, 'logout')).toBe(rest)
  })
})

describe('a link', () => {
  it('escapes what it is built from', () => {
    expect(paths.appDetail('a/b?c')).toBe('/a%2Fb%3Fc/authManagement/appDetail')
    expect(paths.appEntry('o', 'a', '/events')).toBe('/org-id/o/app-id/a/events')
    expect(paths.teamApps({ org: 'x y' })).toBe('/organization/config/config-app?org=x%20y')
    expect(paths.logout()).toBe('/login?logout')
  })
})
