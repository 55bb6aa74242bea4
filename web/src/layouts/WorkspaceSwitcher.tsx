/** The app on screen, and the way to another of its team: the same page of it. */
import { useQuery } from '@tanstack/react-query'
import type { App } from '../api/app'
import { appsQuery } from '../api/apps'
import { SearchSelect, useTypeahead } from '../components/form/SearchSelect'
import { useT } from '../i18n/useT'
import { openAppEntry } from '../session/appEntry'
import styles from './Workspace.module.css'

const MOST_SHOWN = 20

interface WorkspaceSwitcherProps {
  app: App
  /** Below the entry. */
  page: string
}

export function WorkspaceSwitcher({ app, page }: WorkspaceSwitcherProps) {
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
  // The one on screen is shown by its name whether or not the list holds it.
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
      onChange={(id) => {
        const chosen = choices.find((choice) => choice.id === id)
        if (!chosen) return
        const { org_id, endpoint, is_local } = chosen
        openAppEntry({ org_id, app_id: id, endpoint, is_local }, { extra: page })
      }}
    />
  )
}
