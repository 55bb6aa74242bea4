/**
 * The current app, with links to the same page of the team's other apps. They are real links, so
 * the browser can open them in a new tab or window.
 */
import { useQuery } from '@tanstack/react-query'
import type { App } from '../api/app'
import { appsQuery } from '../api/apps'
import { SearchSelect, useTypeahead } from '../components/form/SearchSelect'
import { useT } from '../i18n/useT'
import { follow, noteOpened } from '../session/appEntry'
import type { Destination } from '../session/destination'
import styles from './Workspace.module.css'

const MOST_SHOWN = 20

interface WorkspaceSwitcherProps {
  app: App
  /** The URL of the same page in another app. */
  placeOf: (app: App) => Destination
  /** Choosing one opens it, which is remembered for the next visit. */
  opens?: boolean
}

export function WorkspaceSwitcher({ app, placeOf, opens }: WorkspaceSwitcherProps) {
  const t = useT()
  const typeahead = useTypeahead()
  const { search, opened } = typeahead
  const apps = useQuery({
    ...appsQuery(app.org_id, {
      status: 'active',
      page: 1,
      page_size: MOST_SHOWN,
      search,
      sort: 'name',
      order: 'asc',
    }),
    enabled: opened,
  })
  const found = apps.data?.items ?? []
  // Always include the current app, even if the list doesn't.
  const choices = search || found.some(({ id }) => id === app.id) ? found : [app, ...found]
  return (
    <SearchSelect<string>
      typeahead={typeahead}
      found={apps}
      className={styles.switcher}
      variant="borderless"
      aria-label={t('workspace.switch', { name: app.name })}
      value={app.id}
      labelRender={() => <span className={styles.name}>{app.name}</span>}
      popupMatchSelectWidth={false}
      classNames={{ popup: { root: styles.choices } }}
      notFoundContent={
        apps.error ? apps.error.message : apps.data ? t('table.nothingFound') : t('common.loading')
      }
      options={choices.map(({ id, name }) => ({ value: id, label: name }))}
      optionRender={({ value, label }) => {
        const choice = choices.find(({ id }) => id === value)
        return choice ? <AppLink to={placeOf(choice)}>{label}</AppLink> : label
      }}
      onChange={(id) => {
        const chosen = choices.find((choice) => choice.id === id)
        if (!chosen) return
        const { org_id, endpoint, is_local } = chosen
        if (opens) noteOpened({ org_id, app_id: id, endpoint, is_local })
        follow(placeOf(chosen))
      }}
    />
  )
}

/** Inside an option: a plain click selects it, any other click is left to the browser. */
function AppLink({ to, children }: { to: Destination; children: React.ReactNode }) {
  return (
    <a
      className={styles.choice}
      href={to.kind === 'internal' ? to.to : to.href}
      tabIndex={-1}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) event.stopPropagation()
        else event.preventDefault()
      }}
    >
      {children}
    </a>
  )
}
