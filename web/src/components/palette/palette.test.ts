import { describe, expect, it } from 'vitest'
import type { Org } from '../../api/orgs'
import { t } from '../../i18n/store'
import { anApp } from '../../testing/app'
import { ownEntries, type Entry, type Surroundings } from './entries'
import { matchScore } from './fuzzy'
import { readRecent, rememberRecent } from './recent'
import { siftEntries } from './sift'

describe('a match', () => {
  it.each([
    ['Data dashboard', 'data'],
    ['Data dashboard', 'dash'],
    ['Data dashboard', 'ta da'],
    ['Data dashboard', 'dsh'],
    ['数据看板', '看板'],
    ['数据看板', '数板'],
    ['Ｄata', 'data'],
  ])('%s answers %s', (text, typed) => expect(matchScore(text, typed)).not.toBeNull())

  it.each([
    ['Data dashboard', 'dx'],
    ['Data dashboard', 'data x'],
    ['a very long line with scattered letters', 'atl'],
  ])('%s does not answer %s', (text, typed) => expect(matchScore(text, typed)).toBeNull())

  it('is better the nearer to a start', () => {
    const scores = ['members', 'team members', 'remembers', 'm e m b e r s'].map((text) =>
      matchScore(text, 'members')!,
    )
    expect(scores).toEqual([...scores].sort((one, other) => one - other))
    expect(new Set(scores).size).toBe(4)
  })
})

const org = (permissions: string[], id = 'org-1') =>
  ({ id, name: `团队 ${id}`, permissions }) as Org

const around = (changed: Partial<Surroundings> = {}): Surroundings => ({
  t,
  language: 'zh-CN',
  orgs: [],
  org: org(['org:view']),
  app: null,
  isOperator: false,
  ...changed,
})
const ids = (surroundings: Surroundings) => ownEntries(surroundings).map(({ id }) => id)

describe('what is offered', () => {
  it('is only what the person may do in the team', () => {
    const little = ids(around())
    expect(little).toContain('page:title.teamMembers')
    expect(little).not.toContain('page:title.teamSetting')
    expect(little).not.toContain('page:title.teamAudit')
    expect(little).not.toContain('page:title.teamSso')
    expect(little).not.toContain('action:create-app')
    expect(little).not.toContain('action:invite')
    // An admin's permissions, without those only owners have.
    expect(ids(around({ org: org(['org:update', 'org_audit:view']) }))).not.toContain(
      'page:title.teamSso',
    )
    const all = [
      'org:update',
      'org_audit:view',
      'org_app:create',
      'org_member:manage',
      'org_sso:manage',
    ]
    expect(ids(around({ org: org(all) }))).toEqual(
      expect.arrayContaining([
        'page:title.teamSetting',
        'page:title.teamAudit',
        'page:title.teamSso',
        'action:create-app',
        'action:invite',
      ]),
    )
  })

  it('is only what the person may open of the app on screen', () => {
    expect(ids(around())).not.toContain('page:title.appDetail')
    const viewer = ids(around({ app: { app: anApp, held: ['app:view', 'dashboard:view'] } }))
    expect(viewer).toEqual(expect.arrayContaining(['page:title.overview', 'page:title.appDetail']))
    expect(viewer).not.toContain('page:title.events')
    expect(viewer).not.toContain('page:title.appSecretKey')
    const deleted = { ...anApp, status: 'deleted' as const }
    const gone = ids(around({ app: { app: deleted, held: ['app:view', 'dashboard:view'] } }))
    expect(gone).not.toContain('page:title.overview')
  })

  it('has the other teams and the other language, and works without a team', () => {
    const teams = [org([]), org([], 'org-2')]
    const offered = ids(around({ orgs: teams, org: teams[0]! }))
    expect(offered).toContain('team:org-2')
    expect(offered).not.toContain('team:org-1')
    expect(offered).toContain('action:language-en-US')
    expect(offered).not.toContain('action:language-zh-CN')
    expect(ids(around({ org: null }))).toContain('page:title.organizationList')
  })

  it('has the instance’s errors for those who run it', () => {
    expect(ids(around())).not.toContain('page:title.errors')
    expect(ids(around({ isOperator: true }))).toContain('page:title.errors')
  })

  it('names nothing twice', () => {
    const offered = ids(around({ app: { app: anApp, held: ['app:view'] } }))
    expect(new Set(offered).size).toBe(offered.length)
  })
})

describe('what is shown', () => {
  const entry = (id: string, label = id): Entry => {
    const [kind] = id.split(':') as [Entry['kind']]
    return { id, kind, label, run: () => {} }
  }
  const own = [entry('page:a', '成员'), entry('page:b', '成员设置'), entry('action:c', '新建')]
  const shown = (typed: string, recent: string[] = [], found: Entry[] = []) =>
    siftEntries(typed, { own, found, recent }).map(({ kind, entries }) => [
      kind,
      ...entries.map(({ id }) => id),
    ])

  it('is what was chosen before, then the rest, while nothing is typed', () => {
    const recent = ['app:1', 'action:c', 'page:gone']
    expect(shown('', recent, [entry('app:1'), entry('app:2')])).toEqual([
      ['recent', 'app:1', 'action:c'],
      ['page', 'page:a', 'page:b'],
    ])
  })

  it('is what matches, by kind, what was chosen before first', () => {
    expect(shown('成员')).toEqual([['page', 'page:a', 'page:b']])
    expect(shown('成员', ['page:b'])).toEqual([['page', 'page:b', 'page:a']])
    expect(shown('成员', [], [entry('event:1:join'), entry('app:1')])).toEqual([
      ['app', 'app:1'],
      ['event', 'event:1:join'],
      ['page', 'page:a', 'page:b'],
    ])
    expect(shown('新建', [], [entry('person:x'), entry('app:1')])).toEqual([
      ['app', 'app:1'],
      ['person', 'person:x'],
      ['action', 'action:c'],
    ])
  })
})

describe('what was chosen', () => {
  it('is kept for each person apart, the latest first and eight at most', () => {
    for (let n = 0; n < 10; n += 1) rememberRecent('lin', `page:${n}`)
    rememberRecent('lin', 'page:5')
    expect(readRecent('lin')).toEqual([5, 9, 8, 7, 6, 4, 3, 2].map((n) => `page:${n}`))
    expect(readRecent('zhou')).toEqual([])
  })

  it('is nothing where something else is stored', () => {
    localStorage.setItem('atrium.palette.lin', '{"a":1}')
    expect(readRecent('lin')).toEqual([])
    localStorage.setItem('atrium.palette.lin', '[')
    expect(readRecent('lin')).toEqual([])
  })
})
