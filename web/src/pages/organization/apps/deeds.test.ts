import { describe, expect, it } from 'vitest'
import type { App, AppStatus } from '../../../api/apps'
import { deedsFor } from './deeds'

const app = (status: AppStatus, permissions: string[], purging = false) =>
  ({ status, permissions, purge_started: purging }) as unknown as App
const ALL = ['app:view', 'app:archive', 'app:delete']

describe('what can be done with an app', () => {
  it.each([
    ['active', ['archive', 'delete']],
    ['archived', ['unarchive', 'delete']],
    ['deleted', ['restore']],
  ] as const)('%s: %s', (status, deeds) => {
    expect(deedsFor(app(status, ALL))).toEqual(deeds)
  })

  it('is what the permissions say', () => {
    expect(deedsFor(app('active', ['app:view']))).toEqual([])
    expect(deedsFor(app('active', ['app:archive']))).toEqual(['archive'])
    expect(deedsFor(app('archived', ['app:delete']))).toEqual(['delete'])
  })

  it('is nothing once the purge has begun', () => {
    expect(deedsFor(app('deleted', ALL, true))).toEqual([])
  })
})
