/** What the palette offers by itself, before asking the server. */
import type { App } from '../../api/app'
import type { Org } from '../../api/orgs'
import { LANGUAGES, type LanguageCode } from '../../i18n/language'
import { changeLanguage, type MessageKey, type Translate } from '../../i18n/store'
import { SETTINGS_PAGES, TEAM_PAGES, WORKSPACE_PAGES } from '../../menus'
import { goTo } from '../../lib/navigation'
import { paths, type AccountSection } from '../../paths'
import type { OrgPermission } from '../../session/access'
import { rememberOrg } from '../../session/org'
import { chooseTheme, THEME_MODES } from '../../theme/store'
import { showOverlay } from '../shortcuts/overlay'

/** In display order: things people named come before things we named. */
export const KINDS = ['app', 'event', 'page', 'person', 'team', 'action'] as const
export type Kind = (typeof KINDS)[number]

export interface Entry {
  /** Stable, to recognize earlier choices. */
  id: string
  kind: Kind
  label: string
  /** Context beside the name, such as its team. */
  detail?: string
  /** Additional search terms. */
  words?: string
  run: () => void
}

export interface Surroundings {
  t: Translate
  language: LanguageCode
  orgs: Org[]
  /** The current team, or the last one used. */
  org: Org | null
  /** The current app, and the user's permissions in it. */
  app: { app: App; held: readonly string[] } | null
  /** Whether the user is an operator. */
  isOperator: boolean
}

const ACCOUNT_PAGES = ['password', 'mfa', 'sessions', 'notifications'] as const

export function ownEntries(around: Surroundings): Entry[] {
  return [...pages(around), ...teams(around), ...actions(around)]
}

function pages({ t, org, app, isOperator }: Surroundings): Entry[] {
  const page = (title: MessageKey, to: string, detail?: string): Entry => ({
    id: `page:${title}`,
    kind: 'page',
    label: t(title),
    detail,
    // Paths are in English, whatever the page is called.
    words: to.split('?')[0],
    run: () => goTo(to),
  })
  const section = (key: (typeof ACCOUNT_PAGES)[number] & AccountSection): Entry => ({
    ...page('title.userInfo', paths.profile(key), t('title.userInfo')),
    id: `page:account.${key}`,
    label: t(`account.${key}.title`),
  })
  const inTeam = TEAM_PAGES.filter(({ needs }) => !needs || org?.permissions.includes(needs))
  const inApp = (needs: string) => app?.held.includes(needs)
  return [
    ...(app && app.app.status !== 'deleted'
      ? WORKSPACE_PAGES.filter(({ needs }) => inApp(needs)).map(({ title, to }) =>
          page(title, to(app.app), app.app.name),
        )
      : []),
    ...(app
      ? SETTINGS_PAGES.filter(({ needs }) => inApp(needs)).map(({ title, to }) =>
          page(title, to(app.app.id), app.app.name),
        )
      : []),
    ...(org ? [page('title.dataDashboard', paths.dataDashboard({ org: org.id }), org.name)] : []),
    ...(org ? inTeam.map(({ title, to }) => page(title, to({ org: org.id }), org.name)) : []),
    page('title.organizationList', paths.organizations()),
    page('title.userInfo', paths.profile()),
    ...ACCOUNT_PAGES.map(section),
    ...(isOperator
      ? [
          page('title.operatorHealth', paths.operatorHealth()),
          page('title.operatorSessions', paths.operatorSessions()),
          page('title.operatorLinks', paths.operatorLinks()),
          page('title.errors', paths.errors()),
        ]
      : []),
  ]
}

/** Every team but the current one. */
function teams({ orgs, org }: Surroundings): Entry[] {
  return orgs
    .filter(({ id }) => id !== org?.id)
    .map(({ id, name }) => ({
      id: `team:${id}`,
      kind: 'team',
      label: name,
      run: () => {
        rememberOrg(id)
        goTo(paths.teamApps({ org: id }))
      },
    }))
}

// Languages are named in themselves, so the people who need one can read it.
const LANGUAGE_NAMES: Record<LanguageCode, string> = { 'zh-CN': '中文', 'en-US': 'English' }

function actions({ t, language, org }: Surroundings): Entry[] {
  const action = (id: string, label: string, words: string, run: () => void): Entry => ({
    id: `action:${id}`,
    kind: 'action',
    label,
    words,
    run,
  })
  const may = (permission: OrgPermission) => org?.permissions.includes(permission)
  const create = '' as const
  return [
    ...(org && may('org_app:create')
      ? [
          action('create-app', t('apps.create'), 'create new app', () =>
            goTo(paths.teamApps({ org: org.id, create })),
          ),
        ]
      : []),
    ...(org && may('org_member:manage')
      ? [
          action('invite', t('members.invite'), 'invite member', () =>
            goTo(paths.teamMembers({ org: org.id, invite: '' })),
          ),
        ]
      : []),
    action('create-team', t('orgs.create'), 'create new team', () =>
      goTo(paths.organizations({ create })),
    ),
    ...THEME_MODES.map((mode) =>
      action(
        `theme-${mode}`,
        t('palette.theme', { mode: t(`theme.${mode}`) }),
        `theme ${mode}`,
        () => chooseTheme(mode),
      ),
    ),
    ...LANGUAGES.filter((code) => code !== language).map((code) =>
      action(
        `language-${code}`,
        t('palette.language', { name: LANGUAGE_NAMES[code] }),
        `language 语言 ${code}`,
        () => void changeLanguage(code),
      ),
    ),
    // After the palette has restored the focus, so that the help can do so too.
    action('keys', t('keys.title'), 'keyboard shortcuts help', () =>
      setTimeout(() => showOverlay('help')),
    ),
    action('sign-out', t('person.signOut'), 'sign out logout', () => goTo(paths.logout())),
  ]
}
