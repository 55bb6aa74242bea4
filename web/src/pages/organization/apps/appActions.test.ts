import { describe, expect, it } from 'vitest'
import type { App, AppStatus } from '../../../api/apps'
import { appActionsFor } from './appActions'

const app = (status: AppStatus, permissions: string[], purging = false) =>
  ({ status, permissions, purge_started: purging }) as unknown as App
const ALL = ['app:view', 'app:archive', 'app:delete']

describe('what can be done with an app', () => {
  it.each([
    ['active', ['archive', 'delete']],
    ['archived', ['unarchive', 'delete']],
    ['deleted', ['restore']],
  ] as const)('%s: %s', (status, actions) => {
    expect(appActionsFor(app(status, ALL))).toEqual(actions)
  })

  it('is what the permissions say', () => {
    expect(appActionsFor(app('active', ['app:view']))).toEqual([])
    expect(appActionsFor(app('active', ['app:archive']))).toEqual(['archive'])
    expect(appActionsFor(app('archived', ['app:delete']))).toEqual(['delete'])
  })

  it('is nothing once the purge has begun', () => {
    expect(appActionsFor(app('deleted', ALL, true))).toEqual([])
  })
})
